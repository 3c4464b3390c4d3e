// The steps of a run: what single events do in the phases that care (R6, R7, R11-R15, R18-R23, R27). Pure; decide-run.ts says
// which step belongs to which phase and event.
import { decide, foldReading, NO_READINGS } from "./decide.js";
import type { DegradedReason } from "./degraded-packet.js";
import {
  type RunEffect,
  type RunEvent,
  type RunEventKind,
  type RunState,
  STOP_EXITS,
  type StopRule,
} from "./run-state.js";

/** The state after an event, and what it asks for. */
export interface Transition {
  readonly state: RunState;
  readonly effects: readonly RunEffect[];
}

export type Step<K extends RunEventKind> = (state: RunState, event: RunEvent<K>) => Transition;

export const to = (
  state: RunState,
  changes: Partial<RunState>,
  ...effects: readonly RunEffect[]
): Transition => ({
  state: { ...state, ...changes },
  effects,
});

/** The event does not concern this phase. */
export const stay = (state: RunState): Transition => ({ state, effects: [] });

export const stop = (state: RunState, rule: StopRule, ...before: readonly RunEffect[]): Transition =>
  to(state, { phase: "stopped" }, ...before, { kind: "stop", rule, exit: STOP_EXITS[rule] });

export function publish(
  state: RunState,
  degraded: DegradedReason | null,
  reason: "context_threshold" | "overflow" | "operator_request",
  ...before: readonly RunEffect[]
): Transition {
  return to(state, { phase: "publishing", degraded }, ...before, { kind: "publish", degraded, reason });
}

/** R14: cut the turn at the message boundary. R23: not one more packet when so many sessions are retired. */
export function cut(state: RunState): Transition {
  if (state.retired >= state.limits.max_generations)
    return stop(state, "max_generations", { kind: "interrupt" });
  return to(state, { phase: "cutting" }, { kind: "interrupt" });
}

export const ask = (state: RunState): Transition =>
  to(state, { phase: "writing" }, { kind: "tell", event: "writing" }, { kind: "ask" });

/** Looks at the readings as they are now (R6, R7). */
export function look(state: RunState, before: readonly RunEffect[] = []): Transition {
  const decision = decide({
    enabled: state.limits.enabled,
    thresholds: state.thresholds,
    context: state.readings.context,
    writing: state.phase === "writing",
    session_id: state.session_id,
  });
  const tell: readonly RunEffect[] =
    decision === "none" || state.near_told ? [] : [{ kind: "tell", event: "near" }];
  const told = { ...state, near_told: state.near_told || tell.length > 0 };
  if (decision !== "due") return to(told, {}, ...before, ...tell);
  const next = cut(told);
  return { state: next.state, effects: [...before, ...tell, ...next.effects] };
}

/** R23: a fresh session above the line on its first reading is said aloud once, and the second in a row ends the run. */
export function takeReading(state: RunState, event: RunEvent<"reading">): Transition {
  const readings = foldReading(state.readings, event);
  // R22: a model call of the main thread went through, so the tries before it are none in a row with the next.
  const failed_tries = event.main_thread ? 0 : state.failed_tries;
  const read = { ...state, readings, failed_tries };
  if (state.readings.first !== null || readings.first === null) return look(read);
  const floor = state.limits.enabled && state.thresholds !== null && readings.first >= state.thresholds.at;
  if (!floor) return look({ ...read, floors_in_row: 0 });
  const floored = { ...read, floors_in_row: state.floors_in_row + 1 };
  if (floored.floors_in_row > 1) return stop(floored, "start_up_floor", { kind: "interrupt" });
  return look(floored, [{ kind: "warn", code: "start_up_floor" }]);
}

/** Counts a reading without deciding by it: the turn is cut already, or exempt (R15). */
export const fold: Step<"reading"> = (state, event) =>
  to(state, { readings: foldReading(state.readings, event) });

/** R13: no further turn fits; the artifacts have to do. Without a session, or with rotation off, it is an ordinary error. */
function overflow(state: RunState): Transition {
  if (state.session_id === null || !state.limits.enabled) return stop(state, "agent_failed");
  if (state.retired >= state.limits.max_generations)
    return stop(state, "max_generations", { kind: "calibrate" });
  return publish(state, "overflow", "overflow", { kind: "calibrate" });
}

/** R22: another try after a pause, unless there were enough. */
function retry(state: RunState): Transition {
  const failed_tries = state.failed_tries + 1;
  const failed = { ...state, failed_tries };
  if (failed_tries >= state.limits.max_attempts) return stop(failed, "attempts");
  return to(failed, { phase: "waiting" }, { kind: "wait", attempt: failed_tries });
}

export const failedWorking: Step<"failed"> = (state, { verdict }) =>
  verdict === "overflow"
    ? overflow(state)
    : verdict === "retryable"
      ? retry(state)
      : stop(state, "agent_failed");

/** The turn that was to be cut broke by itself: the session is still there to be asked. */
export const failedCutting: Step<"failed"> = (state, { verdict }) =>
  verdict === "overflow"
    ? overflow(state)
    : verdict === "retryable"
      ? ask(state)
      : stop(state, "agent_failed");

/** R18: whatever ended the writing turn, the handoff goes on without the session's words. */
export const failedWriting: Step<"failed"> = (state, { verdict }) =>
  verdict === "overflow"
    ? publish(state, "overflow", "overflow", { kind: "calibrate" })
    : publish(state, "agent_failed", "context_threshold");

/** R19, R20, R21, R23: retires the session whose packet is out, and goes on to its successor. */
export const retire: Step<"published"> = (state) => {
  if (state.ending !== null) return stop(state, state.ending);
  const retired = {
    ...state,
    retired: state.retired + 1,
    degraded_in_row: state.degraded === null ? 0 : state.degraded_in_row + 1,
  };
  const done: RunEffect = { kind: "tell", event: "done" };
  if (retired.degraded_in_row >= state.limits.max_consecutive_degraded)
    return stop(retired, "degraded", done);
  if (state.limits.pause) return to(retired, { phase: "pausing" }, done, { kind: "pause" });
  return succeed(retired, done);
};

/** The next generation begins with nothing of the last but the counts; its window is found anew (R24). */
export function succeed(state: RunState, ...before: readonly RunEffect[]): Transition {
  const generation = state.generation + 1;
  return to(
    state,
    {
      phase: "working",
      generation,
      session_id: null,
      thresholds: null,
      readings: NO_READINGS,
      near_told: false,
      failed_tries: 0,
      degraded: null,
    },
    ...before,
    { kind: "start_session", generation },
  );
}

/** R27: a packet before leaving, if there is a session to speak of. */
export function leave(
  state: RunState,
  by: "signal" | "operator",
  degraded: DegradedReason | null,
  ...before: readonly RunEffect[]
): Transition {
  if (state.session_id === null) return stop(state, by, { kind: "kill" });
  return publish({ ...state, ending: by }, degraded, "operator_request", ...before);
}

export const nameSession: Step<"session"> = (state, { session_id }) => to(state, { session_id });
