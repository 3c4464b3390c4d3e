// What a publication makes of the index: pure. A packet goes to the head of its line; what it replaces leaves the line, what
// it follows is superseded. Ids stay unique, so the same content published again moves to the head instead of doubling.
import type { HandoffPacket } from "../model/packet.js";
import type { IndexEntry, StoreIndex } from "../model/store-index.js";
import { entryOf } from "./lifecycle.js";
import { entryOfId, findPredecessor, selectActive } from "./select-packet.js";

/** Where a packet goes, before its bytes are known. */
export interface Place {
  /** The packet it follows, or null. */
  readonly predecessor: IndexEntry | null;
  /** This session's own packet whose place it takes, or null. */
  readonly replaced: IndexEntry | null;
  /** The same content published before, or null. */
  readonly known: IndexEntry | null;
}

/** Decides what a packet follows and what it replaces. */
export function decidePlace(index: StoreIndex, packet: HandoffPacket): Place {
  const { packet_id, session_id: session, branch, topic } = packet;
  const active = selectActive(index, { branch, topic });
  const known = entryOfId(index, packet_id);
  const isOwn = active !== null && active.session_id === session && active.consumed_by.length === 0;
  if (active !== null && active === known)
    return { predecessor: entryOfId(index, active.supersedes), replaced: active, known };
  const follows = findPredecessor(index, { session, branch, topic });
  // It cannot follow itself: the line closes where it stood.
  const predecessor = follows !== null && follows === known ? entryOfId(index, follows.supersedes) : follows;
  return { predecessor, replaced: isOwn ? active : null, known };
}

type Entries = Map<string, IndexEntry>;

function change(entries: Entries, packetId: string | null, fields: Partial<IndexEntry>): void {
  const entry = packetId === null ? undefined : entries.get(packetId);
  if (entry !== undefined) entries.set(entry.packet_id, { ...entry, ...fields });
}

/** Takes a packet out of its line and closes the gap. */
function unlinkEntry(entries: Entries, packetId: string): void {
  const entry = entries.get(packetId);
  if (entry === undefined) return;
  entries.delete(packetId);
  for (const other of entries.values()) {
    if (other.supersedes === packetId) change(entries, other.packet_id, { supersedes: entry.supersedes });
    if (other.superseded_by === packetId)
      change(entries, other.packet_id, { superseded_by: entry.superseded_by });
  }
}

/** A planned publication: the new entry and the index with it. Digests of changed older entries are still to be filled in. */
export interface PlannedPublication {
  readonly entry: IndexEntry;
  readonly index: StoreIndex;
}

/**
 * Plans it. `packet` has the life decided by {@link decidePlace}: active, superseding `place.predecessor`.
 * @param path the folder its files go to
 */
export function planPublication(
  index: StoreIndex,
  packet: HandoffPacket,
  { predecessor, replaced, known }: Place,
  { path, json_sha256 }: { readonly path: string; readonly json_sha256: string },
): PlannedPublication {
  const entries: Entries = new Map(index.packets.map((entry) => [entry.packet_id, entry]));
  if (replaced !== null) unlinkEntry(entries, replaced.packet_id);
  if (known !== null) unlinkEntry(entries, known.packet_id);
  const consumed_by = known?.consumed_by ?? [];
  const facts = { path, json_sha256, sequence: index.sequence + 1, consumed_by };
  const entry = entryOf(packet, facts);
  if (predecessor !== null) {
    const status = predecessor.status === "active" ? "superseded" : predecessor.status;
    change(entries, predecessor.packet_id, { status, superseded_by: entry.packet_id });
  }
  // Nothing new: the row keeps its place, so that the same bytes again write nothing (P34).
  if (known !== null && known === replaced) {
    const same = { ...entry, sequence: known.sequence };
    if (JSON.stringify(same) === JSON.stringify(known)) return { entry: known, index };
  }
  return {
    entry,
    index: {
      ...index,
      sequence: entry.sequence,
      packets: [...entries.values(), entry],
    },
  };
}

/** Entries of `next` whose status or links are not what they were: their files are to be brought up to date. */
export function changedEntries(before: StoreIndex, next: StoreIndex): IndexEntry[] {
  const old = new Map(before.packets.map((entry) => [entry.packet_id, entry]));
  return next.packets.filter((entry) => {
    const was = old.get(entry.packet_id);
    return (
      was !== undefined &&
      was !== entry &&
      (was.status !== entry.status ||
        was.supersedes !== entry.supersedes ||
        was.superseded_by !== entry.superseded_by)
    );
  });
}
