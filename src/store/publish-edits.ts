// Puts a person's edits into the active packet of a session (P39): edits.json first, so that whatever happens afterwards the
// next generation applies them, then the packet.
import { RefusalError, UsageError } from "../model/errors.js";
import type { PacketEdits } from "../model/packet-edits-schema.js";
import type { IndexEntry } from "../model/store-index.js";
import { editPacket } from "../packet/apply-edits.js";
import { joinEdits } from "../packet/derive-edits.js";
import { renderJson } from "../render/render-json.js";
import { renderMarkdown } from "../render/render-markdown.js";
import type { GeneratedHandoff } from "../generate/generate-handoff.js";
import { redactPacket } from "../generate/redact-packet.js";
import type { Redactor } from "../redact/create-redactor.js";
import { itemId, sha256Hex } from "../text/digest.js";
import { changeStore, type ChangeOptions, type StoreChange } from "./change-store.js";
import { previewPublication } from "./place-packet.js";
import { publishLocked, type Published } from "./publish-packet.js";
import { readStore } from "./read-store.js";
import { entryFile, readEntry, selectActive } from "./select-packet.js";
import { EDITS_FILE, editsPath, gateEdits, readSessionEdits, writeEdits } from "./session-edits.js";
import { assertPacketBytes } from "./validate-packet.js";

/** Edits, and the packet they were made on. */
export interface EditPublication extends ChangeOptions {
  readonly entry: IndexEntry;
  readonly edits: PacketEdits;
  /** Budget of handoff.json (P35). */
  readonly maxBytes: number;
  /** The gate (S13) that edits pass like everything else. */
  readonly redactor: Redactor;
}

function outrun(by: IndexEntry | null): RefusalError {
  return new RefusalError(
    "edit.outrun",
    by === null
      ? "the packet was archived while it was being edited"
      : `packet ${by.packet_id} of session ${by.session_id} took over while this one was being edited`,
    "edit that one: handoff edit",
  );
}

/**
 * Applies the edits to the session's packet as it is now: it may have been generated again since it was opened. With the store
 * held from the first look to the last: of two that edit at once, or of one beside a session that generates, neither loses
 * what the other wrote. Throws RefusalError `edit.outrun` (exit 1) when another session's packet took over, UsageError (exit 2)
 * when something cannot be written.
 */
export async function publishEdits(publication: EditPublication): Promise<Published> {
  // A store that is not there is not made.
  if ((await readStore(publication)).out === null) throw outrun(null);
  return changeStore(publication, (change) => editLocked(change, publication));
}

async function editLocked(change: StoreChange, publication: EditPublication): Promise<Published> {
  const { root, outDir, templates, entry, maxBytes, redactor } = publication;
  const edits = gateEdits(publication.edits, redactor);
  const place = { root, outDir };
  const { out } = change;
  const active = selectActive(change.index(), entry);
  if (active === null || active.session_id !== entry.session_id) throw outrun(active);
  const file = await readEntry(out, active);
  if (file.status !== "packet") throw outrun(null);
  const line = { session: entry.session_id, branch: entry.branch, topic: entry.topic };
  const earlier = await readSessionEdits(place, line);
  if (earlier.kept === null && earlier.folder !== null)
    throw new UsageError(
      "edit.edits_unusable",
      "the edits kept so far cannot be read, and are not written over",
      "mend or remove the file",
      { path: entryFile(out, active, EDITS_FILE) },
    );
  const joined = earlier.kept === null ? edits : joinEdits(earlier.kept.edits, edits, itemId);
  const render = (folder: string): GeneratedHandoff => {
    const kept = { path: editsPath(root, out, folder), edits: joined };
    const packet = redactPacket(editPacket(file.packet, kept, edits, maxBytes), redactor);
    const json = renderJson(packet);
    const options = {
      jsonSha256: sha256Hex(json),
      ...(templates === undefined ? {} : { overrides: templates }),
    };
    return { packet, json, markdown: renderMarkdown(packet, options) };
  };
  // A packet that somebody took is frozen: the edited one follows it, in a folder of its own, and its edits go there.
  const isFrozen = active.consumed_by.length > 0;
  const folder = isFrozen
    ? await previewPublication(place, render(active.path), templates).then(({ dir }) => folderOf(out, dir))
    : active.path;
  const made = render(folder);
  assertPacketBytes(made.json);
  await writeEdits(out, folder, joined, redactor);
  const published = await publishLocked(change, {
    ...(templates === undefined ? {} : { templates }),
    ...made,
    against: isFrozen ? active.packet_id : active.supersedes,
  });
  if (published.status === "moved") throw outrun(selectActive(change.index(), entry));
  return { ...published, diagnostics: [...earlier.diagnostics, ...published.diagnostics] };
}

function folderOf(out: string, dir: string): string {
  return dir.slice(out.length + 1).replaceAll("\\", "/");
}
