// handoff.json as text: the same packet always gives the same bytes (P34).
import { handoffPacketSchema, type HandoffPacket } from "../model/packet.js";

/** The packet as JSON: keys in schema order, counters by name, two spaces, a final newline. Throws when it does not fit the schema. */
export function renderJson(packet: HandoffPacket): string {
  const ordered = handoffPacketSchema.parse(packet);
  const sorted = { ...ordered, omitted: byName(ordered.omitted), redactions: byName(ordered.redactions) };
  return `${JSON.stringify(sorted, null, 2)}\n`;
}

function byName(counters: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counters).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
