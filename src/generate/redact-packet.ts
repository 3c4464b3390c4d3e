// The gate behind the packet (S13): what was built or edited passes it once more, and its marks are counted.
import type { HandoffPacket } from "../model/packet.js";
import { packetId } from "../packet/packet-id.js";
import type { Redactor } from "../redact/create-redactor.js";

/** Every mark in a text; its kind is in the first group. */
const MARK = /\[redacted:([a-z0-9-]+)\]/gu;

/** How many marks of each kind stand in the packet, whatever the budget left out. */
function countMarks(packet: HandoffPacket): Record<string, number> {
  const counts: Record<string, number> = {};
  const text = JSON.stringify({ ...packet, redactions: {} });
  for (const [, kind = ""] of text.matchAll(MARK)) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/**
 * The packet passes the gate once more, since cleaning, cutting and joining texts can lay open what could not be seen
 * before; in nearly every case only the counts change.
 */
export function redactPacket(packet: HandoffPacket, redactor: Redactor): HandoffPacket {
  const { value } = redactor.redactStrings(packet, { skip: ([first]) => first === "redactions" });
  const counted = { ...value, redactions: countMarks(value) };
  return { ...counted, packet_id: packetId(counted) };
}
