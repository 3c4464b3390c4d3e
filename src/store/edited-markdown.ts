// Did somebody write into a handoff.md (P39)? Asked before it is rendered anew, so that what they wrote is kept.
import { readMarkdownStamp } from "../render/markdown-stamp.js";
import { renderMarkdown } from "../render/render-markdown.js";
import type { TemplateOverrides } from "../render/templates.js";
import type { PacketFile } from "./read-packet.js";

/**
 * True for a Markdown beside a packet of ours that lost its stamp, or that carries the stamp of this very handoff.json and
 * does not read as it renders. Of one that was rendered from other bytes nothing can be said: false. A project's template
 * that was changed since looks the same as a changed file; then a copy too many is kept.
 */
export function isEditedMarkdown(json: PacketFile, markdown: string, templates?: TemplateOverrides): boolean {
  const stamp = readMarkdownStamp(markdown);
  if (stamp === null) return true;
  if (json.status !== "packet" || stamp.sha256 !== json.sha256) return false;
  const overrides = templates === undefined ? {} : { overrides: templates };
  return renderMarkdown(json.packet, { jsonSha256: json.sha256, ...overrides }) !== markdown;
}
