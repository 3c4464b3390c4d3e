// An index from the packets alone (S2): what each says of itself, made consistent. One packet an id, links that agree from
// both sides, lines without circles, at most one active packet a branch and topic, the one that nothing follows.
import path from "node:path";
import type { Diagnostic } from "../model/diagnostic.js";
import { asReadError } from "../io/write-atomic.js";
import { UsageError } from "../model/errors.js";
import type { IndexEntry, StoreIndex } from "../model/store-index.js";
import { EMPTY_INDEX } from "./index-file.js";
import { entryOf } from "./lifecycle.js";
import { ARCHIVE, holdsPacket, listPacketFolders, scanFolder, type ScannedPacket } from "./scan-packets.js";
import { isSameLine } from "./select-packet.js";

const isArchived = (entry: IndexEntry): boolean =>
  entry.path.startsWith(`${ARCHIVE}/`) || entry.status === "archived";

/** Earlier first: as published, then by the time they speak of, then by id; whatever a folder lists first. */
function byAge(a: IndexEntry, b: IndexEntry): number {
  // What was never in an index (sequence 0) is newer than what was.
  const [x, y] = [a, b].map(({ sequence }) => (sequence === 0 ? Number.MAX_SAFE_INTEGER : sequence));
  if (x !== undefined && y !== undefined && x !== y) return x - y;
  const [s, t] = [a, b].map(({ generated_at, packet_id }) => `${generated_at ?? ""} ${packet_id}`);
  return (s ?? "") < (t ?? "") ? -1 : 1;
}

const RANK = { active: 0, superseded: 1, archived: 2 } as const;
const rankOf = (entry: IndexEntry): number => (isArchived(entry) ? RANK.archived : RANK[entry.status]);

/** One folder an id. Archiving or publishing again, cut short, leaves two: the one that drives more stands. */
function onePerId(found: readonly IndexEntry[]): Map<string, IndexEntry> {
  const kept = new Map<string, IndexEntry>();
  for (const one of found.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const other = kept.get(one.packet_id);
    if (other === undefined || rankOf(one) < rankOf(other)) kept.set(one.packet_id, one);
  }
  return kept;
}

/** Which packet each one follows, as far as both are there, no two follow the same one and no circle closes. */
function soundLinks(found: ReadonlyMap<string, IndexEntry>): Map<string, string> {
  const follows = new Map<string, string>();
  const followed = new Set<string>();
  const order = [...found.values()].toSorted(
    (a, b) => Number(isArchived(a)) - Number(isArchived(b)) || -byAge(a, b),
  );
  for (const entry of order) {
    const earlier = found.get(entry.supersedes ?? "");
    if (earlier === undefined || followed.has(earlier.packet_id) || !isSameLine(earlier, entry)) continue;
    let at: string | undefined = earlier.packet_id;
    while (at !== undefined && at !== entry.packet_id) at = follows.get(at);
    if (at !== undefined) continue;
    follows.set(entry.packet_id, earlier.packet_id);
    followed.add(earlier.packet_id);
  }
  return follows;
}

/** Followed packets before those that follow them, otherwise by age. */
function publicationOrder(
  found: ReadonlyMap<string, IndexEntry>,
  follows: ReadonlyMap<string, string>,
): IndexEntry[] {
  const placed = new Set<string>();
  const order: IndexEntry[] = [];
  for (const one of [...found.values()].toSorted(byAge)) {
    const line: IndexEntry[] = [];
    let at: IndexEntry | undefined = one;
    while (at !== undefined && !placed.has(at.packet_id)) {
      line.push(at);
      placed.add(at.packet_id);
      at = found.get(follows.get(at.packet_id) ?? "");
    }
    order.push(...line.reverse());
  }
  return order;
}

/**
 * The index that these rows give, each as its packet's files (or an earlier index) tell it. Pure; their order plays no part.
 */
export function indexFromEntries(found: readonly IndexEntry[]): StoreIndex {
  const byId = onePerId(found);
  const follows = soundLinks(byId);
  const followedBy = new Map([...follows].map(([later, earlier]) => [earlier, later]));
  const order = publicationOrder(byId, follows);
  const heads = new Map<string, string>();
  for (const entry of order)
    if (entry.status === "active" && !isArchived(entry) && !followedBy.has(entry.packet_id))
      heads.set(JSON.stringify([entry.branch, entry.topic]), entry.packet_id);
  const active = new Set(heads.values());
  // A link to a packet that is gone tells something; a link that a packet here contradicts does not.
  const dangling = (link: string | null): string | null => (byId.has(link ?? "") ? null : link);
  let sequence = 0;
  const packets = order.map((entry): IndexEntry => {
    const { packet_id, supersedes, superseded_by } = entry;
    const isActive = active.has(packet_id);
    sequence = Math.max(sequence + 1, entry.sequence);
    return {
      ...entry,
      status: isArchived(entry) ? "archived" : isActive ? "active" : "superseded",
      supersedes: follows.get(packet_id) ?? dangling(supersedes),
      superseded_by: followedBy.get(packet_id) ?? (isActive ? null : dangling(superseded_by)),
      sequence,
    };
  });
  return { ...EMPTY_INDEX, sequence, packets };
}

/** A packet's row as its files tell it. `sequence` 0: not in an index yet. */
export function entryFromFile({ folder, file, consumed_by }: ScannedPacket): IndexEntry {
  return entryOf(file.packet, { path: folder, json_sha256: file.sha256, sequence: 0, consumed_by });
}

/** An index made from the packets. */
export interface RebuiltIndex {
  readonly index: StoreIndex;
  readonly diagnostics: readonly Diagnostic[];
  /** Something that could not be looked at, so that packets may be missing; null: everything was seen. */
  readonly unreadable: UsageError | null;
}

function unusable(place: string, reason: string): Diagnostic {
  return {
    code: "packet.invalid",
    severity: "warn",
    artifact: "packet",
    source: { path: place },
    args: { reason },
  };
}

async function listOrNothing(out: string): Promise<{ folders: readonly string[]; error: UsageError | null }> {
  try {
    return { folders: await listPacketFolders(out), error: null };
  } catch (error) {
    if (error instanceof UsageError) return { folders: [], error };
    throw error;
  }
}

/** Looks through the store. What is no packet any more is said (`packet.invalid`) and left out. Never writes or throws. */
export async function rebuildIndex(out: string): Promise<RebuiltIndex> {
  const found: IndexEntry[] = [];
  const diagnostics: Diagnostic[] = [];
  let unreadable: RebuiltIndex["unreadable"] = null;
  const { folders, error } = await listOrNothing(out);
  if (error !== null) {
    unreadable = error;
    diagnostics.push(unusable(error.place?.path ?? out, error.message));
  }
  for (const folder of folders) {
    const scanned = await scanFolder(out, folder);
    const { file } = scanned;
    const name = `${folder}/handoff.json`;
    if (holdsPacket(scanned)) found.push(entryFromFile(scanned));
    else if (file.status === "invalid") diagnostics.push(unusable(name, file.reason));
    else if (file.status === "foreign" && file.unreadable !== undefined) {
      diagnostics.push(unusable(name, file.reason));
      unreadable ??= asReadError(file.unreadable, path.join(out, name));
    }
  }
  return { index: indexFromEntries(found), diagnostics, unreadable };
}
