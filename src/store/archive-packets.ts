// Archiving (S1): an archived packet is kept below archive/ and never drives anything. Copies first, then the index swap,
// then the old places are cleared: at every moment the index names a place where the packet is.
import { readArtifactFile } from "../io/read-artifact-file.js";
import { asReadError } from "../io/write-atomic.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { IndexEntry } from "../model/store-index.js";
import { sha256Hex } from "../text/digest.js";
import { changeStore, type ChangeOptions, type NewFile, type StoreChange } from "./change-store.js";
import { isEditedMarkdown } from "./edited-markdown.js";
import { keepEdited } from "./keep-edited.js";
import { withLifecycle } from "./lifecycle.js";
import { readPacketFile } from "./read-packet.js";
import { readStore } from "./read-store.js";
import { removePacketFiles } from "./repair-folders.js";
import { ARCHIVE, CONSUMED_FILE } from "./scan-packets.js";
import { entryFile } from "./select-packet.js";

/** What to archive. */
export interface Archiving extends ChangeOptions {
  /** Chooses among the entries that are not archived yet, under the lock; gives packet ids. May throw to refuse. */
  readonly select: (entries: readonly IndexEntry[]) => readonly string[];
}

/** What was archived: packet ids, in the order of the index. */
export interface Archived {
  readonly archived: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The packet's files as they go to the archive, and the digest of its handoff.json there. */
async function archivedFiles(
  out: string,
  entry: IndexEntry,
  folder: string,
  templates: ChangeOptions["templates"],
): Promise<{ files: NewFile[]; json_sha256: string; kept: Diagnostic[] }> {
  const texts = new Map<string, string>();
  for (const name of ["edits.json", CONSUMED_FILE, "handoff.md", "handoff.json"]) {
    const read = await readArtifactFile(out, entryFile(out, entry, name));
    if (read.status === "read") texts.set(name, read.text);
    // What is not copied must not be cleared away.
    else if (read.status !== "missing")
      throw asReadError(
        read.status === "unreadable" ? read.reason : read.status,
        entryFile(out, entry, name),
      );
  }
  const found = await readPacketFile(out, entryFile(out, entry, "handoff.json"));
  const kept: Diagnostic[] = [];
  const written = texts.get("handoff.md");
  if (written !== undefined && found.status === "packet" && isEditedMarkdown(found, written, templates)) {
    const edited = { folder: entry.path, name: "handoff.md", text: written } as const;
    kept.push(await keepEdited(out, { ...edited, sha256: sha256Hex(written) }));
  }
  if (found.status === "packet") {
    const { json, markdown } = withLifecycle(found.packet, { ...entry, status: "archived" }, templates);
    texts.set("handoff.md", markdown);
    texts.set("handoff.json", json);
  }
  const json = texts.get("handoff.json");
  return {
    files: [...texts].map(([name, text]) => ({ path: `${folder}/${name}`, text })),
    json_sha256: json === undefined ? entry.json_sha256 : sha256Hex(json),
    kept,
  };
}

async function archiveLocked(change: StoreChange, { select, templates }: Archiving): Promise<Archived> {
  const { out, diagnostics } = change;
  const index = change.index();
  const open = index.packets.filter(({ status }) => status !== "archived");
  const chosen = new Set(select(open));
  const moving = open.filter(({ packet_id }) => chosen.has(packet_id));
  if (moving.length === 0) return { archived: [], diagnostics };
  const place = (entry: IndexEntry): string => `${ARCHIVE}/${entry.packet_id}`;
  await change.announce(moving.flatMap((entry) => [entry.path, place(entry)]));
  const files: NewFile[] = [];
  const rows = new Map<string, IndexEntry>();
  for (const entry of moving) {
    const copy = await archivedFiles(out, entry, place(entry), templates);
    files.push(...copy.files);
    diagnostics.push(...copy.kept);
    const { json_sha256 } = copy;
    rows.set(entry.packet_id, { ...entry, status: "archived", path: place(entry), json_sha256 });
  }
  const packets = index.packets.map((entry) => rows.get(entry.packet_id) ?? entry);
  await change.commit({ ...index, packets }, files);
  for (const entry of moving)
    // What is left behind is a second copy; the next repair clears it away.
    await removePacketFiles(out, entry.path, true).catch(() => undefined);
  return { archived: moving.map(({ packet_id }) => packet_id), diagnostics };
}

/** Moves packets to `archive/<packet_id>/`. All or none; archiving again changes nothing. Throws UsageError (exit 2). */
export async function archivePackets(archiving: Archiving): Promise<Archived> {
  // A store that is not there is not made.
  const { out } = await readStore(archiving);
  if (out === null) return { archived: archiving.select([]), diagnostics: [] };
  return changeStore(archiving, (change) => archiveLocked(change, archiving));
}
