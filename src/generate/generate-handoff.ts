// The one call that makes a packet: snapshot in, packet and the bytes of both files out. Pure (P13).
import type { HandoffPacket } from "../model/packet.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { buildPacket, type PacketOptions } from "../packet/build-packet.js";
import { renderJson } from "../render/render-json.js";
import { renderMarkdown } from "../render/render-markdown.js";
import type { TemplateOverrides } from "../render/templates.js";
import { sha256Hex } from "../text/digest.js";

export interface GenerateOptions extends PacketOptions {
  /** A project's own templates, see src/render/README.md. */
  readonly templates?: TemplateOverrides;
}

/** A packet with the exact contents of its two files. */
export interface GeneratedHandoff {
  readonly packet: HandoffPacket;
  readonly markdown: string;
  readonly json: string;
}

/**
 * Generates the packet of a snapshot. Same snapshot and options, same bytes.
 * Throws RefusalError `next_action.unknown` when nothing in the workbench says what comes next (unless
 * `allowDegraded`), UsageError for a broken template override.
 */
export function generateHandoff(
  snapshot: WorkbenchSnapshot,
  options: GenerateOptions = {},
): GeneratedHandoff {
  const packet = buildPacket(snapshot, options);
  const json = renderJson(packet);
  const markdown = renderMarkdown(packet, {
    jsonSha256: sha256Hex(json),
    ...(options.templates === undefined ? {} : { overrides: options.templates }),
  });
  return { packet, markdown, json };
}
