// The loop (R14-R29): turns run, their signals become events, the table decides, its effects are carried out. Every step is
// written down before its effects begin, so that a killed run goes on where it stood.
import { UsageError } from "../model/errors.js";
import type { RunStatus } from "../model/run-ledger.js";
import type { Workbench } from "../session/open-workbench.js";
import { claimRun } from "./claim-run.js";
import { beginRun } from "./decide-run.js";
import { endLeftovers } from "./end-leftovers.js";
import { PATIENCE } from "./patience.js";
import { carryOut } from "./job-effects.js";
import { publishLast } from "./job-packets.js";
import { apply, changeRow, dispatch, endWithError, persist } from "./job-steps.js";
import { tell, tellEnded, warn } from "./job-telling.js";
import { currentOf, endRun } from "./ledger-steps.js";
import { openForRequests } from "./open-for-requests.js";
import { refuseNested } from "./refuse-nested.js";
import { resumeRun } from "./resume-run.js";
import type { FoundRun } from "./run-folder.js";
import { createJob, type RunBeginning, type RunJob, timeOf, windowOf } from "./run-job.js";
import type { RunStop } from "./run-memory.js";
import type { RunEnd, RunPorts } from "./run-options.js";
import { type StopRule, STOP_EXITS } from "./run-state.js";
import { stopMessage } from "./stop-message.js";
import { readWindows } from "./window-memory.js";

export type { RunBeginning } from "./run-job.js";

/** Endings that leave a session behind which no packet speaks of yet. */
const LAST_PACKET: ReadonlySet<string> = new Set<StopRule>(["done", "attempts", "agent_failed"]);
const STATUS_OF_EXIT: Readonly<Record<RunStop["exit"], RunStatus>> = {
  0: "done",
  1: "stopped",
  2: "failed",
  3: "failed",
  130: "interrupted",
};

function isStopRule(rule: string): rule is StopRule {
  return Object.hasOwn(STOP_EXITS, rule);
}

function refusePause({ plan, ports }: RunJob, isNew: boolean): void {
  if (!plan.limits.pause || ports.pause !== undefined) return;
  throw new UsageError(
    "run.no_pause",
    "nobody can be waited for here",
    isNew ? "leave --pause out, or run it in a terminal" : "it was begun with --pause: go on in a terminal",
  );
}

/** Goes on where an earlier runner stood (R27). */
async function resume(job: RunJob, { memory, warning }: FoundRun): Promise<void> {
  if (warning !== null) warn(job, "run.ledger_set_aside", warning);
  const patience = job.ports.patience ?? PATIENCE;
  const left = await endLeftovers({ runId: job.id, child: memory.child, own: job.own, patience });
  if (left.ended > 0)
    warn(job, "run.leftovers", `ended what the run had left behind, processes: ${left.ended}`);
  if (left.doubtful !== null)
    warn(job, "run.doubtful", `process ${left.doubtful} may still be the agent of this run: look at it`);
  // Killed after the job was done, before that was on record.
  if (memory.end?.rule === "done") {
    job.end = memory.end;
    return;
  }
  const { state } = job;
  const row = currentOf(job.ledger);
  const isRetired = state.session_id !== null && job.ledger.retired.includes(state.session_id);
  job.ledger = { ...job.ledger, status: "running" };
  if (row?.generation === state.generation) {
    job.session.model = row.model;
    job.session.window = row.window_source === "agent" ? row.window : null;
    job.session.isAnnounced = row.session_id !== null;
    if (!isRetired) changeRow(job, { ended_at: null });
  }
  job.windows = await readWindows(job.workbench.root);
  apply(job, resumeRun(state, { isRetired, hasReply: job.reply !== null }));
}

/** Writes down and carries out until the end, an error or the second Ctrl-C. */
async function work(job: RunJob, killed: Promise<void>): Promise<void> {
  const { kill } = job.ports;
  while (job.bug === null && job.endMessage === null && !kill.aborted) {
    if (job.isChanged) {
      job.isChanged = false;
      await persist(job).catch((error: unknown) => endWithError(job, error));
      continue;
    }
    const effect = job.queue.shift();
    if (effect !== undefined) {
      await Promise.race([carryOut(job, effect), killed]).catch((error: unknown) => endWithError(job, error));
      continue;
    }
    if (job.end !== null) return;
    await new Promise<void>((resolve) => {
      job.wake = resolve;
    });
  }
  if (kill.aborted) job.end = { rule: "signal", exit: STOP_EXITS.signal };
}

/** The end on record, and told. */
async function finish(job: RunJob): Promise<RunEnd> {
  const { rule, exit } = job.end ?? { rule: "agent_failed", exit: STOP_EXITS.agent_failed };
  const status = STATUS_OF_EXIT[exit];
  if (LAST_PACKET.has(rule)) await publishLast(job, rule === "done");
  await job.noting;
  const isOpen = currentOf(job.ledger)?.ended_at === null;
  job.ledger = endRun(job.ledger, status, timeOf(job));
  if (isOpen) tellEnded(job);
  const written = await persist(job).then(
    () => null,
    (error: unknown) => error,
  );
  if (written !== null && job.endMessage === null) {
    endWithError(job, written);
    return finish(job);
  }
  const facts = { state: job.state, window: windowOf(job), run_id: job.id, error: job.lastError };
  const message = job.endMessage ?? (isStopRule(rule) ? stopMessage(rule, facts) : null);
  tell(job, { event: "run_ended", at: timeOf(job), status, rule, exit, message: message?.what ?? null });
  const isHandoff = rule === "operator" && job.state.operator === "begun";
  const handoff = isHandoff ? job.published : null;
  return { run_id: job.id, status, exit, rule, message, ledger: job.ledger, state: job.state, handoff };
}

/**
 * Runs a job to its end across sessions. `open` opens the workbench; it is called again for every packet and brief, since the
 * branch may have changed. What goes wrong with files or packets on the way is an end like any other (exit 1 or 2, with its
 * message). Throws UsageError before anything is started: inside another run, for a run that is being run, for a pause
 * without anybody to wait for. Rejects with anything else only for a fault of ours; then the agent is gone, too.
 */
export async function runRotation(
  open: () => Promise<Workbench>,
  beginning: RunBeginning,
  ports: RunPorts,
): Promise<RunEnd> {
  refuseNested(ports.env);
  const job = await createJob(open, beginning, ports);
  const found = "found" in beginning ? beginning.found : null;
  if (found?.memory.ledger.status === "done") {
    const { ledger, state } = job;
    // Its runner may have been killed between the two files: the ledger for everybody says the same then.
    await job.files.write(found.memory).catch(() => undefined);
    return {
      run_id: job.id,
      status: "done",
      exit: 0,
      rule: "done",
      message: null,
      ledger,
      state,
      handoff: null,
    };
  }
  refusePause(job, found === null);
  if (found !== null) await claimRun(job, found, (code, what) => warn(job, code, what));

  const onStop = (): void => dispatch(job, { kind: "stop_asked", by: "signal" });
  let onKill = (): void => undefined;
  const killed = new Promise<void>((resolve) => {
    onKill = () => {
      job.turnKill.abort();
      job.wake();
      resolve();
    };
  });
  ports.stop.addEventListener("abort", onStop);
  ports.kill.addEventListener("abort", onKill);
  try {
    if (found === null) {
      tell(job, { event: "run_started", at: timeOf(job), task: job.ledger.task });
      apply(job, beginRun(job.state));
    } else await resume(job, found);
    if (ports.stop.aborted) onStop();
    await openForRequests(job);
    await work(job, killed);
    job.turnStop.abort();
    await job.turn;
    if (job.bug !== null) throw job.bug.error;
    return await finish(job);
  } finally {
    ports.stop.removeEventListener("abort", onStop);
    ports.kill.removeEventListener("abort", onKill);
    job.turnKill.abort();
  }
}
