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
  why: "context_threshold" | "overflow" | "operator_request",
  ...before: readonly RunEffect[]
): Transition {
  // O4: a packet that a person waits for is theirs, whatever became of the session that was to be asked.
  const isOperators = state.operator === "delivered" || state.operator === "begun";
  const begun: readonly RunEffect[] = state.operator === "delivered" ? [REPORT_BEGUN] : [];
  const operator = isOperators ? "begun" : state.operator;
  const reason = isOperators ? "operator_request" : why;
  return to(state, { phase: "publishing", degraded, operator }, ...before, ...begun, {
    kind: "publish",
    degraded,
    reason,
  });
}

/** The report to the person who waits, once. */
const REPORT_DELIVERED: RunEffect = { kind: "report", step: "delivered" };
const REPORT_BEGUN: RunEffect = { kind: "report", step: "begun" };

/** O3: the request is picked up; from here on the run ends with its packet. */
const pickUp = (state: RunState): RunState => ({ ...state, operator: "delivered", ending: "operator" });

/** O3: cuts the turn for a person. Of a session that is not known yet nothing can be handed over. */
export function cutForOperator(state: RunState): Transition {
  if (state.session_id === null) return stop(state, "operator", { kind: "kill" });
  return to(pickUp(state), { phase: "cutting" }, REPORT_DELIVERED, { kind: "interrupt" });
}

/** O3: no turn is at work, so the session is asked at once. */
export function askForOperator(state: RunState): Transition {
  if (state.session_id === null) return stop(state, "operator");
  const next = ask(pickUp(state));
  return { state: next.state, effects: [REPORT_DELIVERED, ...next.effects] };
}

/** O3: the turn is being cut anyway. */
export const joinCut = (state: RunState): Transition =>
  state.ending === null ? to(pickUp(state), {}, REPORT_DELIVERED) : stay(state);

/** O3: the session is being asked anyway. */
export const joinWriting = (state: RunState): Transition =>
  state.ending === null
    ? to(pickUp(state), { operator: "begun" }, REPORT_DELIVERED, REPORT_BEGUN)
    : stay(state);

/** O3, O4: the session's packet is there, or about to be; it is made once more, as the one that a person asked for. */
const publishForOperator = (state: RunState): Transition =>
  publish(pickUp(state), state.degraded, "operator_request", REPORT_DELIVERED);

/** R14: cut the turn at the message boundary. R23: not one more packet when so many sessions are retired. */
export function cut(state: RunState): Transition {
  if (state.operator === "asked") return cutForOperator(state);
  if (state.retired >= state.limits.max_generations)
    return stop(state, "max_generations", { kind: "interrupt" });
  return to(state, { phase: "cutting" }, { kind: "interrupt" });
}

export const ask = (state: RunState): Transition =>
  state.operator === "delivered"
    ? to(
        state,
        { phase: "writing", operator: "begun" },
        REPORT_BEGUN,
        { kind: "tell", event: "writing" },
        { kind: "ask" },
      )
    : to(state, { phase: "writing" }, { kind: "tell", event: "writing" }, { kind: "ask" });

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
  // O3: a boundary, and somebody waits for one.
  if (state.operator === "asked" && event.main_thread && state.session_id !== null)
    return cutForOperator(read);
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
  if (state.operator === "asked")
    return publish(pickUp(state), "overflow", "overflow", { kind: "calibrate" }, REPORT_DELIVERED);
  if (state.retired >= state.limits.max_generations)
    return stop(state, "max_generations", { kind: "calibrate" });
  return publish(state, "overflow", "overflow", { kind: "calibrate" });
}

/** R22: another try after a pause, unless there were enough. */
function retry(state: RunState): Transition {
  const failed_tries = state.failed_tries + 1;
  const failed = { ...state, failed_tries };
  // O3: between two tries nothing runs.
  if (state.operator === "asked" && state.session_id !== null) return askForOperator(failed);
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
  // O4: what a person asked for retires its session as any other handoff does.
  if (state.ending === "operator" && state.operator === "begun")
    return stop({ ...state, retired: state.retired + 1 }, "operator", { kind: "tell", event: "done" });
  if (state.ending !== null) return stop(state, state.ending);
  if (state.operator === "asked") return publishForOperator(state);
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

/** O3: at the pause the session is retired already, and is so anew with the packet that the person asked for. */
export const reopen = (state: RunState): Transition =>
  publishForOperator({ ...state, retired: state.retired - 1 });

/** The person's request ended before it was picked up. */
export const withdraw = (state: RunState): Transition =>
  state.operator === "asked" ? to(state, { operator: "none" }) : stay(state);
