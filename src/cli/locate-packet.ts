// The packet a command speaks of: named, or the active one of the branch that is checked out.
import { findPacket, type FoundPacket } from "../store/find-packet.js";
import { idOption, textOption, type Arguments } from "./arguments.js";
import { readBranch } from "../workbench/read-branch.js";
import type { OpenWorkbench } from "./open-workbench.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "../model/errors.js";
import type { HandoffPacket } from "../model/packet.js";

/** Finds it. Throws RefusalError `packet.missing` (exit 1) when there is none. */
export async function locatePacket(
  { root, outDir }: OpenWorkbench,
  args: Arguments,
  terminal: Terminal,
): Promise<FoundPacket> {
  const ref = textOption(args, "ref");
  const topic = idOption(args, "topic");
  const branch = ref === null ? await readBranch(root, terminal.env) : null;
  return findPacket({ root, outDir, ref, branch, topic });
}

/** The packet of a found file. Throws UsageError (exit 2) when the file is none. */
export function packetOf({ file, json_path }: FoundPacket): HandoffPacket {
  if (file.status === "packet") return file.packet;
  throw new UsageError("packet.invalid", `not a valid packet: ${file.reason}`, "generate it again", {
    path: json_path,
  });
}
