// Failed attempts in the order they are read: what fails, what was tried in vain, what is settled, the rest in numbers.
import type { FailedAttempt } from "../model/packet.js";

function failureRank({ kind, resolved }: FailedAttempt): number {
  return kind === "remainder" ? 3 : kind === "dead_end" ? 1 : resolved ? 2 : 0;
}

/** Sorted so; rows of one rank keep their order. */
export function orderFailures(rows: readonly FailedAttempt[]): FailedAttempt[] {
  return rows.toSorted((a, b) => failureRank(a) - failureRank(b));
}
