// outputs/handoff/runs/<run_id>/run.json, the ledger of a run (R26): what every generation was and how it ended. Written
// whole at each step, so that a run that was killed can go on from it (R27).
import { z } from "zod";
import { idSchema, isoTimeSchema } from "./ids.js";
import { packetIdSchema } from "./packet.js";

const tokens = z.int().nonnegative();
/** A session id as its agent gives it; no file is named after it here. */
const sessionId = z.string().min(1);

/** Who said which window a generation has (R4). */
export const windowSourceSchema = z.enum([
  "option",
  "environment",
  "config",
  "agent",
  "calibration",
  "model_name",
  "unknown",
]);

/** One failed try (R22). */
const runErrorSchema = z.strictObject({
  at: isoTimeSchema,
  verdict: z.enum(["overflow", "retryable", "fatal"]),
  /** HTTP status, when one is known. */
  status: z.int().nullable(),
  /** Redacted and cut. */
  text: z.string(),
});

/** One session of a run. */
const runGenerationSchema = z.strictObject({
  /** 1 and up. */
  generation: z.int().positive(),
  agent: z.string().min(1),
  model: z.string().nullable(),
  /** Null while the agent has not said which it is. */
  session_id: sessionId.nullable(),
  /** Failed tries; a rotation is none. */
  attempts: z.int().nonnegative(),
  /** Largest reading, in tokens. */
  context: tokens,
  window: z.int().positive().nullable(),
  window_source: windowSourceSchema,
  /** The agent's own running total where it is cumulative; never summed twice. Null: it does not say. */
  cost_usd: z.number().nonnegative().nullable(),
  turns: z.int().nonnegative().nullable(),
  started_at: isoTimeSchema,
  ended_at: isoTimeSchema.nullable(),
  /** The packet it was retired with. */
  packet_id: packetIdSchema.nullable(),
  /** Why its packet lacks its own words; null when it does not. */
  degraded: z.string().nullable(),
  errors: z.array(runErrorSchema),
});

/** `stopped`: by a rule. `failed`: the agent, for good. */
export const runStatusSchema = z.enum(["running", "done", "stopped", "failed", "interrupted"]);

/** run.json. */
export const runLedgerSchema = z.strictObject({
  run_id: idSchema,
  /** Of the last successor. */
  session_id: sessionId.nullable(),
  /** Session ids of retired generations, in order. */
  retired: z.array(sessionId),
  status: runStatusSchema,
  /** The job as it was given. */
  task: z.string(),
  generations: z.array(runGenerationSchema),
});

export type WindowSource = z.infer<typeof windowSourceSchema>;
export type RunError = Readonly<z.infer<typeof runErrorSchema>>;
export type RunGeneration = Readonly<z.infer<typeof runGenerationSchema>>;
export type RunStatus = z.infer<typeof runStatusSchema>;
export type RunLedger = Readonly<z.infer<typeof runLedgerSchema>>;
