// What of a failed command's output shows why it failed (P16). Language-neutral: looks at shape and place, never at words.
import type { FeedbackRecord } from "../model/feedback.js";
import { cleanLine, cleanText } from "../text/clean.js";

const HEAD_LINES = 4;
const TAIL_LINES = 14;

/** The text a terminal would show: of a line redrawn with carriage returns only the last drawing counts. */
function settleCarriageReturns(text: string): string {
  if (!text.includes("\r")) return text;
  return text
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => line.split("\r").findLast((part) => part.trim() !== "") ?? "")
    .join("\n");
}

/** Repeated lines become one with a count; blank lines go. */
function squeeze(lines: readonly string[]): string[] {
  const kept: { line: string; times: number }[] = [];
  for (const raw of lines) {
    const line = raw.trimEnd();
    if (line.trim() === "") continue;
    const last = kept.at(-1);
    if (last?.line === line) last.times += 1;
    else kept.push({ line, times: 1 });
  }
  return kept.map(({ line, times }) => (times === 1 ? line : `${line}  (x${times})`));
}

/** Recorders keep short tails; of a longer one the end is what counts, and cleaning it all would cost more than it tells. */
const OUTPUT_CHARACTERS = 8192;

/** A stack frame: nothing but a place, `… file:line:column)`. The line above the frames says what went wrong. */
const FRAME = /:\d+(?::\d+)?\)?$/u;

/** A line that names what was thrown, as runtimes of many languages print it: `TypeError: …`, `a.b.SomeException: …`. */
const THROWN = /^.{0,60}?(?<![\p{L}\d_$])[\p{L}_$][\p{L}\d_$]*(?:Error|Exception)(?: \[[^\]]{1,40}\])?: +\S/u;
/** The same without a name of its own. */
const BARE_THROWN = /^\W{0,8}(?:\p{L}+ )?(?:Error|Exception): +\S/u;
/** A place and what is wrong there: `src/a.c:3:5: …`, `src/a.ts(3,5): …`. */
const AT_PLACE =
  /^\s*[^\s:()]*[./\\][^\s:()]*(?::\d+(?::\d+)?:|\(\d+(?:,\d+)?\):) (?![\w.]*(?:Error|Exception)$).*\p{L}{2}/u;
/** Says nothing of the reason: a sum at the end (`1 problem`, `12 passing (3s)`), a rule with a title in it, a program's version. */
const CLOSING = /^\W*\d+ \p{L}|^\s*([=\-_*#~])\1{2,}.*\1{3,}$|^\s*\S+ v?\d+(?:\.\d+)+$/u;

/**
 * The line that says why. What was thrown, or what is wrong at which place, stands above stack frames, sums and versions;
 * where nothing has that shape, the last line with words in it.
 */
function causeOf(lines: readonly string[]): string {
  const worded = lines.filter((line) => /\p{L}{2}/u.test(line));
  const said = worded.filter((line) => !FRAME.test(line));
  return (
    said.findLast((line) => THROWN.test(line) || BARE_THROWN.test(line)) ??
    said.findLast((line) => AT_PLACE.test(line)) ??
    said.findLast((line) => !CLOSING.test(line)) ??
    said.at(-1) ??
    worded.at(-1) ??
    ""
  );
}

/** Takes the common indentation away. */
function dedent(lines: readonly string[]): string[] {
  const common = Math.min(...lines.map((line) => line.length - line.trimStart().length));
  return lines.map((line) => line.slice(common));
}

function linesOf(output: string): string[] {
  return squeeze(cleanText(settleCarriageReturns(output.slice(-OUTPUT_CHARACTERS))).split("\n"));
}

function shorten(lines: readonly string[]): string | null {
  if (lines.length === 0) return null;
  if (lines.length <= HEAD_LINES + TAIL_LINES + 1) return lines.join("\n");
  const left = lines.length - HEAD_LINES - TAIL_LINES;
  return [...lines.slice(0, HEAD_LINES), `… ${left} lines left out …`, ...lines.slice(-TAIL_LINES)].join(
    "\n",
  );
}

/**
 * What a failing record tells: `excerpt`, the first and last lines of stderr, else of stdout, with the lines between
 * counted; `why`, one line: the recorder's own error, else the line of output that says the reason, with the agent's note
 * after it. Either is null when there is nothing to say.
 */
export function explainFailure(record: FeedbackRecord): { why: string | null; excerpt: string | null } {
  const stderr = linesOf(record.stderr_tail);
  const lines = stderr.length > 0 ? stderr : linesOf(record.stdout_tail);
  const cause = cleanLine(record.error ?? "") || cleanLine(causeOf(lines));
  const note = cleanLine(record.note ?? "");
  const why =
    cause === "" ? (note === "" ? null : `note: ${note}`) : note === "" ? cause : `${cause} (note: ${note})`;
  return { why, excerpt: shorten(dedent(lines)) };
}
