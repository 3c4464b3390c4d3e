// Writes a packet's two files, both in full before either takes its place, handoff.json last: it is the truth, and until
// it is there the old packet stands. Same bytes write nothing (P34). What is not ours is never destroyed.
import path from "node:path";
import { readArtifactFile } from "../io/read-artifact-file.js";
import { ensureFolder, stageFile, writeAtomic, type StagedFile } from "../io/write-atomic.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { UsageError } from "../model/errors.js";
import type { HandoffPacket } from "../model/packet.js";
import { readMarkdownStamp } from "../render/markdown-stamp.js";
import { sha256Hex } from "../text/digest.js";
import { readPacketFile, type PacketFile } from "./read-packet.js";
import { ensureStore, sessionFolder } from "./store-folder.js";
import { assertPacketBytes } from "./validate-packet.js";

/** A packet and the exact bytes of its two files. */
export interface Publication {
  /** Workbench root, absolute. */
  readonly root: string;
  /** The store's root, absolute or relative to the workbench. */
  readonly outDir: string;
  readonly packet: HandoffPacket;
  readonly json: string;
  readonly markdown: string;
}

/** What a publication did. */
export interface Published {
  /** Absolute real path of the folder with handoff.json and handoff.md. */
  readonly dir: string;
  /** False when both files already held these very bytes. */
  readonly changed: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

function refuseForeign(file: string, reason: string): never {
  throw new UsageError(
    "store.foreign_file",
    `there is a ${path.basename(file)} that handoff did not write, and it stays as it is: ${reason}`,
    "move it away, or name another folder with --out",
    { path: file },
  );
}

interface Edited {
  readonly name: "handoff.json" | "handoff.md";
  readonly text: string;
  readonly sha256: string;
}

/** Keeps what somebody changed by hand under `archive/`, named by its content, so that keeping it twice is once. */
async function keepEdited(out: string, session: string, { name, text, sha256 }: Edited): Promise<Diagnostic> {
  const folder = path.join("archive", "edited");
  const kept = path.join(folder, `${session}-${sha256.slice(0, 12)}.${name}`);
  await ensureFolder(path.join(out, folder), { base: out });
  await writeAtomic(path.join(out, kept), text, { base: out });
  return {
    code: "packet.edited",
    severity: "warn",
    artifact: "packet",
    source: { path: `${session}/${name}` },
    args: { kept: kept.replaceAll(path.sep, "/") },
  };
}

function isEdited(found: PacketFile): found is Extract<PacketFile, { readonly text: string }> {
  return found.status === "invalid" || (found.status === "packet" && !found.id_matches);
}

/**
 * Publishes a packet as `<outDir>/<session_id>/handoff.{json,md}`. Idempotent.
 * Throws UsageError (exit 2) when a file cannot be written or is not ours: the files on disk are then as before;
 * a plain Error when the packet does not validate, which is a bug.
 */
export async function publishPacket(publication: Publication): Promise<Published> {
  const { root, outDir, packet, json, markdown } = publication;
  assertPacketBytes(json);
  const session = sessionFolder(packet.session_id);
  const out = await ensureStore(root, outDir);
  const dir = path.join(out, session);
  const jsonPath = path.join(dir, "handoff.json");
  const markdownPath = path.join(dir, "handoff.md");

  // Looked at before anything is made, so that a refusal leaves no trace.
  const oldJson = await readPacketFile(out, jsonPath);
  if (oldJson.status === "foreign") refuseForeign(jsonPath, oldJson.reason);
  const oldMarkdown = await readArtifactFile(out, markdownPath);
  if (oldMarkdown.status !== "missing") {
    if (oldMarkdown.status !== "read") refuseForeign(markdownPath, "it cannot be read as a file");
    if (oldJson.status === "missing" && readMarkdownStamp(oldMarkdown.text) === null)
      refuseForeign(markdownPath, "it carries no packet id");
  }

  const sameJson = "sha256" in oldJson && oldJson.sha256 === sha256Hex(json);
  const sameMarkdown = oldMarkdown.status === "read" && oldMarkdown.sha256 === sha256Hex(markdown);
  if (sameJson && sameMarkdown) return { dir, changed: false, diagnostics: [] };

  await ensureFolder(dir, { base: out });
  const diagnostics: Diagnostic[] = [];
  const keep = async (edited: Edited): Promise<void> => {
    diagnostics.push(await keepEdited(out, session, edited));
  };
  if (isEdited(oldJson)) await keep({ name: "handoff.json", ...oldJson });
  // Beside a packet of ours a Markdown without its stamp is ours too, but somebody wrote into it.
  if (oldMarkdown.status === "read" && readMarkdownStamp(oldMarkdown.text) === null)
    await keep({ name: "handoff.md", ...oldMarkdown });
  const staged: StagedFile[] = [];
  try {
    if (!sameMarkdown) staged.push(await stageFile(markdownPath, markdown, { base: out }));
    if (!sameJson) staged.push(await stageFile(jsonPath, json, { base: out }));
    for (const file of staged) await file.commit();
  } finally {
    for (const file of staged) await file.discard();
  }
  return { dir, changed: true, diagnostics };
}
