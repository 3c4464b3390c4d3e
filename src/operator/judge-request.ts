// Was a request fulfilled (O8)? Pure. The first reason against it counts, in the order below, and stays on record.
import { LIMITS, type Reason } from "./request-record.js";

/** What is known when an attempt is finalized. Times in milliseconds. */
export interface RequestFacts {
  /** The attempt ended with the handoff that was asked for. */
  readonly is_handoff: boolean;
  readonly begun: boolean;
  readonly packet_valid: boolean;
  /** ISO 8601; null: not on record. */
  readonly accepted_at: string | null;
  /** From the acceptance to the check of the budget (O7). */
  readonly elapsed_ms: number | null;
  /** null: nothing was published. */
  readonly publication_ms: number | null;
  readonly publication_limit_ms: number;
  /** Why a step of the finalization held the attempt; null: none did. */
  readonly held: string | null;
}

/** The reason why not; null: it was fulfilled. */
export function judgeRequest(facts: RequestFacts): Exclude<Reason, "crashed" | "expired"> | null {
  if (!facts.is_handoff) return "outcome_not_handoff";
  if (!facts.begun) return "never_begun";
  if (!facts.packet_valid) return "packet_invalid";
  if (facts.accepted_at === null || facts.elapsed_ms === null) return "acceptance_missing";
  if (facts.elapsed_ms > LIMITS.whole) return "over_budget";
  if (facts.publication_ms === null || facts.publication_ms > facts.publication_limit_ms)
    return "publication_late";
  return facts.held === null ? null : "held";
}
