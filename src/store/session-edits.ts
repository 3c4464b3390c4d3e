// edits.json beside a session's packets (P39): found through the index, applied whenever the session's packet is generated,
// joined with what somebody changed by hand in handoff.json.
import path from "node:path";
import { ensureFolder, writeAtomic } from "../io/write-atomic.js";
import { isInside, readArtifactFile } from "../io/read-artifact-file.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { HandoffPacket } from "../model/packet.js";
import type { PacketEdits } from "../model/packet-edits-schema.js";
import type { IndexEntry, StoreIndex } from "../model/store-index.js";
import type { KeptEdits } from "../packet/apply-edits.js";
import { joinEdits } from "../packet/derive-edits.js";
import { createTextKeeper } from "../packet/text-keeper.js";
import { takeOverEdits } from "../packet/take-over-edits.js";
import type { Redactor } from "../redact/create-redactor.js";
import { itemId, sha256Hex } from "../text/digest.js";
import { parseJson } from "../text/parse-json.js";
import { readPacketFile, type PacketFile } from "./read-packet.js";
import { readStore, type StorePlace } from "./read-store.js";
import { entryFile, isSameLine, selectActive, type Line } from "./select-packet.js";

/** File beside a packet that holds its edits. */
export const EDITS_FILE = "edits.json";

/** A session's packets on one branch and topic. */
export type SessionLine = Line & { readonly session: string };

/** Edits as they are kept, and what could not be used. `folder` is relative to the store's root. */
export interface SessionEdits {
  readonly kept: KeptEdits | null;
  readonly folder: string | null;
  /** Of the file's bytes, or why they cannot be read; null: there is none. */
  readonly digest: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

const NO_EDITS: SessionEdits = { kept: null, folder: null, digest: null, diagnostics: [] };

/** The path that sources name: from the workbench's root, or from the store's when that lies elsewhere. */
export function editsPath(root: string, out: string, folder: string): string {
  const file = path.join(out, ...folder.split("/"), EDITS_FILE);
  return isInside(file, root)
    ? path.relative(root, file).replaceAll(path.sep, "/")
    : `${folder}/${EDITS_FILE}`;
}

function unusable(file: string, reason: string): Diagnostic {
  return {
    code: "packet.edits_unusable",
    severity: "warn",
    artifact: "packet",
    source: { path: file },
    args: { reason },
  };
}

/** The session's packets of a line that are not archived, newest first. */
function sessionEntries(index: StoreIndex, { session, branch, topic }: SessionLine): IndexEntry[] {
  const line = { branch: branch === null ? null : createTextKeeper().exact(branch, "path"), topic };
  return index.packets
    .filter((entry) => entry.session_id === session && entry.status !== "archived" && isSameLine(entry, line))
    .toSorted((a, b) => b.sequence - a.sequence);
}

/** The newest edits.json of a session as a file; null: there is none. Never throws for what is on disk. */
async function findEdits(out: string, index: StoreIndex, line: SessionLine) {
  for (const entry of sessionEntries(index, line)) {
    const read = await readArtifactFile(out, entryFile(out, entry, EDITS_FILE));
    if (read.status !== "missing")
      return { entry, read, digest: read.status === "read" ? read.sha256 : read.status };
  }
  return null;
}

/** Reads the newest edits.json of a session. Never throws for what is on disk. */
async function readEdits(
  root: string,
  out: string,
  index: StoreIndex,
  line: SessionLine,
): Promise<SessionEdits> {
  const found = await findEdits(out, index, line);
  if (found === null) return NO_EDITS;
  const { entry, read, digest } = found;
  const file = editsPath(root, out, entry.path);
  const bad = (reason: string): SessionEdits => ({
    kept: null,
    folder: entry.path,
    digest,
    diagnostics: [unusable(file, reason)],
  });
  if (read.status !== "read") return bad(`the file cannot be read (${read.status.replaceAll("_", " ")})`);
  const parsed = parseJson(read.text);
  if (!parsed.ok) return bad(parsed.reason);
  // Needs zod, which costs more than all the rest of a hook: only for an edit that is there.
  const { packetEditsSchema } = await import("../model/packet-edits-schema.js");
  const checked = packetEditsSchema.safeParse(parsed.value);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    return bad(`/${issue?.path.join("/") ?? ""}: ${issue?.message ?? "not valid"}`);
  }
  return { kept: { path: file, edits: checked.data }, folder: entry.path, digest, diagnostics: [] };
}

/** The edits kept for a session's packet on one line. */
export async function readSessionEdits(place: StorePlace, line: SessionLine): Promise<SessionEdits> {
  const { out, index } = await readStore(place);
  return out === null ? NO_EDITS : readEdits(place.root, out, index, line);
}

/** Names of the packet and of its rows: found by them, they pass no gate but the packet's own (S13). */
function isName(place: readonly string[]): boolean {
  const [first = ""] = place;
  if (place.length === 1) return ["schema_version", "session_id", "branch", "topic"].includes(first);
  return place.at(-1) === "replaces" || (first !== "scene" && place.at(-2) === "removed");
}

/** Edits without their secrets (S13). */
export function gateEdits(edits: PacketEdits, redactor: Redactor): PacketEdits {
  return redactor.redactStrings(edits, { skip: isName }).value;
}

/** Writes edits beside a packet, atomically and through the gate (S13). Gives the digest of the bytes. Throws UsageError (exit 2). */
export async function writeEdits(
  out: string,
  folder: string,
  edits: PacketEdits,
  redactor: Redactor,
): Promise<string> {
  const { packetEditsSchema } = await import("../model/packet-edits-schema.js");
  const clean = packetEditsSchema.parse(gateEdits(edits, redactor));
  const text = `${JSON.stringify(clean, null, 2)}\n`;
  const target = path.join(out, ...folder.split("/"), EDITS_FILE);
  await ensureFolder(path.dirname(target), { base: out });
  await writeAtomic(target, text, { base: out });
  return sha256Hex(text);
}

/** The session's own packet, where that one is active: its id. */
function ownPacket(index: StoreIndex, line: SessionLine): string | null {
  const active = selectActive(index, line);
  return active?.session_id === line.session ? active.packet_id : null;
}

/** The packet with what somebody changed in it by hand; null: nobody did, or it is no packet any more. */
function editedPacket(file: PacketFile): HandoffPacket | null {
  if (file.status === "invalid") return file.mended;
  return file.status === "packet" && !file.id_matches ? file.packet : null;
}

/** What a generation needs of edits: those to apply, and those to write before it is published. */
export interface PreparedEdits {
  readonly kept: KeptEdits | null;
  /** Writes what was taken over; nothing to do in most cases. */
  readonly save: () => Promise<void>;
  /** False once somebody has edited since, or made the session's packet anew: by the store as it is then. */
  readonly stillHold: (store: { readonly out: string; readonly index: StoreIndex }) => Promise<boolean>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The edits to generate with: the ones that are kept, joined with what somebody changed by hand in the session's own
 * handoff.json. `generate` makes the packet with given edits; it is called only when there is something to compare.
 */
export async function prepareEdits(
  place: StorePlace,
  line: SessionLine,
  generate: (kept: KeptEdits | null) => HandoffPacket,
  redactor: Redactor,
): Promise<PreparedEdits> {
  const { out, index } = await readStore(place);
  const found = out === null ? NO_EDITS : await readEdits(place.root, out, index, line);
  let { digest } = found;
  const stillHold: PreparedEdits["stillHold"] = async (store) =>
    ownPacket(store.index, line) === ownPacket(index, line) &&
    ((await findEdits(store.out, store.index, line))?.digest ?? null) === digest;
  const nothing = async (): Promise<void> => {};
  const { kept, diagnostics } = found;
  const plain = { kept, save: nothing, stillHold, diagnostics };
  const active = selectActive(index, line);
  // A packet that somebody took is frozen: the next one follows it and carries its items.
  const isOwn = active !== null && active.session_id === line.session && active.consumed_by.length === 0;
  if (out === null || !isOwn) return plain;
  const file = await readPacketFile(out, entryFile(out, active, "handoff.json"), active.json_sha256);
  const edited = editedPacket(file);
  const source = { path: `${active.path}/handoff.json` };
  const say = (code: "edit.taken_over" | "edit.not_taken_over", names: readonly string[]): Diagnostic => ({
    code,
    severity: "warn",
    artifact: "packet",
    source,
    args: { fields: names.join(", ") },
  });
  if (edited === null) {
    const isSpoilt = file.status === "invalid" || (file.status === "foreign" && file.found !== undefined);
    const lost = isSpoilt ? [say("edit.not_taken_over", [`the whole file (${file.reason})`])] : [];
    return { ...plain, diagnostics: [...diagnostics, ...lost] };
  }
  const { edits, fields, unclear } = takeOverEdits(edited, generate(kept));
  if (edits === null) {
    const said = unclear.length === 0 ? [] : [say("edit.not_taken_over", unclear)];
    return { ...plain, diagnostics: [...diagnostics, ...said] };
  }
  const joined = kept === null ? edits : joinEdits(kept.edits, edits, itemId);
  // An edits.json that cannot be read is somebody's words all the same: it is not written over.
  const isLost = kept === null && found.folder !== null;
  const save = async (): Promise<void> => {
    digest = await writeEdits(out, active.path, joined, redactor);
  };
  return {
    ...plain,
    kept: { path: editsPath(place.root, out, active.path), edits: joined },
    save: isLost ? nothing : save,
    diagnostics: [...diagnostics, say("edit.taken_over", fields)],
  };
}
