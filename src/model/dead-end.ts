// What a dead end that a person wrote has as a row of failed_attempts: it is no command, so no exit, no lines, no output.
import type { FailedAttempt } from "./packet.js";

/** The fields of a `dead_end` row that are the same in all of them. Rows built from the state spell them in schema order. */
export const DEAD_END = {
  kind: "dead_end",
  exit_code: null,
  count: 1,
  lines: null,
  resolved: false,
  resolved_at_line: null,
  excerpt: null,
} as const satisfies Partial<FailedAttempt>;
