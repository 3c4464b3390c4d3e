// Do a packet's two files still say what was generated (P39)? Reads only; JSON is the truth, Markdown its rendering.
import { readArtifactFile } from "../io/read-artifact-file.js";
import type { Diagnostic, DiagnosticCode } from "../model/diagnostic.js";
import { readMarkdownStamp } from "../render/markdown-stamp.js";
import { renderMarkdown } from "../render/render-markdown.js";
import type { TemplateOverrides } from "../render/templates.js";
import type { FoundPacket } from "./locate-packet.js";

function finding(code: DiagnosticCode, path: string, args: Diagnostic["args"]): Diagnostic {
  return { code, severity: "error", artifact: "packet", source: { path }, args };
}

/**
 * Findings about one packet, none when all is well: the JSON validates, `packet_id` is what the content gives, the
 * Markdown carries that id and the JSON's digest, and it reads as the JSON renders with these templates.
 */
export async function checkPacket(
  found: FoundPacket,
  templates?: TemplateOverrides,
): Promise<readonly Diagnostic[]> {
  const { file, json_path, markdown_path } = found;
  if (file.status !== "packet") return [finding("packet.invalid", json_path, { reason: file.reason })];
  const findings: Diagnostic[] = [];
  const diverged = (path: string, detail: string): void => {
    findings.push(finding("packet.diverged", path, { detail }));
  };
  const edited = (code: DiagnosticCode, path: string, detail: string): void => {
    findings.push(finding(code, path, { detail }));
  };
  const { packet } = file;
  if (!file.id_matches) edited("drift.packet_edited", json_path, "handoff.json was changed by hand");
  if (packet.session_id !== found.entry.session_id)
    diverged(
      json_path,
      `it names session ${packet.session_id}, but is the packet of ${found.entry.session_id} in the index`,
    );

  const markdown = await readArtifactFile(found.out, markdown_path);
  if (markdown.status === "missing") diverged(markdown_path, "handoff.md is missing");
  else if (markdown.status !== "read") diverged(markdown_path, "handoff.md cannot be read");
  else {
    const stamp = readMarkdownStamp(markdown.text);
    if (stamp === null) diverged(markdown_path, "handoff.md carries no packet id");
    else if (stamp.packet_id !== packet.packet_id)
      diverged(markdown_path, `handoff.md is of ${stamp.packet_id}, handoff.json is ${packet.packet_id}`);
    else if (stamp.sha256 !== file.sha256)
      diverged(markdown_path, "handoff.md was rendered from other bytes than handoff.json holds now");
    else {
      const rendered = renderMarkdown(packet, {
        jsonSha256: file.sha256,
        ...(templates === undefined ? {} : { overrides: templates }),
      });
      if (rendered !== markdown.text)
        edited("drift.markdown_edited", markdown_path, "handoff.md was changed by hand");
    }
  }
  return findings;
}
