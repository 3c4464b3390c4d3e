// A person's request for a handoff as it is on record (O1, O2): requests.json in the run's folder, replaced whole at each step.
import { z } from "zod";
import { idSchema, isoTimeSchema } from "../model/ids.js";
import { packetIdSchema } from "../model/packet.js";

/** Where a request stands (O2); the last three are ends. */
export const REQUEST_STATES = [
  /** On record; the run has not picked it up. */
  "accepted",
  /** Picked up: the turn is being cut for it. */
  "delivered",
  /** The session is asked where it stands. */
  "begun",
  "completed",
  "not_fulfilled",
  /** A newer one took its place. */
  "superseded",
] as const;
export type RequestState = (typeof REQUEST_STATES)[number];

/** Why one was not fulfilled. The first six are what a finalization finds (O8), in the order in which they count. */
export const REASONS = [
  "outcome_not_handoff",
  "never_begun",
  "packet_invalid",
  "acceptance_missing",
  "over_budget",
  "publication_late",
  /** A step of the finalization failed (O7). */
  "held",
  /** Its runner was gone (O9). */
  "crashed",
  /** The clock ended it (O5). */
  "expired",
] as const;
export type Reason = (typeof REASONS)[number];

/** O5, in milliseconds, all but the last from the acceptance. */
export const LIMITS = {
  /** Not picked up by then: the turn is interrupted, once. */
  interrupt: 60_000,
  /** Not begun by then: it is over. */
  begin: 240_000,
  whole: 360_000,
  /** Longest publication, while the whole allows it. */
  publication: 120_000,
} as const;

/** Longest reason that a person can give, in UTF-16 units. */
export const MAX_REASON = 2000;

const requestSchema = z.strictObject({
  request_id: idSchema,
  /** In the person's words, through the gate; null: they gave none. */
  reason: z.string().max(MAX_REASON).nullable(),
  state: z.enum(REQUEST_STATES),
  /** Everything is counted from here; null only where a record was damaged. */
  accepted_at: isoTimeSchema.nullable(),
  /** The fallback interrupt (O5). */
  interrupted_at: isoTimeSchema.nullable(),
  delivered_at: isoTimeSchema.nullable(),
  begun_at: isoTimeSchema.nullable(),
  publication: z
    .strictObject({
      started_at: isoTimeSchema,
      ended_at: isoTimeSchema.nullable(),
      limit_ms: z.int().nonnegative(),
    })
    .nullable(),
  /** The packet that came of it, its path from the workbench's root. */
  packet: z.strictObject({ packet_id: packetIdSchema, path: z.string() }).nullable(),
  ended_at: isoTimeSchema.nullable(),
  superseded_by: idSchema.nullable(),
  why: z.strictObject({ reason: z.enum(REASONS), what: z.string() }).nullable(),
});

export const requestBookSchema = z.strictObject({
  schema_version: z.literal("1.0"),
  run_id: idSchema,
  /** Oldest first. */
  requests: z.array(requestSchema),
});

export type RequestRecord = Readonly<z.infer<typeof requestSchema>>;
/** All requests of a run. */
export interface RequestBook {
  readonly schema_version: "1.0";
  readonly run_id: string;
  readonly requests: readonly RequestRecord[];
}

export { requestSchema };

/** True for one that nothing happens to any more. */
export function isOver({ state }: Pick<RequestRecord, "state">): boolean {
  return state === "completed" || state === "not_fulfilled" || state === "superseded";
}

/** One that was accepted just now. */
export function newRequest(
  facts: Pick<RequestRecord, "request_id" | "reason" | "accepted_at">,
): RequestRecord {
  return {
    ...facts,
    state: "accepted",
    interrupted_at: null,
    delivered_at: null,
    begun_at: null,
    publication: null,
    packet: null,
    ended_at: null,
    superseded_by: null,
    why: null,
  };
}

/** Milliseconds from the acceptance to `at` (ISO 8601); 0 where the acceptance is not known, or a clock was put back. */
export function ageOf({ accepted_at }: Pick<RequestRecord, "accepted_at">, at: string): number {
  return accepted_at === null ? 0 : Math.max(0, Date.parse(at) - Date.parse(accepted_at));
}
