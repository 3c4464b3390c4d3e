// Texts from outside as lines of a terminal: what an agent says, an error's words. Secrets go first, since a secret that is
// cut is not known as one; then everything that could command a terminal or a CI's runner.
import type { Redactor } from "../../redact/create-redactor.js";
import { cleanText } from "../../text/clean.js";
import { cutText } from "../../text/cut.js";
import { breakText, cutColumns, textWidth } from "../lay-out.js";
import { defuse } from "../report.js";

/** Longest message that is looked at, in UTF-16 units. */
const MAX_MESSAGE = 65_536;
/** Longest line in a file or pipe, in bytes. */
const MAX_LINE = 2000;
/** So many lines of a terminal one line of a message may take, and a whole message. */
const MOST_OF_LINE = 4;
const MOST_OF_MESSAGE = 16;
const TAB = "    ";

const INDENT = "  ";

/** Lines of at most `columns`: words stay whole, indents stay, the last one says that there was more. */
function wrapLine(line: string, columns: number): string[] {
  if (textWidth(line) <= columns) return [line];
  const indent = /^ {0,12}/u.exec(line)?.[0] ?? "";
  const room = columns - indent.length;
  if (room < 12) return [cutColumns(line, columns)];
  const words = line
    .trim()
    .split(/ +/u)
    .flatMap((word) => breakText(word, room));
  const lines: string[] = [];
  let current = "";
  for (const [i, word] of words.entries()) {
    const longer = current === "" ? word : `${current} ${word}`;
    if (textWidth(longer) <= room) {
      current = longer;
      continue;
    }
    if (lines.length === MOST_OF_LINE - 1) {
      const rest = [current, ...words.slice(i)].join(" ");
      return [...lines, indent + cutColumns(rest, room)];
    }
    lines.push(indent + current);
    current = word;
  }
  return [...lines, indent + current];
}

/**
 * What an agent said, as indented lines of less than `columns`; null: of any length, nothing left out, for a file. Empty for
 * a text that says nothing.
 */
export function spokenLines(text: string, redactor: Redactor, columns: number | null): string[] {
  const whole = text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE)}\n…`;
  const lines = cleanText(redactor.redactText(whole).text)
    .replaceAll("\t", TAB)
    .split("\n")
    .map((line) => defuse(line.trimEnd()));
  // Empty lines hold apart what is said; at the ends and in a row they say nothing.
  const said = lines.filter(
    (line, i) => line !== "" || ((lines[i - 1] ?? "") !== "" && i < lines.length - 1),
  );
  if (columns === null) return said.map((line) => (line === "" ? "" : INDENT + cutText(line, MAX_LINE)));
  const laid = said.flatMap((line) => wrapLine(line, columns - 1 - INDENT.length));
  const shown =
    laid.length <= MOST_OF_MESSAGE
      ? laid
      : [...laid.slice(0, MOST_OF_MESSAGE - 1), `… ${laid.length - MOST_OF_MESSAGE + 1} more lines`];
  return shown.map((line) => (line === "" ? "" : INDENT + line));
}
