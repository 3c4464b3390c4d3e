// Finds a packet by id, by session, or the one that drives the next session on a branch. Chosen by what packets say,
// never by file times or the order of a folder (S6). Reads only.
import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { RefusalError, UsageError } from "../model/errors.js";
import { isValidId } from "../model/valid-id.js";
import { readPacketFile, type PacketFile } from "./read-packet.js";
import { RESERVED_FOLDERS, storePath } from "./store-folder.js";

/** A packet's place in the store. */
export interface FoundPacket {
  readonly session: string;
  /** Absolute paths. */
  readonly json_path: string;
  readonly markdown_path: string;
  /** Real path of the store's root. */
  readonly out: string;
  readonly file: Exclude<PacketFile, { readonly status: "missing" }>;
}

/** What to look for. Without `ref` the newest active packet of the branch (null: of any branch) and topic. */
export interface PacketQuery {
  readonly root: string;
  readonly outDir: string;
  /** Packet id or session id. */
  readonly ref: string | null;
  readonly branch: string | null;
  readonly topic: string | null;
}

async function realStore(query: PacketQuery): Promise<string | null> {
  try {
    return await realpath(storePath(query.root, query.outDir));
  } catch {
    return null;
  }
}

async function readSession(out: string, session: string): Promise<FoundPacket | null> {
  const json_path = path.join(out, session, "handoff.json");
  const file = await readPacketFile(out, json_path);
  if (file.status === "missing") return null;
  return { session, json_path, markdown_path: path.join(out, session, "handoff.md"), out, file };
}

/** Every packet of the store, by session id. */
async function readAll(out: string): Promise<FoundPacket[]> {
  const entries = await readdir(out, { withFileTypes: true });
  const sessions = entries
    .filter((entry) => !entry.isFile() && isValidId(entry.name) && !RESERVED_FOLDERS.has(entry.name))
    .map((entry) => entry.name)
    .sort();
  const found: FoundPacket[] = [];
  for (const session of sessions) {
    const packet = await readSession(out, session);
    if (packet !== null) found.push(packet);
  }
  return found;
}

function missing(what: string, hint: string): RefusalError {
  return new RefusalError("packet.missing", what, hint);
}

const GENERATE = "handoff generate writes one";

async function findByRef(out: string | null, ref: string): Promise<FoundPacket> {
  const isPacketId = /^hp_[0-9a-f]{16}$/u.test(ref);
  if (!isPacketId && !isValidId(ref))
    throw new UsageError(
      "usage.bad_id",
      `${JSON.stringify(ref)} is neither a packet id nor a session id`,
      "a packet id looks like hp_3f9a1c0d5b7e2a64; session ids are 1 to 128 of A-Z a-z 0-9 . _ -",
    );
  // A session may be called what looks like a packet id; the packet wins.
  if (isPacketId && out !== null)
    for (const found of await readAll(out))
      if (found.file.status === "packet" && found.file.packet.packet_id === ref) return found;
  const bySession = out === null ? null : await readSession(out, ref);
  if (bySession !== null) return bySession;
  throw missing(`there is no packet ${ref}`, `look with handoff show, or ${GENERATE}`);
}

/**
 * Finds one packet. Throws RefusalError `packet.missing` (exit 1) when there is none, naming the branches that have one;
 * UsageError for a `ref` that cannot be an id.
 */
export async function findPacket(query: PacketQuery): Promise<FoundPacket> {
  const out = await realStore(query);
  if (query.ref !== null) return findByRef(out, query.ref);
  const all = out === null ? [] : await readAll(out);
  const active = all.flatMap((found) =>
    found.file.status === "packet" && found.file.packet.status === "active"
      ? [{ found, packet: found.file.packet }]
      : [],
  );
  const matching = active.filter(
    ({ packet }) =>
      (query.branch === null || packet.branch === query.branch) &&
      (query.topic === null || packet.topic === query.topic),
  );
  matching.sort(
    (a, b) =>
      (b.packet.generated_at ?? "").localeCompare(a.packet.generated_at ?? "", "en") ||
      a.found.session.localeCompare(b.found.session, "en"),
  );
  const newest = matching[0];
  if (newest !== undefined) return newest.found;
  const unreadable = all.find(({ file }) => file.status === "invalid");
  if (active.length === 0 && unreadable !== undefined) return unreadable;
  const topic = query.topic === null ? "" : ` and topic ${query.topic}`;
  const where = query.branch === null ? "" : ` for branch ${query.branch}${topic}`;
  const others = [...new Set(active.map(({ packet }) => packet.branch ?? "no branch"))].sort();
  throw missing(
    `there is no active packet${where}`,
    others.length === 0
      ? GENERATE
      : `there are packets for: ${others.join(", ")}; name one by its session id`,
  );
}
