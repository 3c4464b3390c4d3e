// Which packet? Answered by the index alone, never by file times or the order of a folder (S6).
import type { IndexEntry, StoreIndex } from "../model/store-index.js";
import type { PacketFile } from "./read-packet.js";

/** `branch` null: without git. A branch is compared as packets spell it. */
export interface Line {
  readonly branch: string | null;
  readonly topic: string;
}

/** The active packet of a branch and topic. */
export function selectActive(index: StoreIndex, line: Line): IndexEntry | null {
  throw new Error(`not yet: ${line.topic} ${index.sequence}`);
}

/**
 * Entries a person may mean by `ref`: a packet id or a beginning of one that fits a single packet (`hp_` and at least
 * four hex, or those hex alone) gives that one; a session id all of the session's packets, the newest first.
 */
export function findEntries(index: StoreIndex, ref: string): readonly IndexEntry[] {
  throw new Error(`not yet: ${ref} ${index.sequence}`);
}

/** Branches with an active packet (of this topic, if given), sorted; null (no git) last. */
export function activeBranches(index: StoreIndex, topic?: string): readonly (string | null)[] {
  throw new Error(`not yet: ${topic ?? ""} ${index.sequence}`);
}

/**
 * The packet that a new one of `session` follows: the active packet of the line if it is another session's, or this
 * session's and already consumed; else the one this session's own active packet follows. Null: none.
 */
export function findPredecessor(
  index: StoreIndex,
  query: Line & { readonly session: string },
): IndexEntry | null {
  throw new Error(`not yet: ${query.session} ${index.sequence}`);
}

/**
 * Reads an entry's handoff.json. Where a writer moved or replaced it since the index was read, what stands there now.
 * `packet.status`, `supersedes` and `superseded_by` may lag behind the entry's, which count. Never throws.
 */
export async function readEntry(out: string, entry: IndexEntry): Promise<PacketFile> {
  throw new Error(`not yet: ${out} ${entry.path}`);
}

/** Absolute path of one of the entry's files. */
export function entryFile(out: string, entry: IndexEntry, name: string): string {
  throw new Error(`not yet: ${out} ${entry.path} ${name}`);
}
