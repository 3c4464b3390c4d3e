// handoff.json as text: the same packet always gives the same bytes (P34).
import type { HandoffPacket } from "../model/packet.js";
import { PACKET_KEYS } from "../model/packet-keys.js";
import { jsonText } from "../text/json-text.js";

/** The packet as JSON: keys in schema order, counters by name, two spaces, a final newline. Checks nothing: the store does. */
export function renderJson(packet: HandoffPacket): string {
  const ordered = Object.fromEntries(PACKET_KEYS.map((key) => [key, packet[key]]));
  const sorted = { ...ordered, omitted: byName(packet.omitted), redactions: byName(packet.redactions) };
  return `${jsonText(sorted)}\n`;
}

function byName(counters: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counters).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
