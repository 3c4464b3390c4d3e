// An index that is well formed may still be another store's. A writer compares the few rows it is about to build on with the
// packets at their paths, and the newest row; where one is not true, the whole store is looked through (S2).
import path from "node:path";
import type { Diagnostic } from "../model/diagnostic.js";
import type { IndexEntry, StoreIndex } from "../model/store-index.js";
import type { TemplateOverrides } from "../render/templates.js";
import type { StoreChange } from "./change-store.js";
import { readPacketFile } from "./read-packet.js";
import { indexRebuilt } from "./read-store.js";
import { disagrees } from "./reconcile-index.js";
import { repairFolders } from "./repair-folders.js";
import { ARCHIVE, holdsPacket, listPacketFolders, scanFolder } from "./scan-packets.js";
import { entryFile } from "./select-packet.js";

/** Every folder that may hold a packet, as the disk and as the index have it, and where changed files are kept. */
export async function allFolders(out: string, index: StoreIndex): Promise<string[]> {
  const known = index.packets.map((entry) => entry.path);
  return [...new Set([...(await listPacketFolders(out)), ...known, path.posix.join(ARCHIVE, "edited")])];
}

function newest({ packets }: StoreIndex): IndexEntry | null {
  let found: IndexEntry | null = null;
  for (const entry of packets) if (found === null || entry.sequence > found.sequence) found = entry;
  return found;
}

/** Does the disk hold a packet that the index does not know? */
async function hasUnknown(out: string, index: StoreIndex): Promise<boolean> {
  const known = new Set(index.packets.map((entry) => entry.path));
  for (const folder of await listPacketFolders(out))
    if (!known.has(folder) && holdsPacket(await scanFolder(out, folder))) return true;
  return false;
}

/**
 * Is one of these rows, or the newest one, not true? A packet that is merely gone is no reason: its row still links the line.
 * Where the newest is gone and others are there that no row names, the index is another store's.
 */
async function isDoubtful(
  out: string,
  index: StoreIndex,
  rows: readonly (IndexEntry | null)[],
): Promise<boolean> {
  const last = newest(index);
  for (const entry of new Set([...rows, last])) {
    if (entry === null) continue;
    const file = await readPacketFile(out, entryFile(out, entry, "handoff.json"), entry.json_sha256);
    if (disagrees(entry, file)) return true;
    if (entry === last && file.status === "missing" && (await hasUnknown(out, index))) return true;
  }
  return false;
}

/**
 * Under the lock: makes the index true where one of these rows is not. Says so (`store.index_rebuilt`); true: the index
 * has changed. Throws UsageError when something cannot be read or written.
 */
export async function mistrustIndex(
  change: StoreChange,
  rows: readonly (IndexEntry | null)[],
  templates?: TemplateOverrides,
): Promise<boolean> {
  const { out } = change;
  const before = change.index();
  if (!(await isDoubtful(out, before, rows))) return false;
  const folders = await allFolders(out, before);
  await change.announce(folders);
  await repairFolders(change, folders, templates);
  if (change.index() === before) return false;
  const said: Diagnostic = indexRebuilt(
    "its rows say something else than the packets they name",
    change.index().packets.length,
  );
  change.diagnostics.push(said);
  return true;
}
