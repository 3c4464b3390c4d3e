// Brings a packet's files up to date with the index, after the index was swapped: status, links, who took it. Content stays.
import path from "node:path";
import { commitTogether } from "../io/commit-together.js";
import { readArtifactFile } from "../io/read-artifact-file.js";
import { stageFile, writeAtomic, type StagedFile } from "../io/write-atomic.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { IndexEntry, StoreIndex } from "../model/store-index.js";
import { readMarkdownStamp } from "../render/markdown-stamp.js";
import { renderJson } from "../render/render-json.js";
import { renderMarkdown } from "../render/render-markdown.js";
import type { TemplateOverrides } from "../render/templates.js";
import { sha256Hex } from "../text/digest.js";
import { isEditedMarkdown } from "./edited-markdown.js";
import { keepEdited } from "./keep-edited.js";
import { hasLifecycle, withLifecycle } from "./lifecycle.js";
import { assertKnown, readPacketFile } from "./read-packet.js";
import { CONSUMED_FILE, renderConsumed } from "./scan-packets.js";
import { entryFile } from "./select-packet.js";

/** The digest that an entry's handoff.json has once it is settled; the entry's own where that cannot be told. */
async function settledDigest(out: string, entry: IndexEntry): Promise<string> {
  const target = entryFile(out, entry, "handoff.json");
  const file = await readPacketFile(out, target);
  assertKnown(file, target);
  if (file.status !== "packet" || !file.id_matches || file.packet.packet_id !== entry.packet_id)
    return entry.json_sha256;
  if (hasLifecycle(file.packet, entry)) return file.sha256;
  const { status, supersedes, superseded_by } = entry;
  return sha256Hex(renderJson({ ...file.packet, status, supersedes, superseded_by }));
}

/** The index with the digests that the files of these entries are about to have. Reads only. */
export async function withSettledDigests(
  out: string,
  index: StoreIndex,
  entries: readonly IndexEntry[],
): Promise<StoreIndex> {
  const digests = new Map<string, string>();
  for (const entry of entries) digests.set(entry.packet_id, await settledDigest(out, entry));
  const packets = index.packets.map((entry) => {
    const json_sha256 = digests.get(entry.packet_id) ?? entry.json_sha256;
    return json_sha256 === entry.json_sha256 ? entry : { ...entry, json_sha256 };
  });
  return { ...index, packets };
}

/** What settling did. */
export interface Settled {
  readonly changed: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** Settles handoff.json and handoff.md. Files that are no packet, or another one, are left alone: `handoff check` tells. */
async function settleFiles(out: string, entry: IndexEntry, templates?: TemplateOverrides): Promise<Settled> {
  const jsonPath = entryFile(out, entry, "handoff.json");
  const markdownPath = entryFile(out, entry, "handoff.md");
  const file = await readPacketFile(out, jsonPath);
  assertKnown(file, jsonPath);
  if (file.status !== "packet" || file.packet.packet_id !== entry.packet_id)
    return { changed: false, diagnostics: [] };
  const diagnostics: Diagnostic[] = [];
  const sameLife = hasLifecycle(file.packet, entry);
  const markdown = await readArtifactFile(out, markdownPath);
  const stamp = markdown.status === "read" ? readMarkdownStamp(markdown.text) : null;
  if (sameLife && (!file.id_matches || stamp?.sha256 === file.sha256)) return { changed: false, diagnostics };
  if (markdown.status === "read" && isEditedMarkdown(file, markdown.text, templates))
    diagnostics.push(await keepEdited(out, { folder: entry.path, name: "handoff.md", ...markdown }));
  const staged: StagedFile[] = [];
  const options = templates === undefined ? {} : { overrides: templates };
  if (sameLife) {
    const text = renderMarkdown(file.packet, { jsonSha256: file.sha256, ...options });
    staged.push(await stageFile(markdownPath, text, { base: out }));
  } else {
    if (!file.id_matches)
      diagnostics.push(await keepEdited(out, { folder: entry.path, name: "handoff.json", ...file }));
    const settled = withLifecycle(file.packet, entry, templates);
    try {
      staged.push(await stageFile(markdownPath, settled.markdown, { base: out }));
      staged.push(await stageFile(jsonPath, settled.json, { base: out }));
    } catch (error) {
      for (const one of staged) await one.discard();
      throw error;
    }
  }
  await commitTogether(staged);
  return { changed: true, diagnostics };
}

/** Settles the file that repeats who took the packet. */
async function settleConsumed(out: string, entry: IndexEntry): Promise<boolean> {
  if (entry.consumed_by.length === 0) return false;
  const target = entryFile(out, entry, CONSUMED_FILE);
  const text = renderConsumed(entry.packet_id, entry.consumed_by);
  const found = await readArtifactFile(out, target);
  const folder = await readPacketFile(out, path.join(path.dirname(target), "handoff.json"));
  if (folder.status === "missing" || (found.status === "read" && found.text === text)) return false;
  await writeAtomic(target, text, { base: out });
  return true;
}

/** Settles one packet; settling twice equals once. Throws UsageError when a file cannot be written. */
export async function settlePacket(
  out: string,
  entry: IndexEntry,
  templates?: TemplateOverrides,
): Promise<Settled> {
  const files = await settleFiles(out, entry, templates);
  const consumed = await settleConsumed(out, entry);
  return { changed: files.changed || consumed, diagnostics: files.diagnostics };
}
