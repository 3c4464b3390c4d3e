// index.json, the store's commit point (S2): which packets there are, which one is active, how they follow each other.
// It can always be rebuilt from the packets; nothing in it is known only here.
import { z } from "zod";
import { idSchema, isoTimeSchema, sha256Schema } from "./ids.js";
import { packetIdSchema, packetStatusSchema } from "./packet.js";

/** One taking of a packet (S8): who, and when by the taker's clock. */
const consumptionSchema = z.strictObject({ by: z.string().min(1), at: isoTimeSchema });
export type Consumption = z.infer<typeof consumptionSchema>;

/** One to three plain names: nothing that could lead out of the store. */
const STORE_FOLDER = /^(?!\.)[A-Za-z0-9._-]{1,200}(?:\/(?!\.)[A-Za-z0-9._-]{1,200}){0,2}$/;
const storeFolderSchema = z.string().regex(STORE_FOLDER);

const indexEntrySchema = z.strictObject({
  packet_id: packetIdSchema,
  session_id: idSchema,
  branch: z.string().nullable(),
  topic: idSchema,
  task_id: idSchema.nullable(),
  status: packetStatusSchema,
  /** Folder of the packet's files relative to the store's root, with forward slashes. */
  path: storeFolderSchema,
  generated_at: isoTimeSchema.nullable(),
  /** Cut to about 300 bytes. */
  next_action: z.string(),
  supersedes: packetIdSchema.nullable(),
  superseded_by: packetIdSchema.nullable(),
  /** Of the bytes handoff.json has, or is about to get, in this state. */
  json_sha256: sha256Schema,
  /** Order of publication; greater is later. */
  sequence: z.int().nonnegative(),
  consumed_by: z.array(consumptionSchema),
});

export const storeIndexSchema = z.strictObject({
  schema_version: z.literal("1.0"),
  /** The greatest `sequence` ever given. */
  sequence: z.int().nonnegative(),
  packets: z.array(indexEntrySchema),
});

export type IndexEntry = Readonly<z.infer<typeof indexEntrySchema>>;
/** Packets in the order of their publication. */
export interface StoreIndex {
  readonly schema_version: "1.0";
  readonly sequence: number;
  readonly packets: readonly IndexEntry[];
}
