// Bytes that come in pieces, as lines: UTF-8 across pieces, a bound on a line's length, nothing kept of lines given away.
// Cut as bytes and decoded line by line: one odd character then costs its own line only, not all that came with it (R31).

/** Longest line, in bytes; what a longer one holds is thrown away, and it is given as null. */
const MAX_LINE = 32 * 1024 * 1024;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Takes pieces of a stream. */
export interface LineSplitter {
  /** The piece may be used for something else afterwards. */
  readonly push: (piece: Buffer) => void;
  /** The stream is over: an unfinished line is given too. */
  readonly end: () => void;
}

/** Calls `onLine` for each line, without its end; with null for one that was too long. */
export function splitLines(onLine: (line: string | null) => void, maxLine = MAX_LINE): LineSplitter {
  /** What there is of a line whose end has not come. */
  let rest: Buffer[] = [];
  let length = 0;
  let isTooLong = false;
  const give = (bytes: Buffer, from: number, to: number): void => {
    const end = to > from && bytes[to - 1] === RETURN ? to - 1 : to;
    onLine(bytes.toString("utf8", from, end));
  };
  const giveWith = (tail: Buffer): void => {
    if (isTooLong || length + tail.length > maxLine) onLine(null);
    else {
      const whole = Buffer.concat([...rest, tail], length + tail.length);
      give(whole, 0, whole.length);
    }
    rest = [];
    length = 0;
    isTooLong = false;
  };
  const keep = (bytes: Buffer): void => {
    length += bytes.length;
    isTooLong ||= length > maxLine;
    if (isTooLong) rest = [];
    else rest.push(Buffer.from(bytes));
  };
  return {
    push: (piece) => {
      let from = 0;
      for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, from)) {
        if (length > 0) giveWith(piece.subarray(from, at));
        else if (at - from > maxLine) onLine(null);
        else give(piece, from, at);
        from = at + 1;
      }
      if (from < piece.length) keep(piece.subarray(from));
    },
    end: () => {
      if (length > 0) giveWith(Buffer.alloc(0));
    },
  };
}
