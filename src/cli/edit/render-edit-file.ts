// The text that a person edits (P39): the editable fields of a packet as YAML, with what one has to know in comments.
import { stringify } from "yaml";
import type { HandoffPacket } from "../../model/packet.js";
import { editableFields } from "../../packet/derive-edits.js";
import { cleanLine } from "../../text/clean.js";

/** A field's YAML. No line is folded and no text turned into anything but a string. */
function field(name: string, value: unknown): string {
  return stringify({ [name]: value }, { lineWidth: 0, schema: "core", defaultStringType: "PLAIN" });
}

/** Items without the keys that are null, so that there is less to read. */
function items(rows: readonly Readonly<Record<string, string | null>>[]): Record<string, string>[] {
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).flatMap(([key, value]) => (value === null ? [] : [[key, value]]))),
  );
}

/** The YAML of a packet's editable fields. The same packet gives the same text. */
export function renderEditFile(packet: HandoffPacket): string {
  const { next_action, doing, decisions, dead_ends, questions, scene } = editableFields(packet);
  const branch = packet.branch === null ? "no branch" : `branch ${cleanLine(packet.branch)}`;
  const rows = decisions.map(({ id, what, why }) => ({ id, what, why }));
  const dead = dead_ends.map(({ id, what, why }) => ({ id, what, why }));
  return `# Packet ${packet.packet_id}: session ${packet.session_id}, ${branch}, topic ${packet.topic}.
# Change what you like, save and close. Leave it as it is, or empty it, to change nothing.
# An item keeps the id it has; a new item has none; an item you delete is gone from the packet.

# What the next session does first: one action, with its command or file.
${field("next_action", next_action)}
# What was under way.
${doing === null ? "doing:\n" : field("doing", doing)}
# - what: what was decided
#   why: the reason
${field("decisions", items(rows))}
# What was tried and does not work.
${field("dead_ends", items(dead))}
# Decisions the agent may not take.
# - text: the question
${field("questions", items(questions.map(({ id, text }) => ({ id, text }))))}
# Paths to look at first.
${field("scene", [...scene])}`;
}
