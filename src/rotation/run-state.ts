// A run as its rules see it: where it stands, what can happen to it, what it asks the shell to do. Types and beginnings
// only; decide-run.ts has the transitions. Plain data, so that a ledger can keep it.
import { type GenerationReadings, NO_READINGS } from "./decide.js";
import type { DegradedReason } from "./degraded-packet.js";
import { DEFAULT_POLICY, type RotationPolicy, type Thresholds } from "./policy.js";

/** Steps of a generation, in the order they are gone through; `waiting` and `pausing` are the ones that may not happen. */
export const RUN_PHASES = [
  /** The agent works on the task. */
  "working",
  /** A failed try is over, the next one waits for its time (R22). */
  "waiting",
  /** The turn was cut, and has not ended yet (R14). */
  "cutting",
  /** The session answers the writing turn (R15). */
  "writing",
  /** A packet is generated and published (R17, R18, R20). */
  "publishing",
  /** A person looks at the packet (R21). */
  "pausing",
  "stopped",
] as const;
export type RunPhase = (typeof RUN_PHASES)[number];

/** Why a run ended. */
export type StopRule =
  | "done"
  /** Two degraded generations in a row (R19). */
  | "degraded"
  /** So many sessions were retired (R23). */
  | "max_generations"
  /** Fresh sessions begin above the line (R23). */
  | "start_up_floor"
  /** So many tries failed in a row (R22). */
  | "attempts"
  /** An error that no try changes (R22). */
  | "agent_failed"
  /** The packet could not be written. */
  | "not_published"
  /** A person's `handoff now`, or nobody at the pause. */
  | "operator"
  /** Ctrl-C (R27). */
  | "signal";

/** Exit code of each ending: 0 the job ended well, 1 a rule, 2 files, 3 the agent, 130 interrupted. */
export const STOP_EXITS: Readonly<Record<StopRule, 0 | 1 | 2 | 3 | 130>> = {
  done: 0,
  degraded: 1,
  max_generations: 1,
  start_up_floor: 1,
  operator: 1,
  not_published: 2,
  attempts: 3,
  agent_failed: 3,
  signal: 130,
};

/** How far a person's `handoff now` is: it waits for a boundary, the turn is cut for it, the session is being asked. */
export const OPERATOR_STEPS = ["none", "asked", "delivered", "begun"] as const;
export type OperatorStep = (typeof OPERATOR_STEPS)[number];

/** What limits a run. */
export interface RunLimits extends Pick<
  RotationPolicy,
  "enabled" | "max_generations" | "max_consecutive_degraded"
> {
  /** Failed tries in a row within one generation. */
  readonly max_attempts: number;
  /** Wait for a person before each successor (R21). */
  readonly pause: boolean;
}

export const DEFAULT_LIMITS: RunLimits = {
  enabled: DEFAULT_POLICY.enabled,
  max_generations: DEFAULT_POLICY.max_generations,
  max_consecutive_degraded: DEFAULT_POLICY.max_consecutive_degraded,
  max_attempts: 6,
  pause: false,
};

/** A run at one moment. */
export interface RunState {
  readonly phase: RunPhase;
  readonly limits: RunLimits;
  /** 1 and up. */
  readonly generation: number;
  /** The current generation's session; null while none is known. */
  readonly session_id: string | null;
  /** Null: the window is unknown. */
  readonly thresholds: Thresholds | null;
  readonly readings: GenerationReadings;
  /** `near` was told in this generation (R7). */
  readonly near_told: boolean;
  /** Failed tries of this generation in a row; rotations are none (R22). */
  readonly failed_tries: number;
  /** Sessions retired so far. */
  readonly retired: number;
  /** Degraded generations in a row (R19). */
  readonly degraded_in_row: number;
  /** Generations in a row whose first reading stood above the line (R23). */
  readonly floors_in_row: number;
  /** Of the packet that is being published. */
  readonly degraded: DegradedReason | null;
  /** How the run ends once the packet is published; null: with a successor. */
  readonly ending: StopRule | null;
  readonly operator: OperatorStep;
}

/** A run that is about to start its first session. */
export function firstState(limits: RunLimits = DEFAULT_LIMITS): RunState {
  return {
    phase: "working",
    limits,
    generation: 1,
    session_id: null,
    thresholds: null,
    readings: NO_READINGS,
    near_told: false,
    failed_tries: 0,
    retired: 0,
    degraded_in_row: 0,
    floors_in_row: 0,
    degraded: null,
    ending: null,
    operator: "none",
  };
}

/** What can happen, and what is told of it. */
interface RunEvents {
  /** The agent said which session it is. */
  readonly session: { readonly session_id: string };
  /** The window became known, or known better; null: it is unknown (R4). */
  readonly window: { readonly thresholds: Thresholds | null };
  /** One message's context size (R5). */
  readonly reading: { readonly context: number; readonly main_thread: boolean };
  /** The agent is about to compact by itself, although it was told not to (R8). */
  readonly compacting: unknown;
  /** The turn ended without an error; `interrupted`: before it was through (R14). */
  readonly turn_ended: { readonly interrupted: boolean };
  /** A try failed; `verdict` from classifyError. */
  readonly failed: { readonly verdict: "overflow" | "retryable" | "fatal" };
  /** The writing turn is over; null: its reply can be used. */
  readonly reply: { readonly unusable: DegradedReason | null };
  readonly published: unknown;
  readonly publish_failed: unknown;
  /** The pause before a retry is over. */
  readonly wait_over: unknown;
  /** The person at the pause lets the successor start. */
  readonly released: unknown;
  /** Somebody wants the run to end: Ctrl-C, or a person's `handoff now`. */
  readonly stop_asked: { readonly by: "signal" | "operator" };
  /** A person wants a handoff at the next boundary: `handoff now` (O3). */
  readonly handoff_asked: unknown;
  /** No boundary came in time: at once (O5). */
  readonly handoff_forced: unknown;
  /** The person's request is no longer there. */
  readonly handoff_withdrawn: unknown;
}

export type RunEventKind = keyof RunEvents;
/** What happened: an event of these kinds. */
export type RunEvent<K extends RunEventKind = RunEventKind> = {
  [P in K]: { readonly kind: P } & RunEvents[P];
}[K];

/** What the shell is to do, in this order. */
export type RunEffect =
  /** Start a fresh session: with the task in the first generation, with the brief from disk in later ones (R20). */
  | { readonly kind: "start_session"; readonly generation: number }
  /** Go on with the session there is, after a failed try (R22). */
  | { readonly kind: "continue_session" }
  /** Interrupt the turn at the message boundary (R14). */
  | { readonly kind: "interrupt" }
  /** Put the writing prompt to the session. */
  | { readonly kind: "ask" }
  /** Generate and publish the packet (R17, R18, R20). */
  | {
      readonly kind: "publish";
      readonly degraded: DegradedReason | null;
      readonly reason: "context_threshold" | "overflow" | "operator_request";
    }
  /** Remember the window that the overflow showed (R13). */
  | { readonly kind: "calibrate" }
  /** Wait before try number `attempt` + 1. */
  | { readonly kind: "wait"; readonly attempt: number }
  /** Wait for a person. */
  | { readonly kind: "pause" }
  /** Tell the event of this name (R25). */
  | { readonly kind: "tell"; readonly event: "near" | "writing" | "done" }
  /** Say aloud that this session began above the line (R23). */
  | { readonly kind: "warn"; readonly code: "start_up_floor" }
  /** Report to whoever asked for a handoff how far it is (O3). */
  | { readonly kind: "report"; readonly step: "delivered" | "begun" }
  /** End the agent now. */
  | { readonly kind: "kill" }
  | { readonly kind: "stop"; readonly rule: StopRule; readonly exit: 0 | 1 | 2 | 3 | 130 };
