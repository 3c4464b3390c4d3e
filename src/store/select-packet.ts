// Which packet? Answered by the index alone, never by file times or the order of a folder (S6).
import path from "node:path";
import type { IndexEntry, StoreIndex } from "../model/store-index.js";
import { createTextKeeper } from "../packet/text-keeper.js";
import { readIndexFile } from "./index-file.js";
import { readPacketFile, type PacketFile } from "./read-packet.js";

/** A branch (null: without git) and a topic: at most one packet of it is active. */
export interface Line {
  readonly branch: string | null;
  readonly topic: string;
}

/** A branch as packets spell it: git allows names that a packet shows with escapes or cut. */
function spelledBranch(branch: string | null): string | null {
  return branch === null ? null : createTextKeeper().exact(branch, "path");
}

/** True when two packets, or a packet and a question, are of one branch and topic. */
export function isSameLine(a: Line, b: Line): boolean {
  return a.branch === b.branch && a.topic === b.topic;
}

/** The active packet of a branch and topic. */
export function selectActive(index: StoreIndex, line: Line): IndexEntry | null {
  const wanted = { branch: spelledBranch(line.branch), topic: line.topic };
  return index.packets.find((entry) => entry.status === "active" && isSameLine(entry, wanted)) ?? null;
}

/** The entry of a packet id. */
export function entryOfId(index: StoreIndex, packetId: string | null): IndexEntry | null {
  return packetId === null ? null : (index.packets.find((entry) => entry.packet_id === packetId) ?? null);
}

/**
 * Entries a person may mean by `ref`: a packet id, or a beginning of one that fits a single packet (`hp_` and at least
 * four hex, or those hex alone), gives that one; a session id all of the session's packets, the newest first. A packet id
 * wins over a session id, a session id over a beginning. Several fits of a beginning: all of them, to be told.
 */
export function findEntries(index: StoreIndex, ref: string): readonly IndexEntry[] {
  const whole = entryOfId(index, ref);
  if (whole !== null) return [whole];
  const ofSession = index.packets.filter(({ session_id }) => session_id === ref);
  if (ofSession.length > 0) return ofSession.toSorted((a, b) => b.sequence - a.sequence);
  const hex = /^(?:hp_)?([0-9a-f]{4,16})$/u.exec(ref)?.[1];
  return hex === undefined ? [] : index.packets.filter(({ packet_id }) => packet_id.startsWith(`hp_${hex}`));
}

/** Branches with an active packet (of this topic, if given), sorted; null (no git) last. */
export function activeBranches(index: StoreIndex, topic?: string): readonly (string | null)[] {
  const active = index.packets.filter(
    (entry) => entry.status === "active" && (topic === undefined || entry.topic === topic),
  );
  const branches = new Set(active.map(({ branch }) => branch));
  const named = [...branches].filter((branch) => branch !== null).sort();
  return branches.has(null) ? [...named, null] : named;
}

/**
 * The packet that a new one of `session` follows: the active packet of the line if it is another session's, or this
 * session's and already consumed; else the one this session's own active packet follows. Null: none.
 */
export function findPredecessor(
  index: StoreIndex,
  { session, ...line }: Line & { readonly session: string },
): IndexEntry | null {
  const active = selectActive(index, line);
  if (active === null || active.session_id !== session || active.consumed_by.length > 0) return active;
  return entryOfId(index, active.supersedes);
}

/** Absolute path of one of the entry's files. */
export function entryFile(out: string, entry: IndexEntry, name: string): string {
  return path.join(out, ...entry.path.split("/"), name);
}

/**
 * Reads an entry's handoff.json. Where a writer moved or replaced it since the index was read, what stands there now:
 * the caller compares ids if it matters. Status and links count as the index gives them: a file may lag behind.
 * Never throws.
 */
export async function readEntry(out: string, entry: IndexEntry): Promise<PacketFile> {
  const file = await readPacketFile(out, entryFile(out, entry, "handoff.json"));
  if (file.status !== "missing") return file;
  const now = await readIndexFile(out);
  if (now.status !== "index") return file;
  const moved =
    entryOfId(now.index, entry.packet_id) ??
    now.index.packets.find(
      (other) =>
        other.session_id === entry.session_id && other.status === "active" && isSameLine(other, entry),
    );
  if (moved === undefined || moved.path === entry.path) return file;
  return readPacketFile(out, entryFile(out, moved, "handoff.json"));
}
