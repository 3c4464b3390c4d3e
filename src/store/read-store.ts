// The store as a reader sees it: its root and its index. Never writes.
import type { Diagnostic } from "../model/diagnostic.js";
import type { StoreIndex } from "../model/store-index.js";

/** Where a store is. */
export interface StorePlace {
  /** Workbench root, absolute. */
  readonly root: string;
  /** The store's root, absolute or relative to the workbench. */
  readonly outDir: string;
}

/** A store that was looked at. */
export interface ReadStore {
  /** Absolute real path of the store's root; null when there is none yet. */
  readonly out: string | null;
  readonly index: StoreIndex;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads the index. One that is missing or cannot be used is rebuilt in memory from the packets and said in a diagnostic
 * (`store.index_rebuilt`). Never throws for what is on disk.
 */
export async function readStore(place: StorePlace): Promise<ReadStore> {
  throw new Error(`not yet: ${place.outDir}`);
}
