// edits.json: what a person changed in a packet (P39). It lies beside the packet and is applied again whenever that
// session's packet is generated, so it says what to change, not what the packet is.
import { z } from "zod";
import { idSchema } from "./ids.js";

const text = z.string().regex(/\S/);
const itemId = z.string().regex(/^[0-9a-f]{8}$/);

/** A plain field: what it said when it was edited, and what it says instead. */
const textEdit = <T extends z.ZodType<string | null>>(to: T) =>
  z.strictObject({ from: z.string().nullable(), to }).nullable();

/** Changes of a list: ids that go, and items that come; `replaces` is the id whose place an item takes. */
const whyEdits = z.strictObject({
  removed: z.array(itemId),
  items: z.array(z.strictObject({ replaces: itemId.nullable(), what: text, why: z.string().nullable() })),
});
const questionEdits = z.strictObject({
  removed: z.array(itemId),
  items: z.array(z.strictObject({ replaces: itemId.nullable(), text })),
});

export const packetEditsSchema = z.strictObject({
  schema_version: z.literal("1.0"),
  session_id: idSchema,
  branch: z.string().nullable(),
  topic: idSchema,
  next_action: textEdit(text),
  doing: textEdit(z.string().nullable()),
  decisions: whyEdits,
  dead_ends: whyEdits,
  questions: questionEdits,
  scene: z.strictObject({ removed: z.array(text), added: z.array(text) }),
});

export type PacketEdits = z.infer<typeof packetEditsSchema>;
