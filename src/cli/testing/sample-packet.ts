// For tests: what the sample workbench generates, made once, and variants of it that are packets of their own.
import { rmSync } from "node:fs";
import { generateHandoff, type GeneratedHandoff } from "../../generate/generate-handoff.js";
import type { HandoffPacket } from "../../model/packet.js";
import { packetId } from "../../packet/packet-id.js";
import { renderJson } from "../../render/render-json.js";
import { renderMarkdown } from "../../render/render-markdown.js";
import { sha256Hex } from "../../text/digest.js";
import { loadSnapshot } from "../../workbench/load-snapshot.js";
import { sampleWorkbench } from "./sample-workbench.js";

/** The packet of {@link sampleWorkbench}. */
export async function samplePacket(): Promise<GeneratedHandoff> {
  const root = sampleWorkbench();
  try {
    return generateHandoff(await loadSnapshot(root, { env: { PATH: process.env["PATH"] } }));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** A packet with some fields changed, its id and both files made anew. */
export function variantOf(packet: HandoffPacket, changes: Partial<HandoffPacket>): GeneratedHandoff {
  const changed = { ...packet, ...changes };
  const whole = { ...changed, packet_id: packetId(changed) };
  const json = renderJson(whole);
  return { packet: whole, json, markdown: renderMarkdown(whole, { jsonSha256: sha256Hex(json) }) };
}
