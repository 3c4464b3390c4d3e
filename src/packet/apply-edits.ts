// Puts a person's edits into a packet (P39): the same function whether the packet is being generated or lies on disk, so
// that generating again gives the edited packet. Edited items name edits.json as their source.
import { DEAD_END } from "../model/dead-end.js";
import type { FailedAttempt, HandoffPacket, OpenRisk, Source, TextItem, WhyItem } from "../model/packet.js";
import type { PacketEdits } from "../model/packet-edits-schema.js";
import { itemId } from "../text/digest.js";
import { fitBudget } from "./fit-budget.js";
import { flagSuspectText } from "./flag-suspect-text.js";
import { orderFailures } from "./order-failures.js";
import { packetId } from "./packet-id.js";
import { bySeverity } from "./rank-risks.js";
import { createTextKeeper, type TextKeeper } from "./text-keeper.js";

type Content = Omit<HandoffPacket, "packet_id">;

/** Edits, and where they are kept: the path that sources name. */
export interface KeptEdits {
  readonly path: string;
  readonly edits: PacketEdits;
}

interface Row {
  readonly id: string;
}
interface ItemEdit {
  readonly replaces: string | null;
}

/** Rows that are removed go, replaced ones change in place, new ones follow; one row an id, where an edit's stands. */
function editRows<R extends Row, E extends ItemEdit>(
  rows: readonly R[],
  edits: { readonly removed: readonly string[]; readonly items: readonly E[] },
  make: (item: E, replaced: R | null) => R | null,
): R[] {
  const removed = new Set(edits.removed);
  // By the ids rows have now: a new text of one row may well be the old text of another.
  const places = new Map<string, R>(rows.filter(({ id }) => !removed.has(id)).map((row) => [row.id, row]));
  const added: R[] = [];
  const result = new Map(places);
  for (const item of edits.items) {
    const replaced = item.replaces === null ? null : (places.get(item.replaces) ?? null);
    const made = make(item, replaced);
    if (made === null) continue;
    if (replaced === null) added.push(made);
    else result.set(replaced.id, made);
  }
  const all = [...result.values(), ...added];
  return [...new Map(all.map((row) => [row.id, row])).values()];
}

/** Sources of rows that come from edits.json, as that file counts its items. */
function pointTo(source: Source, path: string, field: string, index: number): Source {
  return source.path === path && index !== -1 ? { path, pointer: `/${field}/items/${index}` } : source;
}

/** What blocking findings can be recognised by in prose: their code in parentheses, and path- or command-like words. */
function findingWords(risks: readonly OpenRisk[]): string[] {
  return risks.flatMap(({ detail }) => {
    const code = /^(\S+)$|\(([^()\s]+)\)$/u.exec(detail);
    const words = (detail.match(/[\p{L}\p{N}_@.:/\\-]+/gu) ?? []).filter((word) =>
      /[./\\_:]/u.test(word.slice(0, -1)),
    );
    return [code?.[1] ?? code?.[2] ?? "", ...words].map((word) => word.replace(/[.:]+$/u, "").toLowerCase());
  });
}

/** Does the edited action name any of the blocking findings? As P26 asks of a recorded one. */
function ignoringRisk(action: string, risks: readonly OpenRisk[], source: Source): OpenRisk[] {
  const blocking = risks.filter(
    ({ code, severity }) => code === "verification.finding" && severity === "block",
  );
  const words = findingWords(blocking).filter((word) => word.length > 2);
  if (blocking.length === 0 || words.some((word) => action.toLowerCase().includes(word))) return [];
  const detail = "the edited next action names none of the blocking findings";
  return [{ severity: "warn", code: "next_action.ignores_verdict", detail, original_severity: null, source }];
}

function applyNextAction(packet: Content, { path, edits }: KeptEdits, keep: TextKeeper): Content {
  const text = edits.next_action === null ? "" : keep.line(edits.next_action.to, "next_action");
  if (text === "") return packet;
  const source = { path, pointer: "/next_action" };
  const others = packet.open_risks.filter(({ code }) => code !== "next_action.ignores_verdict");
  return {
    ...packet,
    next_action: text,
    next_action_source: { derived: false, rule: "recorded", source },
    degraded: packet.degraded?.reason === "no_next_action" ? null : packet.degraded,
    open_risks: bySeverity([...others, ...ignoringRisk(text, others, source)]),
  };
}

/**
 * The packet with the edits in it. `kept` is where they are and what sources point into; `edits` what is to be applied
 * now: all that is kept when the packet is generated, the newest when it has the earlier ones already.
 */
export function applyEdits(packet: Content, kept: KeptEdits, edits: PacketEdits = kept.edits): Content {
  const keep = createTextKeeper();
  const { path } = kept;
  const source = { path };
  const whyRow = (kind: "decision" | "dead_end", item: { what: string; why: string | null }) => {
    const what = keep.line(item.what, "detail");
    const why = item.why === null ? "" : keep.line(item.why, "detail");
    return what === "" ? null : { id: itemId(kind, what), what, why: why === "" ? null : why, source };
  };
  const whatAt = (rows: readonly { what: string }[], what: string): number =>
    rows.findIndex((item) => keep.line(item.what, "detail") === what);
  const decisions = editRows<WhyItem, PacketEdits["decisions"]["items"][number]>(
    packet.decisions,
    edits.decisions,
    (item, replaced) => {
      const row = whyRow("decision", item);
      return row === null ? null : { ...row, carried_from: replaced?.carried_from ?? null };
    },
  );
  const dead_ends = editRows<FailedAttempt, PacketEdits["dead_ends"]["items"][number]>(
    packet.failed_attempts.filter(({ kind }) => kind === "dead_end"),
    edits.dead_ends,
    (item, replaced) => {
      const row = whyRow("dead_end", item);
      return row === null ? null : { ...DEAD_END, ...row, carried_from: replaced?.carried_from ?? null };
    },
  );
  const questions = editRows<TextItem, PacketEdits["questions"]["items"][number]>(
    packet.questions_for_human,
    edits.questions,
    (item, replaced) => {
      const text = keep.line(item.text, "detail");
      const carried_from = replaced?.carried_from ?? null;
      return text === "" ? null : { id: itemId("question", text), text, carried_from, source };
    },
  );
  const gone = new Set(edits.scene.removed);
  const added = edits.scene.added.map((file) => keep.exact(file, "path")).filter((file) => file !== "");
  const others = packet.failed_attempts.filter(({ kind }) => kind !== "dead_end");
  const edited: Content = {
    ...packet,
    doing: edits.doing === null ? packet.doing : emptyIsNull(keep.line(edits.doing.to ?? "", "prose")),
    decisions: decisions.map((row) => ({
      ...row,
      source: pointTo(row.source, path, "decisions", whatAt(kept.edits.decisions.items, row.what)),
    })),
    failed_attempts: orderFailures([
      ...others,
      ...dead_ends.map((row) => ({
        ...row,
        source: pointTo(row.source, path, "dead_ends", whatAt(kept.edits.dead_ends.items, row.what)),
      })),
    ]),
    questions_for_human: questions.map((row) => ({
      ...row,
      source: pointTo(
        row.source,
        path,
        "questions",
        kept.edits.questions.items.findIndex(({ text }) => keep.line(text, "detail") === row.text),
      ),
    })),
    scene: [...new Set([...packet.scene.filter((file) => !gone.has(file)), ...added])],
  };
  return withCarried(applyNextAction(edited, { path, edits }, keep));
}

function emptyIsNull(text: string): string | null {
  return text === "" ? null : text;
}

/** `carried_forward` names the packets that items still come from. */
function withCarried(packet: Content): Content {
  const rows = [
    ...packet.failed_attempts,
    ...packet.decisions,
    ...packet.assumptions_to_validate,
    ...packet.questions_for_human,
  ];
  const from = new Set(rows.map(({ carried_from }) => carried_from));
  return { ...packet, carried_forward: packet.carried_forward.filter((id) => from.has(id)) };
}

/**
 * A packet from disk with new edits: `kept` is everything that is kept now, `edits` what this edit adds to it. Its id is
 * new, its life (status, links) as before.
 */
export function editPacket(
  packet: HandoffPacket,
  kept: KeptEdits,
  edits: PacketEdits,
  maxBytes: number,
): HandoffPacket {
  const { packet_id: _, schema_version, ...rest } = packet;
  const plain = {
    schema_version,
    ...rest,
    open_risks: rest.open_risks.filter(({ code }) => code !== "suspect_text"),
  };
  const applied = applyEdits(plain, kept, edits);
  const flagged = {
    ...applied,
    open_risks: bySeverity([...applied.open_risks, ...flagSuspectText(applied)]),
  };
  const remainder = packet.failed_attempts.find(({ kind }) => kind === "remainder");
  const folded = { groups: 0, records: remainder?.count ?? 0, unresolved_groups: 0 };
  const { schema_version: version, ...fitted } = fitBudget(flagged, folded, maxBytes);
  return { schema_version: version, packet_id: packetId({ schema_version: version, ...fitted }), ...fitted };
}
