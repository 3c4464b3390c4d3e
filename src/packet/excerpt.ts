// What of a failed command's output shows why it failed (P16). Language-neutral: looks at shape and place, never at words.
import type { FeedbackRecord } from "../model/feedback.js";
import { cleanLine, cleanText } from "../text/clean.js";

const HEAD_LINES = 4;
const TAIL_LINES = 14;

/** The text a terminal would show: of a line redrawn with carriage returns only the last drawing counts. */
function settleCarriageReturns(text: string): string {
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
 * counted; `why`, one line: the recorder's own error, else the last line of output that has words in it and is
 * not a stack frame, with the agent's note after it. Either is null when there is nothing to say.
 */
export function explainFailure(record: FeedbackRecord): { why: string | null; excerpt: string | null } {
  const stderr = linesOf(record.stderr_tail);
  const lines = stderr.length > 0 ? stderr : linesOf(record.stdout_tail);
  const worded = lines.filter((line) => /\p{L}{2}/u.test(line));
  const fromOutput = worded.findLast((line) => !FRAME.test(line)) ?? worded.at(-1) ?? "";
  const cause = cleanLine(record.error ?? "") || cleanLine(fromOutput);
  const note = cleanLine(record.note ?? "");
  const why =
    cause === "" ? (note === "" ? null : `note: ${note}`) : note === "" ? cause : `${cause} (note: ${note})`;
  return { why, excerpt: shorten(dedent(lines)) };
}
