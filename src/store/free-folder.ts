// Where a packet's files go (S2): a session's first packet on top of the session's folder, further ones below it, never
// over another packet.
import path from "node:path";
import type { HandoffPacket } from "../model/packet.js";
import type { StoreIndex } from "../model/store-index.js";
import { readPacketFile } from "./read-packet.js";
import { isSameLine } from "./select-packet.js";
import { sessionFolder } from "./store-folder.js";

/** A branch and topic as a folder's name, for people; what makes it unique is the number behind it. */
function lineName({ branch, topic }: HandoffPacket): string {
  const plain = `${branch ?? "no-branch"}.${topic}`.replaceAll(/[^A-Za-z0-9._-]+/gu, "-");
  return plain.replace(/^[.-]+/u, "").slice(0, 80) || "packet";
}

/**
 * The folder for a packet that takes no other's place, relative to the store's root with forward slashes. Throws UsageError
 * for a session id that cannot name a folder.
 */
export async function findFreeFolder(out: string, index: StoreIndex, packet: HandoffPacket): Promise<string> {
  const session = sessionFolder(packet.session_id);
  // Some file systems take S-1 and s-1 for one folder.
  const taken = new Set(index.packets.map((entry) => entry.path.toLowerCase()));
  const name = lineName(packet);
  for (let n = 0; ; n += 1) {
    const folder = n === 0 ? session : `${session}/${name}${n === 1 ? "" : `-${n}`}`;
    if (taken.has(folder.toLowerCase())) continue;
    const found = await readPacketFile(out, path.join(out, ...folder.split("/"), "handoff.json"));
    // What is there and in no index is this very packet's unfinished forerunner, or belongs to somebody else.
    const isForeign =
      found.status === "packet" && !(found.packet.session_id === session && isSameLine(found.packet, packet));
    if (!isForeign) return folder;
  }
}
