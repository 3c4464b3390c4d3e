// Opens a run for a person's requests (O3).
import { operatorFailed } from "./job-operator.js";
import { dispatch, persist } from "./job-steps.js";
import { showProgress, tell } from "./job-telling.js";
import { type RunJob, timeOf } from "./run-job.js";

/** Requests are taken from now on: the run is on record, so that what is asked of it can be, too. Never rejects. */
export async function openForRequests(job: RunJob): Promise<void> {
  const { operator } = job.ports;
  if (operator === undefined) return;
  const isWritten = await persist(job).then(
    () => true,
    () => false,
  );
  // What cannot be written ends the run as soon as it works.
  if (!isWritten) return;
  try {
    await operator.begin({
      run_id: job.id,
      workbench: job.workbench,
      ask: () => dispatch(job, { kind: "handoff_asked" }),
      force: () => dispatch(job, { kind: "handoff_forced" }),
      withdraw: () => dispatch(job, { kind: "handoff_withdrawn" }),
      tell: (change) => tell(job, { event: "handoff", at: timeOf(job), ...change }),
      changed: () => showProgress(job),
    });
  } catch (error) {
    operatorFailed(job, error);
  }
}
