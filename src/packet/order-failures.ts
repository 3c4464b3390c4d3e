// Failed attempts in the order they are read: what fails, what only found nothing or was cut short, what was tried in vain,
// what is settled, the rest in numbers.
import type { FailedAttempt } from "../model/packet.js";
import { weighFailure } from "./failing-work.js";

function failureRank(attempt: FailedAttempt): number {
  const { kind, resolved } = attempt;
  if (kind === "remainder") return 4;
  if (kind === "dead_end") return 2;
  if (resolved) return 3;
  return weighFailure(attempt) === "work" ? 0 : 1;
}

/** Sorted so; rows of one rank keep their order. */
export function orderFailures(rows: readonly FailedAttempt[]): FailedAttempt[] {
  return rows.toSorted((a, b) => failureRank(a) - failureRank(b));
}
