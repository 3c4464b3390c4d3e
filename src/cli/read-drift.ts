// The verdict on a packet (S7), with a bar while its log is read.
import type { Drift } from "../model/drift.js";
import type { HandoffPacket } from "../model/packet.js";
import type { Workbench } from "../session/open-workbench.js";
import { readDrift as read } from "../session/read-drift.js";
import type { FoundPacket } from "../store/locate-packet.js";
import { progressBar } from "./progress.js";
import type { Terminal } from "./terminal.js";

/** Reads and decides. */
export async function readDrift(
  workbench: Workbench,
  found: FoundPacket,
  packet: HandoffPacket,
  terminal: Terminal,
): Promise<Drift> {
  const bar = progressBar(terminal);
  return read(workbench, found, packet, { onProgress: bar.update }).finally(bar.done);
}
