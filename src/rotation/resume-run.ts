// How a run goes on whose runner is gone (R27), from the state it had written down, and how a generation goes on whose
// session is gone. Pure: what was under way is done again, which is safe for every step: a packet published twice is one, a
// question asked twice has one answer.
import type { Transition } from "./decide-run.js";
import type { RunState } from "./run-state.js";
import { publish, succeed, to } from "./run-steps.js";

/** What the state itself does not tell. */
export interface ResumeFacts {
  /** The session at work has its packet and is retired. */
  readonly isRetired: boolean;
  /** Its reply to the writing turn is on record. */
  readonly hasReply: boolean;
}

const goOn = (state: RunState): Transition =>
  to(
    state,
    { phase: "working", failed_tries: 0, ending: null },
    state.session_id === null
      ? { kind: "start_session", generation: state.generation }
      : { kind: "continue_session" },
  );

/** Its packet is out and was being made once more, for a person. */
const afterRetired = (state: RunState): Transition =>
  state.limits.pause ? to(state, { phase: "pausing" }, { kind: "pause" }) : succeed(state);

const askAgain = (state: RunState): Transition =>
  to(state, { phase: "writing", ending: null }, { kind: "tell", event: "writing" }, { kind: "ask" });

/** The state to go on from and the first effects. Not for a job that is done. */
export function resumeRun(found: RunState, { isRetired, hasReply }: ResumeFacts): Transition {
  // O9: a request ends with the runner that had taken it.
  const state: RunState = { ...found, operator: "none" };
  const { phase } = state;
  if (phase === "publishing" && isRetired) return afterRetired({ ...state, ending: null });
  if (state.ending === "operator" && (phase === "cutting" || phase === "writing")) return goOn(state);
  if (phase === "stopped") {
    // Somebody who goes on all the same has seen to the cause: what counted towards the stop counts anew.
    const fresh = { ...state, ending: null, failed_tries: 0, degraded_in_row: 0, floors_in_row: 0 };
    return isRetired ? succeed(fresh) : goOn(fresh);
  }
  if (phase === "pausing") return to(state, {}, { kind: "pause" });
  if (phase === "cutting" || phase === "writing") return askAgain(state);
  // Interrupted while its packet was written: the session has not been asked, or may be asked again.
  if (phase !== "publishing" || state.ending !== null) return goOn(state);
  if (state.degraded === null && !hasReply) return askAgain(state);
  return publish(state, state.degraded, state.degraded === "overflow" ? "overflow" : "context_threshold");
}

/**
 * The agent does not know its session (any more). Nothing was read of it yet: the same generation starts anew. Otherwise
 * what it did is in the workbench, and a successor goes on from there (R18).
 */
export function loseSession(state: RunState): Transition {
  if (state.readings.first === null)
    return to(
      state,
      { phase: "working", session_id: null },
      { kind: "start_session", generation: state.generation },
    );
  return publish(state, "agent_failed", "context_threshold");
}
