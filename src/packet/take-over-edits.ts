// Somebody changed handoff.json by hand (P39): which of its editable fields, and to what? The original is gone, but its
// id is a hash of it: fields of a packet generated afresh are the original's when putting them back gives that id. Pure.
import type { HandoffPacket } from "../model/packet.js";
import { editedFields, EDITABLE_FIELDS, type EditableField } from "../model/packet-edits.js";
import type { PacketEdits } from "../model/packet-edits-schema.js";
import { LAST_SAID } from "./collect-recorded.js";
import { deriveEdits, editableFields, type EditableFields } from "./derive-edits.js";
import { orderFailures } from "./order-failures.js";
import { packetId } from "./packet-id.js";
import { createTextKeeper } from "./text-keeper.js";

/** What the hand-made changes are worth. */
export interface TakenOver {
  /** Null: no editable field was changed. */
  readonly edits: PacketEdits | null;
  readonly fields: readonly EditableField[];
  /** Fields that differ, but by whose hand cannot be told: the workbench moved on, too. */
  readonly unclear: readonly EditableField[];
}

/** The edited packet with some of its fields as a fresh one has them. */
function withFields(
  edited: HandoffPacket,
  fresh: HandoffPacket,
  fields: ReadonlySet<EditableField>,
): HandoffPacket {
  const of = (field: EditableField): HandoffPacket => (fields.has(field) ? fresh : edited);
  const others = edited.failed_attempts.filter(({ kind }) => kind !== "dead_end");
  const dead = of("dead_ends").failed_attempts.filter(({ kind }) => kind === "dead_end");
  return {
    ...edited,
    next_action: of("next_action").next_action,
    next_action_source: of("next_action").next_action_source,
    doing: of("doing").doing,
    decisions: of("decisions").decisions,
    failed_attempts: fields.has("dead_ends") ? orderFailures([...others, ...dead]) : edited.failed_attempts,
    questions_for_human: of("questions").questions_for_human,
    scene: of("scene").scene,
  };
}

/** Every choice of the given fields, all of them first: usually nothing moved but the hand. */
function* choices(of: readonly EditableField[]): Generator<ReadonlySet<EditableField>> {
  for (let bits = 2 ** of.length - 1; bits > 0; bits -= 1)
    yield new Set(of.filter((_, i) => (bits & (1 << i)) !== 0));
}

/** Texts as a packet would hold them. */
function cleaned(fields: EditableFields): EditableFields {
  const keep = createTextKeeper();
  const why = <T extends { what: string; why: string | null }>(row: T): T => ({
    ...row,
    what: keep.line(row.what, "detail"),
    why: row.why === null ? null : keep.line(row.why, "detail"),
  });
  return {
    next_action: keep.line(fields.next_action, "next_action"),
    doing: fields.doing === null ? null : keep.line(fields.doing, "prose"),
    decisions: fields.decisions.map(why).filter(({ what }) => what !== ""),
    dead_ends: fields.dead_ends.map(why).filter(({ what }) => what !== ""),
    questions: fields.questions
      .map((row) => ({ ...row, text: keep.line(row.text, "detail") }))
      .filter(({ text }) => text !== ""),
    scene: fields.scene.map((path) => keep.exact(path, "path")).filter((path) => path !== ""),
  };
}

/** The digest a packet holds of the file its recorded words came from. */
function stateDigest(packet: HandoffPacket): string | null {
  return packet.prerequisites.find(({ path }) => /(?:^|\/)agent_state\.json$/u.test(path))?.sha256 ?? null;
}

function originalFields(edited: HandoffPacket, fresh: HandoffPacket): EditableFields | null {
  const [then, now] = [editableFields(edited), editableFields(fresh)];
  const differing = EDITABLE_FIELDS.filter(
    (field) => JSON.stringify(then[field]) !== JSON.stringify(now[field]),
  );
  for (const fields of choices(differing)) {
    const candidate = withFields(edited, fresh, fields);
    if (packetId(candidate) === edited.packet_id) return editableFields(candidate);
  }
  // Fields nobody may edit were changed as well. Where the state has not moved since, its words are the original's.
  const state = stateDigest(edited);
  return state !== null && state === stateDigest(fresh) && edited.supersedes === fresh.supersedes
    ? editableFields(fresh)
    : null;
}

/**
 * The changes made by hand in `edited`, given what is generated now (`fresh`, with all edits kept so far applied).
 * Fields that cannot be told apart are named, not guessed.
 */
export function takeOverEdits(edited: HandoffPacket, fresh: HandoffPacket): TakenOver {
  const now = cleaned(editableFields(edited));
  const original = originalFields(edited, fresh);
  const edits = deriveEdits(edited, original ?? editableFields(fresh), now);
  const fields = editedFields(edits);
  if (fields.length === 0) return { edits: null, fields, unclear: [] };
  return original === null ? { edits: null, fields: [], unclear: fields } : { edits, fields, unclear: [] };
}

/** What the agent last said is no word about what it does. */
function isSpoken(doing: string | null): boolean {
  return doing !== null && !doing.startsWith(LAST_SAID);
}

/**
 * Edited fields in front of which something newer was recorded: the state says neither what it said when the edit was
 * made nor what the edit says. `recorded` is the packet as it is without edits.
 */
export function findOutdatedEdits(edits: PacketEdits, recorded: HandoffPacket): EditableField[] {
  const fields = ["next_action", "doing"] as const;
  return fields.filter((field) => {
    const edit = edits[field];
    const now = recorded[field];
    const spoken = field === "doing" ? isSpoken(now) : !recorded.next_action_source.derived;
    return edit !== null && spoken && now !== edit.from && now !== edit.to;
  });
}
