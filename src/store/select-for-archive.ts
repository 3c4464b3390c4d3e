// Which packets a rule archives. Pure: the time is handed in, it is the only rule of the store that is about now.
import type { IndexEntry } from "../model/store-index.js";

/** Conditions, all of which must hold; null does not ask. */
export interface ArchiveRule {
  readonly ids: ReadonlySet<string> | null;
  /** Generated before this time (ms since the epoch). A packet that carries no time is never old. */
  readonly before: number | null;
  /** All but so many of the newest of each branch and topic. */
  readonly keep: number | null;
  readonly merged: ReadonlySet<string> | null;
  readonly branch: string | null;
  readonly topic: string | null;
}

/** The entries to archive, in the order of the index. `entries` are those that are not archived yet. */
export function selectForArchive(entries: readonly IndexEntry[], rule: ArchiveRule): IndexEntry[] {
  const newestFirst = entries.toSorted((a, b) => b.sequence - a.sequence);
  const rank = new Map<string, number>();
  const seen = new Map<string, number>();
  for (const { packet_id, branch, topic } of newestFirst) {
    const line = JSON.stringify([branch, topic]);
    const n = seen.get(line) ?? 0;
    rank.set(packet_id, n);
    seen.set(line, n + 1);
  }
  return entries.filter(
    (entry) =>
      (rule.ids === null || rule.ids.has(entry.packet_id)) &&
      (rule.before === null ||
        (entry.generated_at !== null && Date.parse(entry.generated_at) < rule.before)) &&
      (rule.keep === null || (rank.get(entry.packet_id) ?? 0) >= rule.keep) &&
      (rule.merged === null || rule.merged.has(entry.packet_id)) &&
      (rule.branch === null || entry.branch === rule.branch) &&
      (rule.topic === null || entry.topic === rule.topic),
  );
}
