// What an earlier start of the run left unfinished is finished before a new one begins (O9): its partial work goes onto its branch,
// effects on record are carried out, its request gets its one answer. One that is finalized is told again as it was.
import { readAttempts, type AttemptPlace } from "./attempt-files.js";
import type { AttemptRecord } from "./attempt-record.js";
import { finalizeAttempt, type FinalizePorts } from "./finalize-attempt.js";

/** The ports for one attempt. */
export type PortsOf = (record: AttemptRecord) => Promise<FinalizePorts>;

/** What was found. */
export interface Reconciled {
  readonly record: AttemptRecord;
  /** False: it was as it should be. */
  readonly changed: boolean;
}

/**
 * Goes through the attempts of a run, oldest first. Twice is once. Only for a run that nobody runs any more. Throws RefusalError
 * `attempt.unreadable`, and what cannot be written.
 */
export async function reconcileAttempts(
  place: AttemptPlace,
  runId: string,
  portsOf: PortsOf,
): Promise<Reconciled[]> {
  const found: Reconciled[] = [];
  for (const before of await readAttempts(place, runId)) {
    const record = await finalizeAttempt(before, await portsOf(before), { isRecovery: true });
    found.push({ record, changed: record !== before });
  }
  return found;
}
