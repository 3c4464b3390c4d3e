// What an agent's signals mean for its run (R4-R8, R25, R29): readings and windows become events, commands and edits are
// recorded, the rest goes into the ledger.
import type { AgentSignal } from "../agents/driver.js";
import type { WindowSource } from "../model/run-ledger.js";
import { recordConsumption } from "../store/record-consumption.js";
import { foldReading } from "./decide.js";
import { chooseWindow, windowWords } from "./choose-window.js";
import { changeRow, dispatch, noteChange } from "./job-steps.js";
import { errorWords, showProgress, tell, warn } from "./job-telling.js";
import { currentOf } from "./ledger-steps.js";
import { lineOf } from "./line-of.js";
import { recordSession, sessionName } from "./record-session.js";
import { agentOf, type RunJob, timeOf } from "./run-job.js";
import { windowKey } from "./window-memory.js";

/** Sources that a better one may still follow, later in the same turn. */
const PROVISIONAL: ReadonlySet<WindowSource> = new Set(["model_name", "calibration", "unknown"]);

/** Once in a session. */
function warnOnce(job: RunJob, code: string, what: string): void {
  const { warned } = job.session;
  if (!warned.has(what)) warn(job, code, what);
  warned.add(what);
}

/** What is known of the window now; null when nothing new. Dispatched as soon as it changes, said aloud when it counts. */
function learnWindow(job: RunJob, isSettled: boolean): void {
  const { session, plan, ports, workbench } = job;
  const agent = agentOf(job);
  const chosen = chooseWindow({
    option: plan.window,
    env: ports.env,
    modelVariables: agent.driver.modelVariables,
    config: workbench.config.rotation?.window,
    agent: session,
    calibration: job.windows[windowKey(agent, session.model, ports.env)],
  });
  const line = lineOf(chosen.window, plan, agent.driver, chosen.source);
  const before = currentOf(job.ledger);
  changeRow(job, {
    model: session.model ?? before?.model ?? null,
    window: chosen.window,
    window_source: chosen.source,
  });
  // A better source may follow: until then nothing is said of a worse one.
  if (isSettled || !PROVISIONAL.has(chosen.source)) {
    const told = chosen.warnings.map((one) => ({ code: one.code, what: windowWords(one) }));
    for (const { code, what } of [...told, ...line.warnings]) warnOnce(job, code, what);
    announce(job);
  }
  const { thresholds } = job.state;
  if (thresholds?.at !== line.thresholds?.at || thresholds?.warn_at !== line.thresholds?.warn_at)
    dispatch(job, { kind: "window", thresholds: line.thresholds });
  else showProgress(job);
}

function announce(job: RunJob): void {
  const row = currentOf(job.ledger);
  if (job.session.isAnnounced || row === null || row.session_id === null) return;
  job.session.isAnnounced = true;
  const { model, window, window_source } = row;
  tell(job, { event: "generation_started", at: timeOf(job), model, window, window_source });
}

/** The session works, or has ended: nothing better about its window is to be expected. */
export function settleWindow(job: RunJob): void {
  if (!job.session.isAnnounced) learnWindow(job, true);
}

/** Who took the packet is known once the successor has a name (S8). */
async function noteTaker(job: RunJob, packetId: string, by: string): Promise<void> {
  const { root, outDir, templates } = job.workbench;
  try {
    await recordConsumption({ root, outDir, templates, packetId, by, at: timeOf(job) });
  } catch (error) {
    warn(job, "run.not_taken", `the store does not say who took the packet: ${errorWords(error)}`);
  }
  if (job.brief === packetId) job.brief = null;
  noteChange(job);
}

/** Begins to record the session at work, unless that was done. */
export function recordAtWork(job: RunJob): void {
  const { session, state, ports, plan, workbench } = job;
  if (session.recorder !== null || state.session_id === null) return;
  session.recorder = recordSession(workbench, {
    session_id: state.session_id,
    agent: agentOf(job).driver.name,
    model: session.model,
    task: plan.task,
    now: ports.now,
    onFault: (error) => warnOnce(job, "run.not_recorded", `not everything is recorded: ${errorWords(error)}`),
  });
  if (session.recorder.name !== state.session_id)
    warn(
      job,
      "run.session_renamed",
      `the session id cannot name a folder: its records and packets are those of ${session.recorder.name}`,
    );
}

/** The agent said which session it is: from here on there is somebody to ask, and a folder to record into. */
function learnSession(job: RunJob, id: string, model: string | null): void {
  const { session } = job;
  session.model = model ?? session.model;
  if (id !== job.state.session_id) {
    // The same session under another name: what is on record under this one belongs to it, too.
    recordAtWork(job);
    if (session.recorder !== null) session.earlier.push(session.recorder);
    session.recorder = null;
    changeRow(job, { session_id: id });
    dispatch(job, { kind: "session", session_id: id });
  }
  recordAtWork(job);
  learnWindow(job, false);
  // Also the first time that a resumed run hears of it: the one before may have died over it.
  if (job.brief !== null && !session.isTaking) {
    session.isTaking = true;
    job.noting = noteTaker(job, job.brief, sessionName(id, job.workbench));
  }
}

function takeReading(job: RunJob, context: number, isFinal: boolean): void {
  settleWindow(job);
  job.session.lastReading = context;
  const message = { context, main_thread: true };
  // With nothing left to cut it is counted, and nothing is decided by it.
  if (isFinal) job.state = { ...job.state, readings: foldReading(job.state.readings, message) };
  else dispatch(job, { kind: "reading", ...message });
  changeRow(job, { context: job.state.readings.context });
}

/** Takes one signal of the turn at work. */
export function takeSignal(job: RunJob, signal: AgentSignal): void {
  const { session, ports } = job;
  switch (signal.kind) {
    case "session":
      learnSession(job, signal.session_id, signal.model);
      break;
    case "window":
      if (session.window !== signal.window) {
        session.window = signal.window;
        learnWindow(job, false);
      }
      break;
    case "reading":
      takeReading(job, signal.used_tokens, signal.final);
      break;
    case "command":
      job.commands += 1;
      if (signal.command.exit_code !== 0) job.failures += 1;
      session.recorder?.command(signal.command);
      showProgress(job);
      break;
    case "edit":
      session.recorder?.edit(signal.edit);
      break;
    case "text":
      if (job.state.phase === "working") ports.onText?.(signal.text);
      break;
    case "compacted":
      if (job.plan.compact !== "auto") dispatch(job, { kind: "compacting" });
      break;
    case "cost": {
      // A running total over resumed turns: the newest is all of it (R26).
      const before = currentOf(job.ledger)?.cost_usd ?? 0;
      changeRow(job, { cost_usd: Math.max(before, signal.total_usd) });
      showProgress(job);
      break;
    }
    case "notice":
      warnOnce(job, "agent.notice", job.workbench.redactor.redactText(signal.text).text);
      break;
    case "result":
      settleWindow(job);
      if (signal.turns !== null)
        changeRow(job, { turns: (currentOf(job.ledger)?.turns ?? 0) + signal.turns });
      break;
    case "torn":
    case "unknown":
      // Counted by the turn.
      break;
  }
}
