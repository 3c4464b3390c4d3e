// The verdict on a packet (S7): its files, its life in the index, the workbench as it is now.
import { RefusalError } from "../model/errors.js";
import type { Drift } from "../model/drift.js";
import type { HandoffPacket } from "../model/packet.js";
import type { StoreIndex } from "../model/store-index.js";
import { decideDrift } from "../packet/decide-drift.js";
import { checkPacket } from "../store/check-packet.js";
import type { FoundPacket } from "../store/locate-packet.js";
import { activeBranches, entryOfId, readEntry } from "../store/select-packet.js";
import { describeDiagnostic } from "../text/diagnostic-text.js";
import { readDriftFacts, type DriftFactsOptions } from "../workbench/read-drift-facts.js";
import { CACHE_FOLDER, gatedBranch, type Workbench } from "./open-workbench.js";

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
  workbench: Workbench,
  found: FoundPacket,
  packet: HandoffPacket,
  { onProgress }: Pick<DriftFactsOptions, "onProgress"> = {},
): Promise<Drift> {
  const { root, config, outDir, templates, env } = workbench;
  const [file_findings, predecessor] = await Promise.all([
    checkPacket(found, templates),
    readPredecessor(found, packet),
  ]);
  const facts = await readDriftFacts(root, packet, {
    config,
    outDir,
    cacheDir: CACHE_FOLDER,
    env,
    predecessor,
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  const { status, superseded_by } = packet;
  const branch = gatedBranch(facts.branch, workbench);
  return decideDrift(packet, { ...facts, branch, status, superseded_by, file_findings });
}

/** Where a packet would be found: the branches that have an active one (S6), for a hint. */
export function branchesHint(index: StoreIndex): string {
  const names = activeBranches(index).map((name) => name ?? "no branch");
  return names.length === 0
    ? "no branch has an active packet; handoff generate writes one"
    : `active packets: ${names.join(", ")}`;
}

/** A packet that must not be used (S7): the code is that of the worst finding. */
export class DriftRefusal extends RefusalError {
  constructor(
    readonly findings: Drift["findings"],
    worst: Drift["findings"][number],
    index: StoreIndex,
  ) {
    super(worst.code, describeDiagnostic(worst), branchesHint(index));
  }
}
