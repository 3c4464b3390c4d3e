// The verdict on a packet that check and brief share (S7): its files, its life in the index, the workbench as it is now.
import type { Drift } from "../model/drift.js";
import type { HandoffPacket } from "../model/packet.js";
import type { StoreIndex } from "../model/store-index.js";
import { decideDrift } from "../packet/decide-drift.js";
import { checkPacket } from "../store/check-packet.js";
import type { FoundPacket } from "../store/locate-packet.js";
import { activeBranches, entryOfId, readEntry } from "../store/select-packet.js";
import { readDriftFacts } from "../workbench/read-drift-facts.js";
import { CACHE_FOLDER, gatedBranch, type OpenWorkbench } from "./open-workbench.js";
import { progressBar } from "./progress.js";
import type { Terminal } from "./terminal.js";

/** The packet that this one was generated against, as the scan's cursor was taken with it (P20). */
async function readPredecessor(
  { out, index }: FoundPacket,
  packet: HandoffPacket,
): Promise<HandoffPacket | null> {
  const entry = entryOfId(index, packet.supersedes);
  const file = entry === null ? null : await readEntry(out, entry);
  return file?.status === "packet" ? file.packet : null;
}

/** Reads and decides. */
export async function readDrift(
  workbench: OpenWorkbench,
  found: FoundPacket,
  packet: HandoffPacket,
  terminal: Terminal,
): Promise<Drift> {
  const { root, config, outDir, templates } = workbench;
  const bar = progressBar(terminal);
  try {
    const [file_findings, predecessor] = await Promise.all([
      checkPacket(found, templates),
      readPredecessor(found, packet),
    ]);
    const facts = await readDriftFacts(root, packet, {
      config,
      outDir,
      cacheDir: CACHE_FOLDER,
      env: terminal.env,
      predecessor,
      onProgress: bar.update,
    });
    const { status, superseded_by } = packet;
    const branch = gatedBranch(facts.branch, terminal);
    return decideDrift(packet, { ...facts, branch, status, superseded_by, file_findings });
  } finally {
    bar.done();
  }
}

/** Where a packet would be found: the branches that have an active one (S6), for a hint. */
export function branchesHint(index: StoreIndex): string {
  const names = activeBranches(index).map((name) => name ?? "no branch");
  return names.length === 0
    ? "no branch has an active packet; handoff generate writes one"
    : `active packets: ${names.join(", ")}`;
}
