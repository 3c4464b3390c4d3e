// The run that `handoff now` speaks to: the one that is named, else the one that is at work here (O1).
import { findRequest, isKnownRun, runAtWork, type RunAtWork, runsAtWork } from "../../operator/find-runs.js";
import { crashWords } from "../../operator/decide-request.js";
import { noAttempt, requestOf } from "../../operator/request-book.js";
import { readRequests } from "../../operator/request-file.js";
import { isOver, type RequestRecord } from "../../operator/request-record.js";
import { RefusalError, UsageError } from "../../model/errors.js";
import type { Workbench } from "../../session/open-workbench.js";

/** What is asked of whom. */
export interface Target {
  readonly runId: string | null;
  /** As it was given; null: it is a new one. */
  readonly requestId: string | null;
}

/** A run that can be spoken to, or what is on record of the request. */
export type Found =
  | { readonly kind: "at_work"; readonly run: RunAtWork }
  | { readonly kind: "on_record"; readonly run_id: string; readonly request: RequestRecord };

/** A request as it stands now that its runner is gone: over, also where nobody has written that down yet (O9). */
export function withoutRunner(request: RequestRecord): RequestRecord {
  return isOver(request)
    ? request
    : { ...request, state: "not_fulfilled", why: { reason: "crashed", what: crashWords(request) } };
}

async function named(workbench: Workbench, runId: string, requestId: string | null): Promise<Found> {
  const run = await runAtWork(workbench, runId);
  if (run !== null) return { kind: "at_work", run };
  if (!(await isKnownRun(workbench, runId)))
    throw new UsageError(
      "run.missing",
      `there is no run ${runId}`,
      "a run's id is told when it starts; the store's runs folder has them all",
    );
  const known = requestId === null ? null : requestOf(await readRequests(workbench, runId), requestId);
  if (known !== null) return { kind: "on_record", run_id: runId, request: withoutRunner(known) };
  const { code, what, hint } = noAttempt(runId);
  throw new RefusalError(code, what, hint);
}

/**
 * Finds it. Throws UsageError for a run that is none (`run.missing`) and for several at work (`now.several_runs`), RefusalError
 * where none is at work (`now.no_run`, `request.no_attempt`).
 */
export async function findTarget(workbench: Workbench, { runId, requestId }: Target): Promise<Found> {
  if (runId !== null) return named(workbench, runId, requestId);
  // An id that was kept may be of a run that is over.
  const known = requestId === null ? null : await findRequest(workbench, requestId);
  if (known !== null) {
    const { run_id } = known;
    const run = await runAtWork(workbench, run_id);
    if (run !== null) return { kind: "at_work", run };
    // Read anew: what the run said last it said before it was gone, and perhaps after the first look.
    const last = requestOf(await readRequests(workbench, run_id), known.request.request_id);
    return { kind: "on_record", run_id, request: withoutRunner(last ?? known.request) };
  }
  const all = await runsAtWork(workbench);
  const [run, another] = all;
  if (run === undefined)
    throw new RefusalError(
      "now.no_run",
      "no run is at work here: there is nobody to hand over",
      "handoff brief has the active packet; handoff run --resume RUN_ID goes on with a run that was stopped",
    );
  if (another !== undefined)
    throw new UsageError(
      "now.several_runs",
      `${all.length} runs are at work here: ${all.map(({ run_id }) => run_id).join(", ")}`,
      `say which: handoff now --run ${run.run_id}`,
    );
  return { kind: "at_work", run };
}
