// What a run does next: one table of every phase and every event. Pure: effects are declared here and carried out by the
// shell, so that going on after a crash is the same path as going on.
import type { RunEvent, RunEventKind, RunPhase, RunState } from "./run-state.js";
import {
  stay,
  stop,
  cut,
  ask,
  look,
  takeReading,
  fold,
  failedWorking,
  failedCutting,
  failedWriting,
  retire,
  succeed,
  leave,
  nameSession,
  publish,
  cutForOperator,
  askForOperator,
  joinCut,
  joinWriting,
  reopen,
  withdraw,
  to,
  type Step,
  type Transition,
} from "./run-steps.js";

export type { Transition } from "./run-steps.js";

/** Every phase and every event. What is `stay` is meant: it cannot change what the phase waits for. */
const TABLE: { readonly [P in RunPhase]: { readonly [K in RunEventKind]: Step<K> } } = {
  working: {
    session: (state, { session_id }) => look({ ...state, session_id }),
    window: (state, { thresholds }) => look({ ...state, thresholds }),
    reading: takeReading,
    compacting: (state) => (state.limits.enabled && state.session_id !== null ? cut(state) : stay(state)),
    turn_ended: (state, { interrupted }) =>
      interrupted ? leave(state, "signal", null) : stop(state, "done"),
    failed: failedWorking,
    reply: stay,
    published: stay,
    publish_failed: stay,
    wait_over: stay,
    released: stay,
    stop_asked: (state, { by }) => leave(state, by, null, { kind: "interrupt" }),
    // At the next boundary (O3); before the session has a name there is none.
    handoff_asked: (state) => (state.ending === null ? to(state, { operator: "asked" }) : stay(state)),
    handoff_forced: (state) => (state.operator === "asked" ? cutForOperator(state) : stay(state)),
    handoff_withdrawn: withdraw,
  },
  waiting: {
    session: nameSession,
    window: (state, { thresholds }) => to(state, { thresholds }),
    reading: fold,
    compacting: stay,
    turn_ended: stay,
    failed: stay,
    reply: stay,
    published: stay,
    publish_failed: stay,
    wait_over: (state) =>
      to(
        state,
        { phase: "working" },
        state.session_id === null
          ? { kind: "start_session", generation: state.generation }
          : { kind: "continue_session" },
      ),
    released: stay,
    stop_asked: (state, { by }) => leave(state, by, null),
    handoff_asked: askForOperator,
    handoff_forced: askForOperator,
    handoff_withdrawn: stay,
  },
  cutting: {
    session: nameSession,
    window: (state, { thresholds }) => to(state, { thresholds }),
    reading: fold,
    compacting: stay,
    turn_ended: (state, { interrupted }) => (interrupted ? ask(state) : stop(state, "done")),
    failed: failedCutting,
    reply: stay,
    published: stay,
    publish_failed: stay,
    wait_over: stay,
    released: stay,
    stop_asked: (state, { by }) => leave(state, by, null),
    handoff_asked: joinCut,
    handoff_forced: joinCut,
    handoff_withdrawn: stay,
  },
  writing: {
    session: nameSession,
    window: (state, { thresholds }) => to(state, { thresholds }),
    reading: fold,
    compacting: stay,
    turn_ended: stay,
    failed: failedWriting,
    reply: (state, { unusable }) => publish(state, unusable, "context_threshold"),
    published: stay,
    publish_failed: stay,
    wait_over: stay,
    released: stay,
    stop_asked: (state, { by }) => leave(state, by, "interrupted", { kind: "interrupt" }),
    handoff_asked: joinWriting,
    handoff_forced: joinWriting,
    handoff_withdrawn: stay,
  },
  publishing: {
    session: stay,
    window: stay,
    reading: stay,
    compacting: stay,
    turn_ended: stay,
    failed: stay,
    reply: stay,
    published: retire,
    publish_failed: (state) => stop(state, state.ending === "signal" ? "signal" : "not_published"),
    wait_over: stay,
    released: stay,
    // The packet is being written anyway; a second signal does not wait for it (R27).
    stop_asked: (state, { by }) =>
      by === "signal" && state.ending === "signal"
        ? stop(state, "signal", { kind: "kill" })
        : to(state, { ending: by }),
    // When this packet is out (O3).
    handoff_asked: (state) => (state.ending === null ? to(state, { operator: "asked" }) : stay(state)),
    handoff_forced: stay,
    handoff_withdrawn: withdraw,
  },
  pausing: {
    session: stay,
    window: stay,
    reading: stay,
    compacting: stay,
    turn_ended: stay,
    failed: stay,
    reply: stay,
    published: stay,
    publish_failed: stay,
    wait_over: stay,
    released: (state) => succeed(state),
    stop_asked: (state, { by }) => stop(state, by),
    handoff_asked: reopen,
    handoff_forced: reopen,
    handoff_withdrawn: stay,
  },
  stopped: {
    session: stay,
    window: stay,
    reading: stay,
    compacting: stay,
    turn_ended: stay,
    failed: stay,
    reply: stay,
    published: stay,
    publish_failed: stay,
    wait_over: stay,
    released: stay,
    stop_asked: stay,
    // The model's work is over (O10).
    handoff_asked: stay,
    handoff_forced: stay,
    handoff_withdrawn: stay,
  },
};

/** The beginning of a run: its state, and the first session. */
export function beginRun(state: RunState): Transition {
  return { state, effects: [{ kind: "start_session", generation: state.generation }] };
}

/** What an event does to a run. Every phase takes every event; nothing happens after the stop. */
export function decideRun<K extends RunEventKind>(state: RunState, event: RunEvent<K>): Transition {
  const steps: { readonly [P in RunEventKind]: Step<P> } = TABLE[state.phase];
  return steps[event.kind](state, event);
}
