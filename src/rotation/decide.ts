// Is it time (R5-R7)? A generation's readings, and what they call for. Pure. More usage never gives a milder decision.
import type { Thresholds } from "./policy.js";

/** `due`: rotate at this message boundary. `near`: the line is close. */
export type Decision = "none" | "near" | "due";

/** What a decision depends on. */
export interface DecisionFacts {
  /** Rotation is switched on. */
  readonly enabled: boolean;
  /** Null: the window is unknown, and only an overflow rotates (R4). */
  readonly thresholds: Thresholds | null;
  /** Running maximum of the generation's readings, in tokens. */
  readonly context: number;
  /** The writing turn is running: it stands above the line by construction and is exempt (R15). */
  readonly writing: boolean;
  /** The agent's session; null while none is known. A session that cannot be named cannot be asked, so it is not cut. */
  readonly session_id: string | null;
}

/** What the context calls for (R6, R7). */
export function decide({ enabled, thresholds, context, writing, session_id }: DecisionFacts): Decision {
  if (!enabled || writing || thresholds === null) return "none";
  if (context >= thresholds.at && session_id !== null) return "due";
  return context >= thresholds.warn_at ? "near" : "none";
}

/** One generation's readings. */
export interface GenerationReadings {
  /** The largest so far; 0 before the first. */
  readonly context: number;
  /** The first, in tokens: a fresh session's start-up floor (R23). Null before it. */
  readonly first: number | null;
}

/** Of a generation that has just begun (R5). */
export const NO_READINGS: GenerationReadings = { context: 0, first: null };

/**
 * Takes one message's context size in (R5). Subagents' messages never count, nor does a size that is none; the maximum
 * never falls.
 */
export function foldReading(
  readings: GenerationReadings,
  message: { readonly context: number; readonly main_thread: boolean },
): GenerationReadings {
  if (!message.main_thread || !Number.isFinite(message.context) || message.context <= 0) return readings;
  return {
    context: Math.max(readings.context, message.context),
    first: readings.first ?? message.context,
  };
}
