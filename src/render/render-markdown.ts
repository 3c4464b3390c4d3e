// handoff.md: the packet for a person, who decides in a minute what comes next. A rendering; handoff.json is the truth.
import type { HandoffPacket } from "../model/packet.js";
import { tidyBlankLines } from "./markdown-lines.js";
import { renderStamp } from "./markdown-stamp.js";
import { packetView } from "./packet-view.js";
import { loadTemplate, type TemplateOverrides } from "./templates.js";

/** What else a rendering needs: the digest of the bytes of handoff.json, and a project's own templates. */
export interface MarkdownOptions {
  /** SHA-256 of {@link renderJson}'s bytes, lower-case hex. */
  readonly jsonSha256: string;
  readonly overrides?: TemplateOverrides;
}

/** handoff.md, ending in the stamp and a newline. Same packet, same bytes. Throws UsageError for a broken override (P37). */
export function renderMarkdown(packet: HandoffPacket, { jsonSha256, overrides }: MarkdownOptions): string {
  const body = loadTemplate("handoff", overrides)(packetView(packet));
  return `${tidyBlankLines(body)}\n\n${renderStamp(packet, jsonSha256)}\n`;
}
