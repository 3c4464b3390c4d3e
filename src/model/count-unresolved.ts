// How many failures are open: one number for the summary, the renderings and the terminal, whatever the budget folded.
import type { FailedAttempt, HandoffPacket } from "./packet.js";

/** Under this name `omitted` counts the unresolved failure groups that only the remainder row stands for. */
export const FOLDED_UNRESOLVED = "failed_attempts.unresolved";

/** Unresolved groups of commands: the rows and those that are folded. */
export function countUnresolved(rows: readonly FailedAttempt[], folded: number): number {
  return rows.filter(({ kind, resolved }) => kind === "command" && !resolved).length + folded;
}

/** The same of a packet. */
export function unresolvedFailures({ failed_attempts, omitted }: HandoffPacket): number {
  return countUnresolved(failed_attempts, omitted[FOLDED_UNRESOLVED] ?? 0);
}
