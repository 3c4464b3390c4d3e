// How a run changes: events go through the table one at a time, and the ledger changes together with the state, so that a
// run killed in between is whole either way (R27).
import { HandoffError } from "../model/errors.js";
import type { RunGeneration } from "../model/run-ledger.js";
import { decideRun } from "./decide-run.js";
import { report } from "./job-operator.js";
import { showProgress, tellOf, warn } from "./job-telling.js";
import { beginGeneration, changeCurrent } from "./ledger-steps.js";
import { agentOf, type RunJob, timeOf } from "./run-job.js";
import type { RunEffect, RunEvent } from "./run-state.js";
import type { Transition } from "./run-steps.js";

/** Writes the run down. Throws UsageError for what the system refuses. */
export function persist({
  plan,
  state,
  ledger,
  own,
  child,
  reply,
  brief,
  commands,
  failures,
  end,
  files,
}: RunJob): Promise<void> {
  const counts = { commands, failures };
  return files.write({ plan, state, ledger, runner: own, child, reply, brief, counts, end });
}

/** Something changed that a resumed run needs. */
export function noteChange(job: RunJob): void {
  job.isChanged = true;
  job.wake();
}

/** Changes the ledger's row at work. Written down with the next step, or at once by {@link noteChange}. */
export function changeRow(job: RunJob, change: Partial<RunGeneration>): void {
  job.ledger = changeCurrent(job.ledger, change);
}

/** An end that no rule of the run has words for. The first one stays. */
export function endWithError(job: RunJob, error: unknown): void {
  job.turnStop.abort();
  if (!(error instanceof HandoffError)) job.bug ??= { error };
  else if (job.endMessage === null) {
    const exit = error.exitCode === 1 ? 1 : 2;
    const { message, place, hint } = error;
    const what = place === null ? message : `${message} (${place.path})`;
    job.end = { rule: error.code, exit };
    // Not even begun, it is begun again.
    const then = job.files.isWritten() ? `then handoff run --resume ${job.id}` : "then start it again";
    job.endMessage = { code: error.code, what, hint: `${hint}; ${then}` };
  }
  noteChange(job);
}

/** What cannot wait, and what belongs to the state itself, happens at once; the rest is carried out in order. */
function take(job: RunJob, effect: RunEffect): void {
  switch (effect.kind) {
    case "interrupt":
      job.turnStop.abort();
      break;
    case "kill":
      job.turnKill.abort();
      break;
    case "tell":
      tellOf(job, effect.event);
      break;
    case "warn": {
      const { readings, thresholds } = job.state;
      const line = thresholds === null ? "" : `, above the line of ${thresholds.at}`;
      warn(job, `run.${effect.code}`, `this session began at ${readings.first ?? 0} tokens${line}`);
      break;
    }
    case "report":
      report(job, effect.step);
      break;
    case "stop":
      job.end ??= { rule: effect.rule, exit: effect.exit };
      break;
    case "start_session":
      job.ledger = beginGeneration(job.ledger, effect.generation, agentOf(job).driver.name, timeOf(job));
      job.queue.push(effect);
      break;
    case "continue_session":
    case "ask":
    case "publish":
    case "calibrate":
    case "wait":
    case "pause":
      job.queue.push(effect);
      break;
  }
}

/** Takes a transition over. */
export function apply(job: RunJob, { state, effects }: Transition): void {
  const before = job.state;
  job.state = state;
  // A try that is waited for and does not come any more.
  if (before.phase === "waiting" && state.phase !== "waiting") job.waitStop.abort();
  for (const effect of effects) take(job, effect);
  const isStep =
    effects.length > 0 ||
    state.phase !== before.phase ||
    state.session_id !== before.session_id ||
    state.thresholds !== before.thresholds;
  showProgress(job);
  if (isStep) noteChange(job);
}

/** One event through the table. One that is told while another is being taken waits for it. */
export function dispatch(job: RunJob, event: RunEvent): void {
  job.inbox.push(event);
  if (job.isDeciding) return;
  job.isDeciding = true;
  try {
    for (let next = job.inbox.shift(); next !== undefined; next = job.inbox.shift())
      apply(job, decideRun(job.state, next));
  } finally {
    job.isDeciding = false;
  }
}
