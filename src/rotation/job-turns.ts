// Turns of a run and what their ends mean (R10-R16, R18, R22).
import { randomUUID } from "node:crypto";
import type { CompactMode } from "../agents/driver.js";
import { HOOK_SPEECHES } from "../agents/registry.js";
import { identityOf } from "../io/process-identity.js";
import type { RunError } from "../model/run-ledger.js";
import { RUN_VARIABLE } from "../recorder/recorder.js";
import { classifyError, type ErrorClass } from "./classify-error.js";
import { operatorWritingMs } from "./job-operator.js";
import { takeSignal } from "./job-signals.js";
import { apply, changeRow, dispatch, endWithError, noteChange } from "./job-steps.js";
import { tell, warn } from "./job-telling.js";
import { noteError } from "./ledger-steps.js";
import { parseSections, whyUnusable } from "./parse-sections.js";
import { loseSession } from "./resume-run.js";
import { retryDelay } from "./retry-delay.js";
import { agentOf, type RunJob, timeOf, windowOf } from "./run-job.js";
import type { RunPlan } from "./run-options.js";
import { runTurn, type TurnOutcome } from "./run-turn.js";
import { isSilentOverflow } from "./silent-overflow.js";
import { writingPrompt } from "./writing-prompt.js";

const WRITING_MS = 300_000;
/** Longest text of an error that is kept, in UTF-16 units. */
const MAX_ERROR = 2000;
const MAX_DETAIL = 300;

const GO_ON =
  "Your last turn broke off before it was through. Go on with the job from where it stopped: look at what is already done first, and do nothing twice.";

/** Says which session a command belongs to, and would be ours or another agent's: none of the new one's business. */
const FOREIGN = new Set(["HANDOFF_SESSION_ID", ...HOOK_SPEECHES.flatMap((one) => one.sessionVariables)]);

function environmentOf({ ports, id }: RunJob): Record<string, string | undefined> {
  const own = Object.entries(ports.env).filter(([name]) => !FOREIGN.has(name));
  return { ...Object.fromEntries(own), [RUN_VARIABLE]: id };
}

/** Why a turn failed, in its own words, else in ours. */
function failureWords({ result, exit }: TurnOutcome): string {
  const told = result.error?.text.trim() ?? "";
  if (told !== "") return told;
  if (result.outcome === "done") return "the context is full";
  return `the agent ended without a word (${exit.signal ?? `exit ${exit.code}`})`;
}

/** What a turn's end means; null: no failure (R10-R13). */
function verdictOf(job: RunJob, { result, exit, start_failed }: TurnOutcome): ErrorClass | null {
  if (start_failed !== null) return "fatal";
  if (result.outcome === "interrupted") return null;
  const window = windowOf(job);
  const { stop_reason, error } = result;
  const { lastReading } = job.session;
  const usage = { input_tokens: lastReading, output_tokens: result.is_empty ? 0 : 1 };
  if (result.outcome === "done")
    return job.plan.limits.enabled && isSilentOverflow({ stop_reason, usage, window }) ? "overflow" : null;
  if (error?.overflow === true) return "overflow";
  // Killed from outside: what it had said before is not why.
  const text = exit.signal === null ? (error?.text ?? "") : "";
  return classifyError({ text, status: error?.status ?? null, window });
}

/** Puts a failure on record. */
function noteFailure(job: RunJob, outcome: TurnOutcome, verdict: ErrorClass, isAttempt: boolean): RunError {
  const text = job.workbench.redactor.redactText(failureWords(outcome).slice(0, MAX_ERROR)).text;
  const error = { at: timeOf(job), verdict, status: outcome.result.error?.status ?? null, text };
  job.lastError = text;
  job.ledger = noteError(job.ledger, error, isAttempt);
  return error;
}

/** A try at the job failed, or overflowed. Only the former counts as an attempt: the way to a handoff is none (R22). */
function noteTry(job: RunJob, outcome: TurnOutcome, verdict: ErrorClass): void {
  const { state, plan, ports } = job;
  const isOverflow = verdict === "overflow" && plan.limits.enabled && state.session_id !== null;
  const isWorking = state.phase === "working";
  const { at, status, text } = noteFailure(job, outcome, verdict, isWorking && !isOverflow);
  if (!isWorking) return;
  const attempt = state.failed_tries + 1;
  job.nextDelay = retryDelay({ attempt, text, now: ports.now().getTime(), random: ports.random() }).ms;
  const isRetried = verdict === "retryable" && attempt < plan.limits.max_attempts;
  const delay_ms = isRetried ? job.nextDelay : null;
  tell(job, { event: "attempt_failed", at, attempt, verdict, status, text, delay_ms });
}

function sayLost(job: RunJob, { torn, unknown }: TurnOutcome): void {
  if (torn > 0) warn(job, "agent.torn", `lines of the agent's output that could not be read: ${torn}`);
  if (unknown > 0)
    warn(job, "agent.unknown", `lines of the agent's output of a kind that is not known: ${unknown}`);
}

/** The agent does not know the session it was to go on in. */
function isSessionLost(job: RunJob, { result }: TurnOutcome): boolean {
  return (
    job.state.session_id !== null &&
    result.error !== null &&
    agentOf(job).driver.isUnknownSession(result.error.text)
  );
}

function workEnded(job: RunJob, outcome: TurnOutcome): void {
  const verdict = verdictOf(job, outcome);
  if (verdict === null) {
    // A program's output is no message.
    if (agentOf(job).driver.name !== "command") job.session.lastWords = outcome.result.text;
    dispatch(job, { kind: "turn_ended", interrupted: outcome.result.outcome === "interrupted" });
    return;
  }
  if (job.state.phase === "working" && isSessionLost(job, outcome)) {
    warn(job, "run.session_lost", `the agent does not know the session ${job.state.session_id} (any more)`);
    noteFailure(job, outcome, verdict, false);
    job.reply = { sections: null, detail: job.lastError?.slice(0, MAX_DETAIL) ?? null };
    changeRow(job, { session_id: job.state.readings.first === null ? null : job.state.session_id });
    apply(job, loseSession(job.state));
    return;
  }
  noteTry(job, outcome, verdict);
  dispatch(job, { kind: "failed", verdict });
}

/** The writing turn is over. What it said counts if it can be used, however the turn ended after it. */
function replyEnded(job: RunJob, outcome: TurnOutcome): void {
  const { result, timed_out } = outcome;
  if (result.outcome === "done") {
    const parsed = parseSections(result.text);
    const unusable = whyUnusable(parsed);
    const detail = unusable === null ? null : `missing: ${parsed.missing.join(", ")}`;
    const isFull = unusable !== null && verdictOf(job, outcome) === "overflow";
    if (!isFull) {
      job.reply = { sections: parsed.sections, detail };
      dispatch(job, { kind: "reply", unusable });
      return;
    }
  }
  const verdict = timed_out ? null : verdictOf(job, outcome);
  job.reply = { sections: null, detail: null };
  if (verdict !== null) {
    noteFailure(job, outcome, verdict, false);
    job.reply = { sections: null, detail: job.lastError?.slice(0, MAX_DETAIL) ?? null };
    dispatch(job, { kind: "failed", verdict });
  } else dispatch(job, { kind: "reply", unusable: timed_out ? "timeout" : "interrupted" });
}

/** R8: who rotates does not compact; without rotation the agent's own compaction is all there is. */
function compactOf({ compact, limits }: RunPlan): CompactMode {
  return limits.enabled || compact === "off" ? compact : "auto";
}

/** A turn that a person waits for leaves time to publish (O5). */
function writingMs(job: RunJob): number {
  const own = job.ports.writingMs ?? WRITING_MS;
  return job.state.operator === "begun" ? Math.min(own, operatorWritingMs(job) ?? own) : own;
}

interface TurnPlan {
  readonly prompt: string;
  /** The session to go on in; null: a new one. */
  readonly resume: string | null;
  readonly writing: boolean;
}

async function attendTurn(job: RunJob, { prompt, resume, writing }: TurnPlan): Promise<void> {
  const { ports, plan, workbench } = job;
  const { driver, bin, args } = agentOf(job);
  const newSession = driver.name === "command" ? `cmd-${job.id}-${job.state.generation}` : randomUUID();
  const request = { bin, args, prompt, resume, newSession, compact: compactOf(plan), writing };
  try {
    const outcome = await runTurn(driver, request, {
      cwd: workbench.root,
      env: environmentOf(job),
      onSignal: (signal) => takeSignal(job, signal),
      onStarted: (pid) => {
        job.child = identityOf(pid, job.own);
        noteChange(job);
      },
      stop: job.turnStop.signal,
      kill: job.turnKill.signal,
      timeoutMs: writing ? writingMs(job) : null,
      ...(ports.patience === undefined ? {} : { patience: ports.patience }),
    });
    job.child = null;
    sayLost(job, outcome);
    if (writing) replyEnded(job, outcome);
    else workEnded(job, outcome);
    noteChange(job);
  } catch (error) {
    job.child = null;
    endWithError(job, error);
  }
}

function startTurn(job: RunJob, turn: TurnPlan): void {
  // Everything is over already.
  if (job.ports.kill.aborted || job.endMessage !== null || job.bug !== null) return;
  job.turnStop = new AbortController();
  job.turn = attendTurn(job, turn);
}

/** R20: the prompt of a fresh session. */
export function beginSession(job: RunJob, prompt: string): void {
  startTurn(job, { prompt, resume: null, writing: false });
}

/** R22, R27: goes on with the session there is. */
export function continueSession(job: RunJob): void {
  startTurn(job, { prompt: GO_ON, resume: job.state.session_id, writing: false });
}

/** R14, R15: the last question to the session. */
export function askSession(job: RunJob): void {
  job.reply = null;
  const by = job.state.operator === "begun" ? "operator" : "line";
  const prompt = writingPrompt({ used: job.state.readings.context, total: windowOf(job), by });
  startTurn(job, { prompt, resume: job.state.session_id, writing: true });
}
