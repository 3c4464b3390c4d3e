// The one call that makes a packet: snapshot in, packet and the bytes of both files out. Pure (P13). Secrets go first (S13).
import type { HandoffPacket } from "../model/packet.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { buildPacket, type PacketOptions } from "../packet/build-packet.js";
import { createRedactor, type Redactor } from "../redact/create-redactor.js";
import { renderJson } from "../render/render-json.js";
import { renderMarkdown } from "../render/render-markdown.js";
import type { TemplateOverrides } from "../render/templates.js";
import { sha256Hex } from "../text/digest.js";
import { redactPacket } from "./redact-packet.js";
import { redactSnapshot } from "./redact-snapshot.js";

export interface GenerateOptions extends Omit<PacketOptions, "redactions"> {
  /** A project's own templates, see src/render/README.md. */
  readonly templates?: TemplateOverrides;
  /** The gate (S13). Default: the built-in rules; one made with the environment also knows the values of its secrets. */
  readonly redactor?: Redactor;
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
  const redactor = options.redactor ?? createRedactor();
  const redacted = redactSnapshot(snapshot, redactor);
  const built = buildPacket(redacted.snapshot, { ...options, redactions: redacted.counts });
  const packet = redactPacket(built, redactor);
  const json = renderJson(packet);
  const markdown = renderMarkdown(packet, {
    jsonSha256: sha256Hex(json),
    ...(options.templates === undefined ? {} : { overrides: options.templates }),
  });
  return { packet, markdown, json };
}
