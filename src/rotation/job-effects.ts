// What the table asks for, carried out. An effect that was overtaken by a later event (a stop, above all) is passed over.
import { beginSession, askSession, continueSession } from "./job-turns.js";
import { promptOf, publish } from "./job-packets.js";
import { dispatch, endWithError, persist } from "./job-steps.js";
import { calibrateWindow } from "./overflow-window.js";
import { agentOf, newSession, type RunJob } from "./run-job.js";
import type { RunEffect, RunPhase } from "./run-state.js";
import { readWindows, rememberWindow, windowKey } from "./window-memory.js";

async function startSession(job: RunJob, generation: number): Promise<void> {
  const isWanted = (): boolean =>
    job.state.phase === "working" && job.state.generation === generation && job.state.session_id === null;
  job.session = newSession(job.state.failed_tries > 0 ? job.session.warned : []);
  job.windows = await readWindows(job.workbench.root);
  try {
    const prompt = await promptOf(job, generation);
    // The row of this generation and its brief, before there is a process.
    await persist(job);
    if (isWanted()) beginSession(job, prompt);
  } catch (error) {
    endWithError(job, error);
  }
}

/** R13: what the overflow showed is remembered for this agent, endpoint and model. */
async function calibrate(job: RunJob): Promise<void> {
  const window = calibrateWindow({ message: job.lastError ?? "", context: job.state.readings.context });
  if (window === null) return;
  const key = windowKey(agentOf(job), job.session.model, job.ports.env);
  await rememberWindow(job.workbench.root, key, window);
}

function wait(job: RunJob): void {
  job.waitStop = new AbortController();
  const early = AbortSignal.any([job.ports.stop, job.waitStop.signal]);
  void job.ports.sleep(job.nextDelay, early).then(() => dispatch(job, { kind: "wait_over" }));
}

function pause(job: RunJob): void {
  const released = job.ports.pause?.() ?? Promise.resolve();
  released.then(
    () => dispatch(job, { kind: "released" }),
    // Nobody there to let the successor start.
    () => dispatch(job, { kind: "stop_asked", by: "operator" }),
  );
}

/** Carries one out. Rejects only for a fault of ours. */
export async function carryOut(job: RunJob, effect: RunEffect): Promise<void> {
  const isIn = (phase: RunPhase): boolean => job.state.phase === phase;
  switch (effect.kind) {
    case "start_session":
      await job.turn;
      if (isIn("working")) await startSession(job, effect.generation);
      break;
    case "continue_session":
      await job.turn;
      if (isIn("working")) continueSession(job);
      break;
    case "ask":
      await job.turn;
      if (isIn("writing")) askSession(job);
      break;
    case "publish":
      if (isIn("publishing")) await publish(job, effect);
      break;
    case "calibrate":
      await calibrate(job);
      break;
    case "wait":
      if (isIn("waiting")) wait(job);
      break;
    case "pause":
      if (isIn("pausing")) pause(job);
      break;
    case "interrupt":
    case "kill":
    case "tell":
    case "warn":
    case "report":
    case "stop":
      // Taken at once, with the transition itself.
      break;
  }
}
