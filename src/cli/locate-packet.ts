// The packet that a command's options name; what is wrong with the store is told on the way.
import { locatePacket as locate } from "../session/locate-packet.js";
import type { Workbench } from "../session/open-workbench.js";
import type { FoundPacket } from "../store/locate-packet.js";
import { idOption, textOption, type Arguments } from "./arguments.js";
import { tellDiagnostics } from "./report.js";
import type { Terminal } from "./terminal.js";

/** Finds it. Throws RefusalError `packet.missing` (exit 1) when there is none. */
export async function locatePacket(
  workbench: Workbench,
  args: Arguments,
  terminal: Terminal,
): Promise<FoundPacket> {
  const found = await locate(workbench, { ref: textOption(args, "ref"), topic: idOption(args, "topic") });
  tellDiagnostics(terminal, found.diagnostics, false);
  return found;
}
