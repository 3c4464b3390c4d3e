// What may be edited in a packet (P39), in plain values. Apart from the schema, which needs zod: start-up counts in hooks.
import type { PacketEdits } from "./packet-edits-schema.js";

/** What may be edited, by the names edits.json uses, in the order an edit shows them. */
export const EDITABLE_FIELDS = [
  "next_action",
  "doing",
  "decisions",
  "dead_ends",
  "questions",
  "scene",
] as const;
export type EditableField = (typeof EDITABLE_FIELDS)[number];

/** Edits that change nothing. */
export function noEdits(of: Pick<PacketEdits, "session_id" | "branch" | "topic">): PacketEdits {
  return {
    schema_version: "1.0",
    session_id: of.session_id,
    branch: of.branch,
    topic: of.topic,
    next_action: null,
    doing: null,
    decisions: { removed: [], items: [] },
    dead_ends: { removed: [], items: [] },
    questions: { removed: [], items: [] },
    scene: { removed: [], added: [] },
  };
}

/** The fields that edits change. */
export function editedFields(edits: PacketEdits): EditableField[] {
  return EDITABLE_FIELDS.filter((field) => {
    const value = edits[field];
    if (value === null) return false;
    if ("to" in value) return true;
    return value.removed.length + ("items" in value ? value.items : value.added).length > 0;
  });
}
