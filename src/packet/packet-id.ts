// The packet's identity (P21): a hash of its content, so that the same work always has the same id.
import type { HandoffPacket } from "../model/packet.js";
import { canonicalJson, sha256Hex } from "../text/digest.js";

/** What a packet's life changes; none of it is content. */
const LIFECYCLE_KEYS = new Set(["packet_id", "status", "supersedes", "superseded_by", "handoff_reason"]);

/**
 * `hp_` + first 16 hex of SHA-256 over the RFC 8785 canonical JSON of the packet without what its life changes:
 * packet_id, status, supersedes, superseded_by, handoff_reason.
 */
export function packetId(packet: Omit<HandoffPacket, "packet_id"> | HandoffPacket): string {
  const content = Object.fromEntries(Object.entries(packet).filter(([key]) => !LIFECYCLE_KEYS.has(key)));
  return `hp_${sha256Hex(canonicalJson(content)).slice(0, 16)}`;
}
