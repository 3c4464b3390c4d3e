// What a run tells while it goes on (R25): one JSON object a line, the kind in `event`.
import { z } from "zod";
import { idSchema, isoTimeSchema } from "./ids.js";
import { packetIdSchema } from "./packet.js";
import { runStatusSchema, windowSourceSchema } from "./run-ledger.js";

const tokens = z.int().nonnegative();
const window = z.int().positive().nullable();

/** In every event: which run, which session (in `done` the one retiring), who, when. */
const common = {
  run_id: idSchema,
  /** 1 and up. */
  generation: z.int().positive(),
  session_id: z.string().min(1).nullable(),
  agent: z.string().min(1),
};
const at = isoTimeSchema;

export const runEventSchema = z.discriminatedUnion("event", [
  z.strictObject({ event: z.literal("run_started"), ...common, at, task: z.string() }),
  z.strictObject({
    event: z.literal("generation_started"),
    ...common,
    at,
    model: z.string().nullable(),
    window,
    window_source: windowSourceSchema,
  }),
  z.strictObject({
    event: z.literal("attempt_failed"),
    ...common,
    at,
    /** Failed tries of this generation in a row, this one included. */
    attempt: z.int().positive(),
    verdict: z.enum(["overflow", "retryable", "fatal"]),
    status: z.int().nullable(),
    text: z.string(),
    /** Until the next try; null when there is none. */
    delay_ms: z.int().nonnegative().nullable(),
  }),
  z.strictObject({
    event: z.literal("near"),
    ...common,
    context: tokens,
    window,
    /** The line in tokens, as `thresholds` names it; when it was told is in `time`. */
    at: tokens,
    time: isoTimeSchema,
  }),
  z.strictObject({ event: z.literal("writing"), ...common, at, context: tokens, window }),
  z.strictObject({
    event: z.literal("done"),
    ...common,
    at,
    context: tokens,
    window,
    /** Why the packet lacks the session's words; null when it does not. */
    degraded: z.string().nullable(),
    /** The packet's handoff.json, relative to the workbench. */
    path: z.string().min(1),
    /** Sections the session filled. */
    sections: z.array(z.enum(["doing", "decided", "dead_ends", "next", "scene"])),
    packet_id: packetIdSchema,
  }),
  /** A person's request for a handoff (O2); its end may come after the run's. */
  z.strictObject({
    event: z.literal("handoff"),
    ...common,
    at,
    request_id: idSchema,
    state: z.enum(["accepted", "delivered", "begun", "completed", "not_fulfilled", "superseded"]),
    /** Accepted: the person's reason; not fulfilled: why; superseded: by which request. Else null. */
    what: z.string().nullable(),
    /** The packet that came of it: its handoff.json, relative to the workbench. */
    path: z.string().nullable(),
  }),
  z.strictObject({
    event: z.literal("generation_ended"),
    ...common,
    at,
    context: tokens,
    window,
    attempts: z.int().nonnegative(),
    cost_usd: z.number().nonnegative().nullable(),
    turns: z.int().nonnegative().nullable(),
  }),
  z.strictObject({
    event: z.literal("run_ended"),
    ...common,
    at,
    status: runStatusSchema,
    /** Why it ended: `done`, or the rule that ended it. */
    rule: z.string().min(1),
    exit: z.int().nonnegative(),
    message: z.string().nullable(),
  }),
]);

/** One event of a run. */
export type RunEventLine = Readonly<z.infer<typeof runEventSchema>>;
