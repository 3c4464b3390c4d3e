// What the index should say, given what folders hold (S3): pure. The index counts; a folder it does not know is a publication
// that was cut short, finished here; a second copy of a packet is an archive that was cut short, cleared away.
import type { IndexEntry, StoreIndex } from "../model/store-index.js";
import { entryFromFile, indexFromEntries } from "./rebuild-index.js";
import { ARCHIVE, holdsPacket, type ScannedFolder, type ScannedPacket } from "./scan-packets.js";
import { isSameLine } from "./select-packet.js";

/** The outcome; `actions` in words for a person. */
export interface Reconciled {
  readonly index: StoreIndex;
  /** Folders whose packet is a second copy of one that is kept. */
  readonly redundant: readonly string[];
  readonly actions: readonly string[];
}

/** The row of a folder the index knows: its own, or that of the packet that took its place. Null: nothing is there any more. */
function keptEntry(entry: IndexEntry, scanned: ScannedFolder | undefined): IndexEntry | null {
  if (scanned === undefined) return entry;
  if (scanned.file.status === "missing") return null;
  if (!holdsPacket(scanned)) return entry;
  const { packet, id_matches } = scanned.file;
  const isNext =
    id_matches &&
    packet.packet_id !== entry.packet_id &&
    packet.session_id === entry.session_id &&
    isSameLine(packet, entry);
  return isNext && entry.status === "active" ? entryFromFile(scanned) : entry;
}

/** A copy of our own making: one of the two is in the archive, or both are the session's. */
function isOwnCopy(copy: ScannedPacket, kept: IndexEntry): boolean {
  const top = (folder: string): string => folder.split("/")[0] ?? "";
  return (
    copy.file.id_matches &&
    (top(copy.folder) === ARCHIVE || top(kept.path) === ARCHIVE || top(copy.folder) === top(kept.path))
  );
}

/** Brings an index and the folders that were looked at together. Folders that were not looked at are as the index says. */
export function reconcileIndex(index: StoreIndex, scanned: readonly ScannedFolder[]): Reconciled {
  const byFolder = new Map(scanned.map((one) => [one.folder, one]));
  const actions: string[] = [];
  const redundant: string[] = [];
  let rows: IndexEntry[] = [];
  const gone = new Map<string, IndexEntry>();
  for (const entry of index.packets) {
    const kept = keptEntry(entry, byFolder.get(entry.path));
    if (kept === null) gone.set(entry.packet_id, entry);
    else {
      rows.push(kept);
      if (kept !== entry) actions.push(`${kept.packet_id} took the place of ${entry.packet_id}`);
    }
  }
  // Content published before that took the session's own packet's place: its earlier place is a second copy.
  const next = new Map(
    rows.filter(({ sequence }) => sequence === 0).map((entry) => [entry.packet_id, entry]),
  );
  for (const earlier of rows.filter(({ packet_id, sequence }) => sequence > 0 && next.has(packet_id))) {
    const { consumed_by } = earlier;
    rows = rows
      .filter((entry) => entry !== earlier)
      .map((entry) => (entry.packet_id === earlier.packet_id ? { ...entry, consumed_by } : entry));
    redundant.push(earlier.path);
  }
  const byId = new Map(rows.map((entry) => [entry.packet_id, entry]));
  const folders = new Set(index.packets.map(({ path }) => path));
  for (const one of scanned.filter(holdsPacket)) {
    if (folders.has(one.folder)) continue;
    const { packet_id } = one.file.packet;
    const kept = byId.get(packet_id);
    if (kept !== undefined) {
      if (isOwnCopy(one, kept)) redundant.push(one.folder);
      continue;
    }
    const lost = gone.get(packet_id);
    const row = lost === undefined ? entryFromFile(one) : { ...lost, path: one.folder };
    gone.delete(packet_id);
    byId.set(packet_id, row);
    rows.push(row);
    actions.push(
      lost === undefined
        ? `published ${packet_id}, which stood in ${one.folder} without being in the index`
        : `${packet_id} is in ${one.folder} now`,
    );
  }
  for (const { packet_id, path } of gone.values())
    actions.push(`dropped ${packet_id}: its files in ${path} are gone`);
  return { index: actions.length === 0 ? index : indexFromEntries(rows), redundant, actions };
}
