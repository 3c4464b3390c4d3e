// A next action that an earlier session recorded and this one neither replaced nor did away with (P28, P33). It is marked by
// its source: a packet instead of a file.
import type { NextActionSource } from "./packet.js";

/** How the next action of packet `packetId` is named as a source. */
export function carriedActionSource(packetId: string): NextActionSource {
  return { derived: true, rule: "recorded", source: { path: packetId, pointer: "/next_action" } };
}

/** True when an earlier session's packet is the source. */
export function isCarriedAction({ derived, rule }: NextActionSource): boolean {
  return derived && rule === "recorded";
}
