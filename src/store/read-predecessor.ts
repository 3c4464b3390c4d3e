// The packet that a new one follows, as its content is needed to carry open items forward (P33, S9): found through the index.
import type { Diagnostic } from "../model/diagnostic.js";
import type { HandoffPacket } from "../model/packet.js";
import type { IndexEntry } from "../model/store-index.js";
import { readStore, type StorePlace } from "./read-store.js";
import { findPredecessor, readEntry, type Line } from "./select-packet.js";

/** `packet` null beside an `entry`: its file is no packet any more; a new one is linked to it all the same. */
export interface Predecessor {
  readonly entry: IndexEntry | null;
  readonly packet: HandoffPacket | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads it. Never throws for what is on disk: what cannot be carried forward is said (`packet.invalid`). */
export async function readPredecessor(
  place: StorePlace,
  line: Line & { readonly session: string },
): Promise<Predecessor> {
  const { out, index, diagnostics } = await readStore(place);
  const entry = findPredecessor(index, line);
  if (out === null || entry === null) return { entry, packet: null, diagnostics };
  const file = await readEntry(out, entry);
  if (file.status === "packet") return { entry, packet: file.packet, diagnostics };
  const reason = file.status === "missing" ? "its files are gone" : file.reason;
  const lost: Diagnostic = {
    code: "packet.invalid",
    severity: "warn",
    artifact: "packet",
    source: { path: `${entry.path}/handoff.json` },
    args: { reason: `${reason}; its open items cannot be carried forward` },
  };
  return { entry, packet: null, diagnostics: [...diagnostics, lost] };
}
