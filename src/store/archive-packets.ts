// Archiving (S1): an archived packet is kept below archive/ and never drives anything.
import type { Diagnostic } from "../model/diagnostic.js";
import type { IndexEntry } from "../model/store-index.js";
import type { TemplateOverrides } from "../render/templates.js";
import type { StorePlace } from "./read-store.js";
import type { LockOptions } from "./store-lock.js";

/** What to archive. */
export interface Archiving extends StorePlace {
  /** Chooses among the entries that are not archived yet, under the lock; gives packet ids. May throw to refuse. */
  readonly select: (entries: readonly IndexEntry[]) => readonly string[];
  readonly templates?: TemplateOverrides;
  readonly lock?: LockOptions;
}

/** What was archived: packet ids, in the order of the index. */
export interface Archived {
  readonly archived: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Moves packets to `archive/<packet_id>/`. All or none; archiving again changes nothing. Throws UsageError (exit 2). */
export async function archivePackets(archiving: Archiving): Promise<Archived> {
  throw new Error(`not yet: ${archiving.outDir}`);
}
