// Mends what a writer that died left in some folders: the index, the files' status, second copies, temporary files.
import { readdir, rmdir, unlink } from "node:fs/promises";
import path from "node:path";
import { hasCode } from "../io/has-code.js";
import { readArtifactFile } from "../io/read-artifact-file.js";
import { asWriteError, isTemporary } from "../io/write-atomic.js";
import type { IndexEntry } from "../model/store-index.js";
import { readMarkdownStamp } from "../render/markdown-stamp.js";
import type { TemplateOverrides } from "../render/templates.js";
import type { StoreChange } from "./change-store.js";
import { changedEntries } from "./plan-publication.js";
import { reconcileIndex } from "./reconcile-index.js";
import { CONSUMED_FILE, scanFolder, type ScannedFolder } from "./scan-packets.js";
import { settlePacket, withSettledDigests } from "./settle-packet.js";

async function remove(file: string): Promise<boolean> {
  try {
    await unlink(file);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return false;
    throw asWriteError(error, file);
  }
}

/** Removes a folder, and the one above it, if nothing is in it. */
async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
  await rmdir(path.dirname(folder)).catch(() => undefined);
}

/**
 * Removes the files of a packet that is kept elsewhere, and the folder if nothing else is in it.
 * @param withEdits what a person edited went along
 */
export async function removePacketFiles(out: string, folder: string, withEdits: boolean): Promise<void> {
  const absolute = path.join(out, ...folder.split("/"));
  // handoff.json goes last: until then the folder is known for what it is.
  for (const name of [...(withEdits ? ["edits.json"] : []), CONSUMED_FILE, "handoff.md", "handoff.json"])
    await remove(path.join(absolute, name));
  await removeIfEmpty(absolute);
}

/** What a generation takes over of edits by hand is written without the lock: a temporary file of theirs may be in use. */
function mayBeInUse(name: string): boolean {
  const pid = Number(/^\.edits\.json\.(\d+)\./u.exec(name)?.[1] ?? "0");
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}

/** Removes temporary files; all but those of edits are the lock holder's. */
async function removeTemporary(folder: string): Promise<number> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch {
    return 0;
  }
  let count = 0;
  for (const name of names.filter((one) => isTemporary(one) && !mayBeInUse(one)))
    if (await remove(path.join(folder, name))) count += 1;
  return count;
}

/** A handoff.md that came in place before its handoff.json, which never did: the packet it renders does not exist. */
async function removeLoneMarkdown(out: string, { folder, file }: ScannedFolder): Promise<boolean> {
  if (file.status !== "missing") return false;
  const target = path.join(out, ...folder.split("/"), "handoff.md");
  const read = await readArtifactFile(out, target);
  if (read.status !== "read" || readMarkdownStamp(read.text) === null) return false;
  return remove(target);
}

/** Entries of these folders, and those whose life is no longer what it was. */
function toSettle(change: StoreChange, folders: ReadonlySet<string>, changed: readonly IndexEntry[]) {
  const ids = new Set(changed.map(({ packet_id }) => packet_id));
  return change
    .index()
    .packets.filter(({ path: folder, packet_id }) => folders.has(folder) || ids.has(packet_id));
}

/**
 * Mends these folders (relative to the store's root) and the root itself. Gives what was done, in words for a person;
 * again right after: nothing. Throws UsageError when something cannot be written.
 */
export async function repairFolders(
  change: StoreChange,
  folders: readonly string[],
  templates?: TemplateOverrides,
): Promise<string[]> {
  const { out } = change;
  const looked = new Map<string, ScannedFolder>();
  for (const folder of folders) if (!looked.has(folder)) looked.set(folder, await scanFolder(out, folder));
  // A packet that is in one of them too may have its place elsewhere: that is looked at as well.
  const ids = new Set(
    [...looked.values()].flatMap(({ file }) => (file.status === "packet" ? [file.packet.packet_id] : [])),
  );
  for (const { packet_id, path: folder } of change.index().packets)
    if (ids.has(packet_id) && !looked.has(folder)) looked.set(folder, await scanFolder(out, folder));

  const before = change.index();
  const { index, redundant, actions } = reconcileIndex(before, [...looked.values()]);
  const changed = changedEntries(before, index);
  const inFolders = index.packets.filter(({ path: folder }) => looked.has(folder));
  await change.commit(await withSettledDigests(out, index, [...new Set([...inFolders, ...changed])]));
  const done = [...actions];
  for (const entry of toSettle(change, new Set(looked.keys()), changed)) {
    const settled = await settlePacket(out, entry, templates);
    change.diagnostics.push(...settled.diagnostics);
    if (settled.changed) done.push(`brought the files of ${entry.packet_id} up to date`);
  }
  for (const folder of redundant) {
    await removePacketFiles(out, folder, true);
    done.push(`removed the second copy in ${folder}`);
  }
  let temporary = await removeTemporary(out);
  for (const [folder, scanned] of looked) {
    temporary += await removeTemporary(path.join(out, ...folder.split("/")));
    const absolute = path.join(out, ...folder.split("/"));
    if (await removeLoneMarkdown(out, scanned))
      done.push(`removed a handoff.md without a packet from ${folder}`);
    if (scanned.file.status === "missing") await removeIfEmpty(absolute);
  }
  if (temporary > 0) done.push(`removed ${temporary} temporary files`);
  return done;
}
