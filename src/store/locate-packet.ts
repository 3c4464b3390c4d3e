// The packet a person means: by id, by session, or the one that drives the next session on a branch. Reads only.
import { realpath } from "node:fs/promises";
import { RefusalError, UsageError } from "../model/errors.js";
import { isValidId } from "../model/valid-id.js";
import type { IndexEntry, StoreIndex } from "../model/store-index.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { readPacketFile, type PacketFile } from "./read-packet.js";
import { readStore, type StorePlace } from "./read-store.js";
import { activeBranches, entryFile, findEntries, selectActive } from "./select-packet.js";

/** A packet, its row in the index and its files. */
export interface FoundPacket {
  readonly entry: IndexEntry;
  /** Absolute paths. */
  readonly json_path: string;
  readonly markdown_path: string;
  /** Real path of the store's root. */
  readonly out: string;
  /** The index it was found in: reading it again costs more than anything else in a large store (S11). */
  readonly index: StoreIndex;
  readonly file: Exclude<PacketFile, { readonly status: "missing" }>;
  /** About the store. */
  readonly diagnostics: readonly Diagnostic[];
}

/** What to look for: a packet id, a beginning of one or a session id; null: the active packet of the branch and topic. */
export interface PacketQuery extends StorePlace {
  readonly ref: string | null;
  readonly branch: string | null;
  readonly topic: string;
}

const GENERATE = "handoff generate writes one";
/** A writer may move a packet between the look into the index and the look at its files. */
const LOOKS = 5;

function selectByRef(index: StoreIndex, ref: string): IndexEntry {
  const entries = findEntries(index, ref);
  const [first] = entries;
  const sessions = new Set(entries.map(({ session_id }) => session_id));
  if (first !== undefined && (entries.length === 1 || sessions.has(ref)))
    // Of a session's packets the newest that is active, else the newest.
    return entries.find(({ status }) => status === "active") ?? first;
  if (first !== undefined)
    throw new UsageError(
      "usage.ambiguous_id",
      `${JSON.stringify(ref)} is the beginning of ${entries.length} packet ids`,
      `name one of ${entries
        .slice(0, 5)
        .map(({ packet_id }) => packet_id)
        .join(", ")}`,
    );
  if (!isValidId(ref))
    throw new UsageError(
      "usage.bad_id",
      `${JSON.stringify(ref)} is neither a packet id nor a session id`,
      "a packet id looks like hp_3f9a1c0d5b7e2a64; session ids are 1 to 128 of A-Z a-z 0-9 . _ -",
    );
  throw new RefusalError(
    "packet.missing",
    `there is no packet ${ref}`,
    `look with handoff list, or ${GENERATE}`,
  );
}

function selectByLine(index: StoreIndex, { branch, topic }: PacketQuery): IndexEntry {
  const active = selectActive(index, { branch, topic });
  if (active !== null) return active;
  const onTopic = activeBranches(index, topic);
  const others = onTopic.length > 0 ? onTopic : activeBranches(index);
  const ofTopic = onTopic.length > 0 || others.length === 0 ? "" : " on other topics";
  const names = others.map((name) => name ?? "no branch").join(", ");
  throw new RefusalError(
    "packet.missing",
    `there is no active packet for ${branch === null ? "no branch" : `branch ${branch}`} and topic ${topic}`,
    others.length === 0
      ? GENERATE
      : `there are packets${ofTopic} for: ${names}; name one by its id (handoff list), or ${GENERATE}`,
  );
}

/**
 * Finds one packet through the index (S6). Throws RefusalError `packet.missing` (exit 1) when there is none, naming the
 * branches that have one; UsageError for a `ref` that cannot be an id or is the beginning of several.
 */
export async function locatePacket(query: PacketQuery): Promise<FoundPacket> {
  for (let look = 1; ; look += 1) {
    const { out, index, diagnostics } = await readStore(query);
    const entry = query.ref === null ? selectByLine(index, query) : selectByRef(index, query.ref);
    const store = out ?? (await realpath(query.root));
    const json_path = entryFile(store, entry, "handoff.json");
    const file = await readPacketFile(store, json_path);
    if (file.status !== "missing")
      return {
        entry,
        json_path,
        markdown_path: entryFile(store, entry, "handoff.md"),
        out: store,
        index,
        file,
        diagnostics,
      };
    if (look === LOOKS)
      throw new RefusalError(
        "packet.missing",
        `the files of packet ${entry.packet_id} are gone`,
        `handoff doctor --repair tidies the index, ${GENERATE}`,
        { path: json_path },
      );
  }
}
