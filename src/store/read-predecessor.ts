// The packet that a new one follows, as its content is needed to carry open items forward (P33, S9): found through the index.
import type { Diagnostic } from "../model/diagnostic.js";
import type { HandoffPacket } from "../model/packet.js";
import type { IndexEntry, StoreIndex } from "../model/store-index.js";
import { readStore, type StorePlace } from "./read-store.js";
import { entryOfId, findPredecessor, readEntry, type Line } from "./select-packet.js";

/**
 * `packet` is of `entry`, or where that is no packet any more of the nearest one before it; null: there is none. A new packet
 * is linked to `entry` all the same.
 */
export interface Predecessor {
  readonly entry: IndexEntry | null;
  readonly packet: HandoffPacket | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** What carries the open items of a line on. */
export interface Nearest {
  readonly packet: HandoffPacket | null;
  /** Said when it is not the packet that is followed, as its files hold it. */
  readonly diagnostics: readonly Diagnostic[];
}

function said(entry: IndexEntry, reason: string): Diagnostic {
  return {
    code: "packet.invalid",
    severity: "warn",
    artifact: "packet",
    source: { path: `${entry.path}/handoff.json` },
    args: { reason },
  };
}

/**
 * The packet to carry items from: the one at `entry`, else, where that is no packet any more, the nearest before it in its
 * line that still is one. A row that lacks only its id counts (P39).
 */
export async function readNearest(
  out: string,
  index: StoreIndex,
  entry: IndexEntry | null,
): Promise<Nearest> {
  let why: string | null = null;
  const seen = new Set<string>();
  for (let at = entry; at !== null && !seen.has(at.packet_id); at = entryOfId(index, at.supersedes)) {
    seen.add(at.packet_id);
    const file = await readEntry(out, at);
    const packet = file.status === "packet" ? file.packet : file.status === "invalid" ? file.mended : null;
    if (entry !== null && packet !== null && (at !== entry || file.status !== "packet")) {
      const from = at === entry ? "the rest of it" : `${packet.packet_id}, which it follows,`;
      const reason = why ?? (file.status === "invalid" ? file.reason : "");
      return { packet, diagnostics: [said(entry, `${reason}; open items are carried from ${from} instead`)] };
    }
    if (packet !== null) return { packet, diagnostics: [] };
    why ??= file.status === "missing" || file.status === "packet" ? "its files are gone" : file.reason;
  }
  return {
    packet: null,
    diagnostics:
      entry === null ? [] : [said(entry, `${why ?? ""}; its open items cannot be carried forward`)],
  };
}

/** Reads it. What cannot be carried forward is said (`packet.invalid`). Throws UsageError where the store cannot be read. */
export async function readPredecessor(
  place: StorePlace,
  line: Line & { readonly session: string },
): Promise<Predecessor> {
  const { out, index, diagnostics } = await readStore(place);
  const entry = findPredecessor(index, line);
  if (out === null || entry === null) return { entry, packet: null, diagnostics };
  const nearest = await readNearest(out, index, entry);
  return { entry, packet: nearest.packet, diagnostics: [...diagnostics, ...nearest.diagnostics] };
}
