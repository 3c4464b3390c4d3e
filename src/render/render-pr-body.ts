// The packet as a pull request body (A17): one marked block, at most as long as a body may be.
import type { HandoffPacket } from "../model/packet.js";
import { tidyBlankLines } from "./markdown-lines.js";
import { packetView } from "./packet-view.js";
import { PR_BODY_MAX_CHARS, cutBlock } from "./merge-pr-body.js";
import { loadTemplate, type TemplateOverrides } from "./templates.js";

export interface PrBodyOptions {
  /** Most characters (UTF-16 units, never fewer than GitHub counts) of the block, markers included. */
  readonly maxChars?: number;
  readonly overrides?: TemplateOverrides;
}

/**
 * The block for a pull request body, from its begin marker to its end marker, without a final newline. Cut at a line
 * with `… and N more lines`. Throws UsageError for a broken override, RefusalError when not even the markers fit.
 */
export function renderPrBody(packet: HandoffPacket, options: PrBodyOptions = {}): string {
  const { maxChars = PR_BODY_MAX_CHARS, overrides } = options;
  const body = tidyBlankLines(loadTemplate("pr_body", overrides)(packetView(packet)));
  // A log may show our own markers inside a fence; as they stand there they would end the block.
  const harmless = body.replaceAll(/<!-- handoff:(?=begin|end)/gu, "<!-- handoff :");
  const block = `<!-- handoff:begin ${packet.packet_id} -->\n${harmless}\n<!-- handoff:end -->`;
  return cutBlock(block, maxChars, "\n");
}
