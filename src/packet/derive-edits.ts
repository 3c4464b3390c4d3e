// From two versions of the editable fields to the edits between them, and two edits joined to one. Pure.
import type { HandoffPacket } from "../model/packet.js";
import { noEdits } from "../model/packet-edits.js";
import type { PacketEdits } from "../model/packet-edits-schema.js";

interface WhyField {
  /** As the packet has it; null for an item that is new. */
  readonly id: string | null;
  readonly what: string;
  readonly why: string | null;
}
interface TextField {
  readonly id: string | null;
  readonly text: string;
}
/** What a person may edit, as plain values. Texts are clean. */
export interface EditableFields {
  readonly next_action: string;
  readonly doing: string | null;
  readonly decisions: readonly WhyField[];
  readonly dead_ends: readonly WhyField[];
  readonly questions: readonly TextField[];
  readonly scene: readonly string[];
}

/** The editable fields of a packet. */
export function editableFields(packet: HandoffPacket): EditableFields {
  const field = (row: WhyField): WhyField => ({ id: row.id, what: row.what, why: row.why });
  return {
    next_action: packet.next_action,
    doing: packet.doing,
    decisions: packet.decisions.map(field),
    dead_ends: packet.failed_attempts.filter(({ kind }) => kind === "dead_end").map(field),
    questions: packet.questions_for_human.map(({ id, text }) => ({ id, text })),
    scene: packet.scene,
  };
}

interface Identified {
  readonly id: string | null;
}

/**
 * Rows of `to` against `from`: an id that is gone is removed, one whose row reads otherwise is replaced, a row without
 * a known id is new unless it reads like one that is there. Order alone is no edit.
 */
function listEdits<T extends Identified>(
  from: readonly T[],
  to: readonly T[],
  same: (a: T, b: T) => boolean,
): { removed: string[]; items: { replaces: string | null; row: T }[] } {
  const left = new Map(from.flatMap((row) => (row.id === null ? [] : [[row.id, row] as const])));
  const items: { replaces: string | null; row: T }[] = [];
  // Rows that are as they were first, so that a copy with the same id is the new one.
  const changed = to.filter((row) => {
    const known = [...left.values()].find((old) => same(old, row));
    if (known?.id === undefined || known.id === null) return true;
    left.delete(known.id);
    return false;
  });
  for (const row of changed) {
    const replaces = row.id !== null && left.delete(row.id) ? row.id : null;
    items.push({ replaces, row });
  }
  return { removed: [...left.keys()], items };
}

function whyEdits(from: readonly WhyField[], to: readonly WhyField[]): PacketEdits["decisions"] {
  const { removed, items } = listEdits(from, to, (a, b) => a.what === b.what && a.why === b.why);
  return { removed, items: items.map(({ replaces, row: { what, why } }) => ({ replaces, what, why })) };
}

function questionEdits(from: readonly TextField[], to: readonly TextField[]): PacketEdits["questions"] {
  const { removed, items } = listEdits(from, to, (a, b) => a.text === b.text);
  return { removed, items: items.map(({ replaces, row: { text } }) => ({ replaces, text })) };
}

/** The edits that make `to` of `from`. */
export function deriveEdits(
  of: Pick<PacketEdits, "session_id" | "branch" | "topic">,
  from: EditableFields,
  to: EditableFields,
): PacketEdits {
  return {
    ...noEdits(of),
    next_action: from.next_action === to.next_action ? null : { from: from.next_action, to: to.next_action },
    doing: from.doing === to.doing ? null : { from: from.doing, to: to.doing },
    decisions: whyEdits(from.decisions, to.decisions),
    dead_ends: whyEdits(from.dead_ends, to.dead_ends),
    questions: questionEdits(from.questions, to.questions),
    scene: {
      removed: from.scene.filter((path) => !to.scene.includes(path)),
      added: to.scene.filter((path) => !from.scene.includes(path)),
    },
  };
}

interface ListEdits<Item extends { readonly replaces: string | null }> {
  readonly removed: readonly string[];
  readonly items: readonly Item[];
}

/** `idOf` gives the id that an item's row has once it is applied. */
function joinList<Item extends { readonly replaces: string | null }>(
  first: ListEdits<Item>,
  second: ListEdits<Item>,
  idOf: (item: Item) => string,
): { removed: string[]; items: Item[] } {
  const removed = new Set(first.removed);
  // By the ids the items have now: a new text of one may be the old text of another.
  const slots: { id: string; item: Item | null; replaces: string | null }[] = first.items.map((item) => ({
    id: idOf(item),
    item,
    replaces: item.replaces,
  }));
  const slotOf = (id: string | null) => slots.findLast((slot) => slot.id === id);
  for (const id of second.removed) {
    const slot = slotOf(id);
    if (slot !== undefined) slot.item = null;
    // What an edit had put in the place of a row goes, and the row with it.
    for (const gone of [id, slot?.replaces ?? null]) if (gone !== null) removed.add(gone);
  }
  const added: Item[] = [];
  for (const item of second.items) {
    const slot = slotOf(item.replaces);
    if (slot === undefined) added.push(item);
    else slot.item = { ...item, replaces: slot.replaces };
  }
  return { removed: [...removed], items: [...slots.flatMap(({ item }) => item ?? []), ...added] };
}

/** What `second`, made on a packet that has `first` applied, makes of both. */
export function joinEdits(
  first: PacketEdits,
  second: PacketEdits,
  idOf: (kind: "decision" | "dead_end" | "question", text: string) => string,
): PacketEdits {
  const { next_action, doing, scene } = second;
  const gone = new Set(scene.removed);
  return {
    ...noEdits(second),
    next_action:
      next_action === null
        ? first.next_action
        : { from: first.next_action?.from ?? next_action.from, to: next_action.to },
    doing: doing === null ? first.doing : { from: (first.doing ?? doing).from, to: doing.to },
    decisions: joinList(first.decisions, second.decisions, ({ what }) => idOf("decision", what)),
    dead_ends: joinList(first.dead_ends, second.dead_ends, ({ what }) => idOf("dead_end", what)),
    questions: joinList(first.questions, second.questions, ({ text }) => idOf("question", text)),
    scene: {
      removed: [...new Set([...first.scene.removed, ...scene.removed])],
      added: [...new Set([...first.scene.added.filter((path) => !gone.has(path)), ...scene.added])],
    },
  };
}
