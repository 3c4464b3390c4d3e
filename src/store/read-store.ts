// The store as a reader sees it: its root and its index. Never writes.
import { realpath } from "node:fs/promises";
import path from "node:path";
import type { Diagnostic } from "../model/diagnostic.js";
import type { StoreIndex } from "../model/store-index.js";
import { throwShortage } from "../io/system-shortage.js";
import { UsageError } from "../model/errors.js";
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

function closed(reason: string, file: string): UsageError {
  return new UsageError(
    "store.index_unreadable",
    `the store cannot be read: ${reason}; whether there are packets is not known`,
    "make the folder readable for this user, or name another with --out",
    { path: file },
  );
}

/** Real path of the store's root; null: there is none. Throws UsageError for one that may not be looked at. */
async function realStore(place: string): Promise<string | null> {
  try {
    return await realpath(place);
  } catch (error) {
    throwShortage(error);
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw closed(code, place);
  }
}

/**
 * Reads the index. One that is missing or cannot be used is rebuilt in memory from the packets and said in a diagnostic
 * (`store.index_rebuilt`). Throws UsageError `store.index_unreadable` (exit 2) where packets may be, but may not be looked
 * at: what cannot be read is not absent (S5).
 */
export async function readStore({ root, outDir }: StorePlace): Promise<ReadStore> {
  const out = await realStore(storePath(root, outDir));
  if (out === null) return { out, index: EMPTY_INDEX, diagnostics: [] };
  const file = await readIndexFile(out);
  if (file.status === "index") return { out, index: file.index, diagnostics: [] };
  const { index, diagnostics, unreadable } = await rebuildIndex(out);
  // The very first packet's writer may have put it there while the packets were looked through.
  const now = await readIndexFile(out);
  if (now.status === "index") return { out, index: now.index, diagnostics: [] };
  if (unreadable !== null && (index.packets.length === 0 || file.status === "unreadable"))
    throw file.status === "unreadable" ? closed(file.reason, path.join(out, INDEX_FILE)) : unreadable;
  if (file.status === "missing" && index.packets.length === 0) return { out, index, diagnostics };
  const reason = file.status === "missing" ? "it is missing" : file.reason;
  const said = indexRebuilt(reason, index.packets.length);
  // The very first packet is being published right now: nothing to worry about.
  const isFirst = file.status === "missing" && (await isLocked(out));
  return { out, index, diagnostics: [isFirst ? { ...said, severity: "info" } : said, ...diagnostics] };
}
