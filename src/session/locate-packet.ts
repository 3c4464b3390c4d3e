// The packet that a caller speaks of: named, or the active one of the branch that is checked out and the topic (S6).
import { UsageError } from "../model/errors.js";
import type { HandoffPacket } from "../model/packet.js";
import { locatePacket as locateInStore, type FoundPacket } from "../store/locate-packet.js";
import { gatedBranch, type Workbench } from "./open-workbench.js";

/** Which one; both null: the active one of the branch and the workbench's topic. */
export interface PacketName {
  /** A packet id, a beginning of one or a session id. */
  readonly ref?: string | null;
  readonly topic?: string | null;
}

/** Finds it. Throws RefusalError `packet.missing` when there is none, naming the branches that have one. */
export async function locatePacket(workbench: Workbench, name: PacketName = {}): Promise<FoundPacket> {
  const { root, outDir, config } = workbench;
  const ref = name.ref ?? null;
  const topic = name.topic ?? config.topic ?? "main";
  const branch = ref === null ? gatedBranch(await workbench.branch(), workbench) : null;
  return locateInStore({ root, outDir, ref, branch, topic });
}

/**
 * The packet of a found file, its status and links as the index gives them. Throws UsageError (exit 2) when the file is
 * none.
 */
export function packetOf({ file, entry, json_path }: FoundPacket): HandoffPacket {
  if (file.status === "packet") {
    const { status, supersedes, superseded_by } = entry;
    // Replaced in place since the index was read: then the file is the newer of the two.
    return file.packet.packet_id === entry.packet_id
      ? { ...file.packet, status, supersedes, superseded_by }
      : file.packet;
  }
  throw new UsageError("packet.invalid", `not a valid packet: ${file.reason}`, "generate it again", {
    path: json_path,
  });
}
