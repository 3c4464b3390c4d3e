// The handover (L5): what the lead wrote, read with rotation's eyes, and the packet that it ends as. `auto`: no file is asked
// for, and the packet is generated from what is on record.
import { stat } from "node:fs/promises";
import path from "node:path";
import { findArtifactFile, readArtifactFile } from "../io/read-artifact-file.js";
import { RefusalError } from "../model/errors.js";
import type { HandoffPacket } from "../model/packet.js";
import type { NamedPane } from "../recorder/pane-key.js";
import { sessionFolderOf } from "../recorder/session-folder.js";
import { parseSections } from "../rotation/parse-sections.js";
import { stateFromSections, type WrittenState } from "../rotation/state-from-sections.js";
import { writeState } from "../rotation/write-state.js";
import type { Workbench } from "../session/open-workbench.js";
import { publishSession } from "../session/publish-session.js";
import type { HandoverFacts } from "./gates.js";

/** In the place of a path: the lead writes nothing. */
export const AUTO = "auto";
const MAX_BYTES = 1024 * 1024;

export interface ReadHandover {
  readonly facts: HandoverFacts;
  /** What it says; null: nothing was written. */
  readonly said: WrittenState | null;
}

/** Reads it. @param file absolute, or `auto` */
export async function readHandover(root: string, file: string): Promise<ReadHandover> {
  if (file === AUTO) return { facts: { kind: "auto" }, said: null };
  const shown = path.relative(root, file);
  const missing = (why: string): ReadHandover => ({
    facts: { kind: "missing", path: shown, why },
    said: null,
  });
  // Its time before its words: of a file that is replaced meanwhile, no old words pass for new ones.
  const found = await findArtifactFile(root, file);
  const times =
    found.status === "found" ? await stat(found.real_path, { bigint: true }).catch(() => null) : null;
  const read = await readArtifactFile(root, file, MAX_BYTES);
  if (read.status !== "read")
    return missing(
      read.status === "missing"
        ? "is not there"
        : `is ${read.status.replaceAll("_", " ")}: a file of at most 1 MiB is read, inside the workbench and no link out of it`,
    );
  if (times === null) return missing("is not there");
  const said = stateFromSections(parseSections(read.text).sections);
  return {
    facts: { kind: "file", path: shown, modified_ns: times.mtimeNs, next_action: said.next_action },
    said,
  };
}

/**
 * Packets of one pane belong together: two leads on one branch never supersede each other. A pane's number is its server's own, so
 * the key stands behind it.
 */
function paneTopic({ pane, key }: Pick<NamedPane, "pane" | "key">): string {
  return `pane-${pane.replace("%", "")}-${key.slice(0, 8)}`;
}

/** The published packet, and its handoff.md from the root. */
export interface HandedOver {
  readonly packet: HandoffPacket;
  /** Absolute. */
  readonly markdown: string;
}

/** A packet that cannot be, in words; null instead of the packet. */
export type HandOverResult = HandedOver | { readonly refused: string; readonly hint: string };

/**
 * Writes what the lead said into its session's state, and publishes the packet. Throws what publishing throws, but for a packet
 * that must not be.
 */
export async function handOver(
  workbench: Workbench,
  {
    session_id,
    pane,
    said,
    now,
  }: {
    readonly session_id: string;
    readonly pane: Pick<NamedPane, "pane" | "key">;
    readonly said: WrittenState | null;
    readonly now: Date;
  },
): Promise<HandOverResult> {
  if (said !== null)
    await writeState(sessionFolderOf(workbench.root, session_id), said, {
      redactor: workbench.redactor,
      now,
    });
  try {
    const asked = { sessionId: session_id, reason: "manual" } as const;
    const { packet, dir } = await publishSession(workbench, { ...asked, topic: paneTopic(pane) });
    // In the session's own line, too: whatever becomes of the pane, an agent that is started by hand begins with it.
    await publishSession(workbench, asked);
    return { packet, markdown: path.join(dir, "handoff.md") };
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    return { refused: error.message, hint: error.hint };
  }
}
