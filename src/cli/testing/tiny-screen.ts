// For tests: as much of a terminal as the live view needs. Everything else that could command a terminal is an error, so
// that a test fails when something from outside gets through.
import { textWidth } from "../lay-out.js";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const SEQUENCE = /^\u001b\[(\?)?([\d;]*)([A-Za-z])/u;

export interface TinyScreen {
  readonly write: (text: string) => void;
  /** Every line there ever was, without trailing spaces; the block is the last of them. */
  readonly lines: () => string[];
  readonly hasCursor: () => boolean;
  readonly wraps: () => boolean;
  /** Colour sequences seen. */
  readonly colored: () => number;
}

/** A screen of endless height and so many columns. */
export function tinyScreen(columns: number): TinyScreen {
  const rows: string[][] = [[]];
  const history: string[][] = [];
  let row = 0;
  let column = 0;
  let hasCursor = true;
  let wraps = true;
  let colored = 0;
  const newLine = (): void => {
    row += 1;
    while (rows.length <= row) rows.push([]);
  };
  const put = (grapheme: string): void => {
    const width = textWidth(grapheme);
    if (column + width > columns) {
      if (!wraps) return;
      newLine();
      column = 0;
    }
    const cells = rows[row] ?? [];
    while (cells.length < column) cells.push(" ");
    cells[column] = grapheme;
    for (let more = 1; more < width; more += 1) cells[column + more] = "";
    column += width;
  };
  const command = (isPrivate: boolean, numbers: string, letter: string): void => {
    const what = `${isPrivate ? "?" : ""}${numbers}${letter}`;
    if (letter === "m") colored += 1;
    else if (letter === "A") row = Math.max(0, row - Number(numbers === "" ? 1 : numbers));
    else if (what === "K") rows[row] = (rows[row] ?? []).slice(0, column);
    else if (what === "C") column = Math.min(columns - 1, column + 1);
    else if (what === "J") {
      // tmux: a screen that is erased from its first cell on goes into its history.
      if (row === 0 && column === 0) history.push(...rows.filter((cells) => cells.length > 0));
      rows.splice(row + 1);
      rows[row] = (rows[row] ?? []).slice(0, column);
    } else if (what === "?25l" || what === "?25h") hasCursor = letter === "h";
    else if (what === "?7l" || what === "?7h") wraps = letter === "h";
    else if (what !== "?2026h" && what !== "?2026l") throw new Error(`the screen was sent CSI ${what}`);
  };
  return {
    write: (text) => {
      let rest = text;
      while (rest !== "") {
        const sequence = SEQUENCE.exec(rest);
        if (sequence !== null) {
          command(sequence[1] !== undefined, sequence[2] ?? "", sequence[3] ?? "");
          rest = rest.slice(sequence[0].length);
          continue;
        }
        const next = rest.search(/\u001b\[/u);
        const plain = next === -1 ? rest : next === 0 ? rest.slice(0, 1) : rest.slice(0, next);
        rest = rest.slice(plain.length);
        for (const { segment } of segmenter.segment(plain))
          if (segment === "\r") column = 0;
          else if (segment === "\n" || segment === "\r\n") {
            newLine();
            column = 0;
          } else if (/\p{Cc}/u.test(segment))
            throw new Error(`the screen was sent ${JSON.stringify(segment)}`);
          else put(segment);
      }
    },
    lines: () => [...history, ...rows].map((cells) => cells.join("").trimEnd()),
    hasCursor: () => hasCursor,
    wraps: () => wraps,
    colored: () => colored,
  };
}
