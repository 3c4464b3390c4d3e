// The store as a reader sees it: its root and its index. Never writes.
import { realpath } from "node:fs/promises";
import type { Diagnostic } from "../model/diagnostic.js";
import type { StoreIndex } from "../model/store-index.js";
import { EMPTY_INDEX, INDEX_FILE, readIndexFile } from "./index-file.js";
import { rebuildIndex } from "./rebuild-index.js";
import { isLocked } from "./store-lock.js";
import { storePath } from "./store-folder.js";

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

/** Said when packets had to be looked through because the index did not help. */
export function indexRebuilt(reason: string, packets: number): Diagnostic {
  return {
    code: "store.index_rebuilt",
    severity: "warn",
    artifact: "packet",
    source: { path: INDEX_FILE },
    args: { reason, packets },
  };
}

/**
 * Reads the index. One that is missing or cannot be used is rebuilt in memory from the packets and said in a diagnostic
 * (`store.index_rebuilt`). Never throws for what is on disk.
 */
export async function readStore({ root, outDir }: StorePlace): Promise<ReadStore> {
  let out: string;
  try {
    out = await realpath(storePath(root, outDir));
  } catch {
    return { out: null, index: EMPTY_INDEX, diagnostics: [] };
  }
  const file = await readIndexFile(out);
  if (file.status === "index") return { out, index: file.index, diagnostics: [] };
  const { index, diagnostics } = await rebuildIndex(out);
  if (file.status === "missing" && index.packets.length === 0) return { out, index, diagnostics };
  const reason = file.status === "missing" ? "it is missing" : file.reason;
  const said = indexRebuilt(reason, index.packets.length);
  // The very first packet is being published right now: nothing to worry about.
  const isFirst = file.status === "missing" && (await isLocked(out));
  return { out, index, diagnostics: [isFirst ? { ...said, severity: "info" } : said, ...diagnostics] };
}
