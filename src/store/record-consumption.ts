// Consumption (S8): who took a packet, and when. Life of a packet, not content: its id does not change.
import type { Diagnostic } from "../model/diagnostic.js";
import type { Consumption } from "../model/store-index.js";
import type { StorePlace } from "./read-store.js";
import type { LockOptions } from "./store-lock.js";

/** Who takes which packet. */
export interface Taking extends StorePlace {
  readonly packetId: string;
  readonly by: string;
  /** ISO 8601 in UTC with milliseconds; the caller's clock. */
  readonly at: string;
  readonly lock?: LockOptions;
}

/** Who had taken it before, oldest first; empty for the first taker. */
export interface Taken {
  readonly earlier: readonly Consumption[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Records that `by` took the packet; from then on it is frozen: its session's next packet follows it instead of replacing
 * it. Taken by the same one again: nothing is written. Throws RefusalError `packet.missing` when the index has no such
 * packet (any more), UsageError (exit 2) when it cannot be written.
 */
export async function recordConsumption(taking: Taking): Promise<Taken> {
  throw new Error(`not yet: ${taking.packetId}`);
}
