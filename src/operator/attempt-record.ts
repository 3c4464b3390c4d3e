// What is on record of one attempt of a run (O6, O7, O9): where it works, what it left, how far its finalization is. Replaced
// whole before each step, so that whoever comes after a crash knows what was begun.
import { z } from "zod";
import { idSchema, isoTimeSchema } from "../model/ids.js";
import { packetIdSchema } from "../model/packet.js";
import { REASONS } from "./request-record.js";

/** The steps of a finalization in their order (O7); before them, all of the work goes onto the branch (O6). */
export const FINALIZE_STEPS = [
  "checkpoint",
  "validate",
  "publish",
  "hold_check",
  "release",
  "clean_up",
  "budget",
  "ledger",
  "complete",
] as const;
const stepSchema = z.enum(FINALIZE_STEPS);
export type FinalizeStep = z.infer<typeof stepSchema>;

const verdictSchema = z.strictObject({
  /** The request it is about; null: nobody had asked, or it has its answer already. */
  request_id: z.string().nullable(),
  state: z.enum(["completed", "not_fulfilled"]).nullable(),
  /** O8; null: completed, or nobody had asked. */
  reason: z.enum(REASONS).nullable(),
  /** More about the reason, for people; names the attempt where it is held. */
  detail: z.string().nullable(),
});

const attemptSchema = z.strictObject({
  schema_version: z.literal("1.0"),
  run_id: idSchema,
  /** 1 and up: which start of the run. */
  attempt: z.int().positive(),
  branch: z.string().min(1),
  base_commit: z.string(),
  /** Top level of its working tree, absolute. */
  tree: z.string().min(1),
  /** An earlier start had to leave the tree: it is not this one's to remove, unless it works there. */
  takes_over: z.boolean(),
  started_at: isoTimeSchema,
  /** When its tree was whole; null: nobody has worked there. */
  ready_at: isoTimeSchema.nullable(),
  /** The newest commit with all of its work. */
  checkpoint: z.string().nullable(),
  /** How the run ended; null: it did not, as far as anybody wrote down. */
  outcome: z
    .strictObject({
      rule: z.string(),
      /** With the packet that a person had asked for. */
      handoff: z.boolean(),
      /** Whose packet is the last one, by its name in the store. */
      session: z.string().nullable(),
    })
    .nullable(),
  /** The step that was begun last; null: none. */
  step: stepSchema.nullable(),
  /** Steps that are through, and when. */
  done: z.array(z.strictObject({ step: stepSchema, at: isoTimeSchema })),
  /** What was published: handoff.json from the workbench's root. */
  packet: z.strictObject({ packet_id: packetIdSchema, path: z.string() }).nullable(),
  packet_valid: z.boolean().nullable(),
  publication_ms: z.number().nonnegative().nullable(),
  /** From the acceptance to the budget's recheck. */
  elapsed_ms: z.number().nullable(),
  /** The step that failed: branch, checkpoint and tree are kept. */
  held: z.strictObject({ step: stepSchema, reason: z.string() }).nullable(),
  verdict: verdictSchema.nullable(),
  /** When the verdict was written; from then on nothing changes any more. */
  finalized_at: isoTimeSchema.nullable(),
});

/** attempts/<n>.json of a run. */
export type AttemptRecord = Readonly<z.infer<typeof attemptSchema>>;
export type AttemptVerdict = Readonly<z.infer<typeof verdictSchema>>;

/** A record, or null for a value that is none. */
export function attemptOf(value: unknown): AttemptRecord | null {
  const read = attemptSchema.safeParse(value);
  return read.success ? read.data : null;
}

/** How people call it: `attempt 2 of run-3f2a91c04d7e`. */
export const attemptName = ({ run_id, attempt }: Pick<AttemptRecord, "run_id" | "attempt">): string =>
  `attempt ${attempt} of ${run_id}`;

/** A new one; nothing has happened yet. */
export function newAttempt(
  facts: Pick<
    AttemptRecord,
    "run_id" | "attempt" | "branch" | "base_commit" | "tree" | "takes_over" | "started_at"
  >,
): AttemptRecord {
  return {
    schema_version: "1.0",
    ...facts,
    ready_at: null,
    checkpoint: null,
    outcome: null,
    step: null,
    done: [],
    packet: null,
    packet_valid: null,
    publication_ms: null,
    elapsed_ms: null,
    held: null,
    verdict: null,
    finalized_at: null,
  };
}
