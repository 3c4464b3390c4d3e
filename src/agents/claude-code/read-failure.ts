// How a failed command ended, from the one text that Claude Code's PostToolUseFailure and its transcripts have (A7).

/** What the text tells. */
export interface Failure {
  /** null: it ended without an exit status of its own. */
  readonly exit_code: number | null;
  /** Why there is none. */
  readonly error: string | null;
  /** What the command said, both streams in one. */
  readonly output: string;
}

/** Measured with 2.1.332: `Exit code 3\nout\nerr`, `Exit code 1` (nothing said). */
const EXIT = /^Exit code (-?\d{1,10})(?:\r?\n|$)/u;
/** Measured with background tasks off: `Exit code 143\nCommand timed out after 1s\nPARTIAL`. 143 is Claude Code's own SIGTERM. */
const TIMED_OUT = /^Command timed out after [^\r\n]{1,40}/u;
/** What stands in the place of an exit code when nothing ran, or was told to stop. */
const DENIED = /\b(?:denied|permission|not allowed|blocked|rejected|doesn't want to proceed)\b/iu;

/** An interrupt, a time-out and a denial have no exit status: `error` says which it was. */
export function readFailure(text: string, isInterrupt: boolean): Failure {
  const exit = EXIT.exec(text);
  const output = exit === null ? text : text.slice(exit[0].length);
  if (isInterrupt) return { exit_code: null, error: "interrupted", output };
  const timeout = TIMED_OUT.exec(output);
  if (timeout !== null && (exit === null || exit[1] === "143" || exit[1] === "137"))
    return {
      exit_code: null,
      error: `timeout: ${timeout[0]}`,
      output: output.slice(timeout[0].length).trimStart(),
    };
  if (exit !== null) return { exit_code: Number(exit[1]), error: null, output };
  const first = text.trim().split("\n", 1)[0] ?? "";
  const why = first === "" ? "it ended without an exit status" : first;
  return { exit_code: null, error: DENIED.test(first) ? `denied: ${why}` : why, output: text };
}
