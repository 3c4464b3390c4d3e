// The packet a command speaks of: named, or the active one of the branch that is checked out.
import { UsageError } from "../model/errors.js";
import type { HandoffPacket } from "../model/packet.js";
import { locatePacket as locateInStore, type FoundPacket } from "../store/locate-packet.js";
import { readBranch } from "../workbench/read-branch.js";
import { idOption, textOption, type Arguments } from "./arguments.js";
import { gatedBranch, type OpenWorkbench } from "./open-workbench.js";
import { printDiagnostics } from "./report.js";
import type { Terminal } from "./terminal.js";

/** Finds it. Throws RefusalError `packet.missing` (exit 1) when there is none. */
export async function locatePacket(
  { root, outDir, config }: OpenWorkbench,
  args: Arguments,
  terminal: Terminal,
): Promise<FoundPacket> {
  const ref = textOption(args, "ref");
  const topic = idOption(args, "topic") ?? config.topic ?? "main";
  const branch = ref === null ? gatedBranch(await readBranch(root, terminal.env), terminal) : null;
  const found = await locateInStore({ root, outDir, ref, branch, topic });
  terminal.diagnostics.push(...found.diagnostics);
  printDiagnostics(terminal, found.diagnostics, false);
  return found;
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
