// The packets of one branch and topic in the order in which they followed each other (S10). Pure.
import type { IndexEntry, StoreIndex } from "../model/store-index.js";
import { isSameLine, selectActive, type Line } from "./select-packet.js";

/**
 * Newest first: from the active packet (else the one published last) along `supersedes`; packets of the line that hang on
 * no link follow in the order of their publication.
 */
export function chainOf(index: StoreIndex, line: Line): IndexEntry[] {
  const active = selectActive(index, line);
  const spelled = active ?? line;
  const left = new Map(
    index.packets
      .filter((entry) => isSameLine(entry, spelled))
      .toSorted((a, b) => b.sequence - a.sequence)
      .map((entry) => [entry.packet_id, entry]),
  );
  const chain: IndexEntry[] = [];
  let next = active ?? [...left.values()][0];
  while (next !== undefined) {
    chain.push(next);
    left.delete(next.packet_id);
    next = (next.supersedes === null ? undefined : left.get(next.supersedes)) ?? [...left.values()][0];
  }
  return chain;
}
