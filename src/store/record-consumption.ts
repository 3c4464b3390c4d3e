// Consumption (S8): who took a packet, and when. Life of a packet, not content: its id does not change.
import type { Diagnostic } from "../model/diagnostic.js";
import { RefusalError } from "../model/errors.js";
import type { Consumption, IndexEntry } from "../model/store-index.js";
import { changeStore, type ChangeOptions } from "./change-store.js";
import { readStore } from "./read-store.js";
import { entryOfId } from "./select-packet.js";

/** Who takes which packet. */
export interface Taking extends ChangeOptions {
  readonly packetId: string;
  readonly by: string;
  /** ISO 8601 in UTC with milliseconds; the caller's clock. */
  readonly at: string;
}

/** Who else had taken it before, oldest first; empty for the first taker. */
export interface Taken {
  readonly earlier: readonly Consumption[];
  readonly diagnostics: readonly Diagnostic[];
}

function requireEntry(entry: IndexEntry | null, packetId: string): IndexEntry {
  if (entry !== null) return entry;
  throw new RefusalError(
    "packet.missing",
    `there is no packet ${packetId} (any more): its session may have replaced it just now`,
    "look again with handoff list",
  );
}

/**
 * Records that `by` took the packet; from then on it is frozen: its session's next packet follows it instead of replacing
 * it. Taken by the same one again: nothing is written. Throws RefusalError `packet.missing` when the index has no such
 * packet (any more), UsageError (exit 2) when it cannot be written.
 */
export async function recordConsumption(taking: Taking): Promise<Taken> {
  const { packetId, by, at } = taking;
  const seen = await readStore(taking);
  requireEntry(entryOfId(seen.index, packetId), packetId);
  return changeStore(taking, async (change) => {
    const index = change.index();
    const entry = requireEntry(entryOfId(index, packetId), packetId);
    const earlier = entry.consumed_by.filter((one) => one.by !== by);
    if (entry.consumed_by.length === earlier.length) {
      const taken = { ...entry, consumed_by: [...entry.consumed_by, { by, at }] };
      await change.announce([entry.path]);
      const packets = index.packets.map((one) => (one === entry ? taken : one));
      await change.commit({ ...index, packets });
      await change.settle([taken]);
    }
    return { earlier, diagnostics: change.diagnostics };
  });
}
