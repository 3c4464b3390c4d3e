// What the index should say, given what folders hold (S3): pure. The index counts; a folder it does not know is a publication
// that was cut short, finished here; a second copy of a packet is an archive that was cut short, cleared away.
import type { IndexEntry, StoreIndex } from "../model/store-index.js";
import { entryFromFile, indexFromEntries } from "./rebuild-index.js";
import type { PacketFile } from "./read-packet.js";
import { ARCHIVE, holdsPacket, type ScannedFolder, type ScannedPacket } from "./scan-packets.js";
import { isSameLine } from "./select-packet.js";

/** The outcome; `actions` in words for a person. */
export interface Reconciled {
  readonly index: StoreIndex;
  /** Folders whose packet is a second copy of one that is kept. */
  readonly redundant: readonly string[];
  readonly actions: readonly string[];
}

/**
 * True for a row that says something else than the packet at its path, content and life aside: the index is of another store,
 * or somebody moved folders. A file that was changed by hand says nothing against its row. Pure.
 */
export function disagrees(entry: IndexEntry, file: PacketFile): boolean {
  if (file.status !== "packet" || !file.id_matches) return false;
  const { packet_id, session_id } = file.packet;
  return packet_id !== entry.packet_id || session_id !== entry.session_id || !isSameLine(file.packet, entry);
}

/** The session's next packet, put in its own packet's place, of which the index was not told any more. */
function isNext(entry: IndexEntry, { file }: ScannedPacket): boolean {
  return (
    entry.status === "active" &&
    file.id_matches &&
    file.packet.packet_id !== entry.packet_id &&
    file.packet.session_id === entry.session_id &&
    isSameLine(file.packet, entry)
  );
}

/** The rows of folders the index knows, and those it names wrongly. */
interface SortedRows {
  readonly rows: IndexEntry[];
  /** Rows of which nothing is there any more. */
  readonly gone: Map<string, IndexEntry>;
  /** Ids of packets that took a row's place. */
  readonly next: Set<string>;
  readonly actions: string[];
}

/** Each row as it is, or that of the packet that took its place; rows that say something else than their files go. */
function sortRows(index: StoreIndex, byFolder: ReadonlyMap<string, ScannedFolder>): SortedRows {
  const sorted: SortedRows = { rows: [], gone: new Map(), next: new Set(), actions: [] };
  for (const entry of index.packets) {
    const scanned = byFolder.get(entry.path);
    if (scanned === undefined || (scanned.file.status !== "missing" && !holdsPacket(scanned)))
      sorted.rows.push(entry);
    else if (!holdsPacket(scanned)) sorted.gone.set(entry.packet_id, entry);
    else if (isNext(entry, scanned)) {
      const taken = entryFromFile(scanned);
      sorted.rows.push(taken);
      sorted.next.add(taken.packet_id);
      sorted.actions.push(`${taken.packet_id} took the place of ${entry.packet_id}`);
    } else if (disagrees(entry, scanned.file))
      sorted.actions.push(
        `dropped a row of the index that is not true: ${entry.packet_id} is not in ${entry.path}`,
      );
    else sorted.rows.push(entry);
  }
  return sorted;
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
  const redundant: string[] = [];
  const { gone, next: taken, actions, ...sorted } = sortRows(index, byFolder);
  let { rows } = sorted;
  // Content published before that took the session's own packet's place: its earlier place is a second copy.
  const next = new Map(
    rows
      .filter(({ packet_id, sequence }) => sequence === 0 && taken.has(packet_id))
      .map((entry) => [entry.packet_id, entry]),
  );
  for (const earlier of rows.filter(({ packet_id, sequence }) => sequence > 0 && next.has(packet_id))) {
    const { consumed_by } = earlier;
    rows = rows
      .filter((entry) => entry !== earlier)
      .map((entry) => (entry.packet_id === earlier.packet_id ? { ...entry, consumed_by } : entry));
    redundant.push(earlier.path);
  }
  const byId = new Map(rows.map((entry) => [entry.packet_id, entry]));
  // The folder of a row that was dropped is one that the index does not know.
  const folders = new Set([...rows, ...gone.values()].map(({ path }) => path));
  for (const path of redundant) folders.add(path);
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
