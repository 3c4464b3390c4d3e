// Bytes that come in pieces, as lines: UTF-8 across pieces, a bound on a line's length, nothing kept of lines given away.
import { StringDecoder } from "node:string_decoder";

/** Longest line, in UTF-16 units; what a longer one holds is thrown away, and it is given as null. */
const MAX_LINE = 32 * 1024 * 1024;

/** Takes pieces of a stream. */
export interface LineSplitter {
  readonly push: (piece: Buffer) => void;
  /** The stream is over: an unfinished line is given too. */
  readonly end: () => void;
}

/** Calls `onLine` for each line, without its end; with null for one that was too long. */
export function splitLines(onLine: (line: string | null) => void, maxLine = MAX_LINE): LineSplitter {
  const decoder = new StringDecoder("utf8");
  let rest: string[] = [];
  let length = 0;
  let isTooLong = false;
  const give = (tail: string): void => {
    if (isTooLong) onLine(null);
    else {
      const line = rest.length === 0 ? tail : rest.join("") + tail;
      onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
    }
    rest = [];
    length = 0;
    isTooLong = false;
  };
  const keep = (text: string): void => {
    length += text.length;
    if (length > maxLine) {
      isTooLong = true;
      rest = [];
    } else if (text !== "" && !isTooLong) rest.push(text);
  };
  const take = (text: string): void => {
    let from = 0;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", from)) {
      const tail = text.slice(from, at);
      if (length + tail.length > maxLine) isTooLong = true;
      give(tail);
      from = at + 1;
    }
    keep(text.slice(from));
  };
  return {
    push: (piece) => take(decoder.write(piece)),
    end: () => {
      take(decoder.end());
      if (length > 0) give("");
    },
  };
}
