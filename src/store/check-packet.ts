// Do a packet's two files still say what was generated (P39)? Reads only; JSON is the truth, Markdown its rendering. A writer puts
// the two in place one after the other: what does not fit counts only when nobody is at it.
import { setTimeout as delay } from "node:timers/promises";
import { readArtifactFile } from "../io/read-artifact-file.js";
import type { Diagnostic, DiagnosticCode } from "../model/diagnostic.js";
import { readMarkdownStamp } from "../render/markdown-stamp.js";
import { renderMarkdown } from "../render/render-markdown.js";
import type { TemplateOverrides } from "../render/templates.js";
import type { FoundPacket } from "./locate-packet.js";
import { readPacketFile, type PacketFile } from "./read-packet.js";
import { isAbandoned, isLocked } from "./store-lock.js";

/** A writer between the two files is waited for; each of its steps waits for the disk. */
const LOOKS = 40;
const LOOK_MS = 50;

type Packet = Extract<PacketFile, { readonly status: "packet" }>;

function finding(code: DiagnosticCode, path: string, args: Diagnostic["args"]): Diagnostic {
  return { code, severity: "error", artifact: "packet", source: { path }, args };
}

/** What of the Markdown does not fit this JSON; null: it is its rendering. */
async function misfit(
  { out, markdown_path }: FoundPacket,
  { packet, sha256 }: Packet,
  templates?: TemplateOverrides,
): Promise<Diagnostic | null> {
  const diverged = (detail: string): Diagnostic => finding("packet.diverged", markdown_path, { detail });
  const markdown = await readArtifactFile(out, markdown_path);
  if (markdown.status === "missing") return diverged("handoff.md is missing");
  if (markdown.status !== "read") return diverged("handoff.md cannot be read");
  const stamp = readMarkdownStamp(markdown.text);
  if (stamp === null) return diverged("handoff.md carries no packet id");
  if (stamp.packet_id !== packet.packet_id)
    return diverged(`handoff.md is of ${stamp.packet_id}, handoff.json is ${packet.packet_id}`);
  if (stamp.sha256 !== sha256)
    return diverged("handoff.md was rendered from other bytes than handoff.json holds now");
  const overrides = templates === undefined ? {} : { overrides: templates };
  return renderMarkdown(packet, { jsonSha256: sha256, ...overrides }) === markdown.text
    ? null
    : finding("drift.markdown_edited", markdown_path, { detail: "handoff.md was changed by hand" });
}

/**
 * The same of the two files as they lie there now: the packet may have been replaced or moved since it was found. Of one that
 * was, whoever goes on with what was found learns when it is taken.
 */
async function misfitNow(
  found: FoundPacket,
  first: Packet,
  templates?: TemplateOverrides,
): Promise<Diagnostic | null> {
  const { out, json_path } = found;
  let file: PacketFile = first;
  for (let look = 1; file.status === "packet"; look += 1) {
    const told = await misfit(found, file, templates);
    if (told === null || look === LOOKS) return told;
    // Asked before the JSON is read again: a writer that had begun and is gone by now has put it there.
    const isBusy = (await isLocked(out)) && !(await isAbandoned(out));
    const now = await readPacketFile(out, json_path);
    const isSame = now.status === "packet" && now.sha256 === file.sha256;
    if (isSame && !isBusy) return told;
    if (isSame) await delay(LOOK_MS);
    file = now;
  }
  return null;
}

/**
 * Findings about one packet, none when all is well: the JSON validates, `packet_id` is what the content gives, the
 * Markdown carries that id and the JSON's digest, and it reads as the JSON renders with these templates.
 */
export async function checkPacket(
  found: FoundPacket,
  templates?: TemplateOverrides,
): Promise<readonly Diagnostic[]> {
  const { file, json_path, entry } = found;
  if (file.status !== "packet") return [finding("packet.invalid", json_path, { reason: file.reason })];
  const findings: Diagnostic[] = [];
  const { packet } = file;
  if (!file.id_matches)
    findings.push(finding("drift.packet_edited", json_path, { detail: "handoff.json was changed by hand" }));
  if (packet.session_id !== entry.session_id) {
    const detail = `it names session ${packet.session_id}, but is the packet of ${entry.session_id} in the index`;
    findings.push(finding("packet.diverged", json_path, { detail }));
  }
  const markdown = await misfitNow(found, file, templates);
  return markdown === null ? findings : [...findings, markdown];
}
