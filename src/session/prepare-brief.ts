// The text for the next agent (S7, S8): made from handoff.json as it lies on disk, after a look at what changed since; on
// request with a note in the store of who takes the packet, made before anybody reads the text.
import type { Diagnostic } from "../model/diagnostic.js";
import type { Drift } from "../model/drift.js";
import { RefusalError, UsageError } from "../model/errors.js";
import type { HandoffPacket } from "../model/packet.js";
import type { Consumption } from "../model/store-index.js";
import { driftLines } from "../packet/drift-lines.js";
import { renderBrief } from "../render/render-brief.js";
import type { FoundPacket } from "../store/locate-packet.js";
import { recordConsumption } from "../store/record-consumption.js";
import type { LockWait } from "../store/store-lock.js";
import { cleanLine } from "../text/clean.js";
import { cutText } from "../text/cut.js";
import { describeDiagnostic } from "../text/diagnostic-text.js";
import { type LivingSession, readLivingSession } from "./living-session.js";
import { locatePacket, packetOf, type PacketName } from "./locate-packet.js";
import { briefPath, type Workbench } from "./open-workbench.js";
import { DriftRefusal, readDrift } from "./read-drift.js";

/** A session may replace its packet between the look and the taking. */
const TRIES = 3;
/** Longest line about one change, in bytes. */
const MAX_CHANGE_BYTES = 2000;
/** What the rows under a finding are. */
const SHORT: Readonly<Record<string, string>> = { "drift.commits": "commit", "drift.tree": "path" };

export interface BriefOptions extends PacketName {
  /** Largest brief, in bytes. Default: what fits every agent (A13). */
  readonly maxBytes?: number | null;
  /** The session that takes the packet: noted in the store. null: nobody takes it, it is merely looked at. */
  readonly consumeBy?: string | null;
  /** Who reads the brief, for what is said of earlier takers. Default: `consumeBy`. */
  readonly reader?: string | null;
  /** The reader's own packet is refused (`packet.own`), before anything is noted (A14). */
  readonly refuseOwn?: boolean;
  /** The job as it was given, for a successor that was not there (R20); shown cut. */
  readonly task?: string | null;
  /** When it is taken: ISO 8601 in UTC with milliseconds, the caller's clock. */
  readonly at: string;
  readonly onProgress?: (progress: { bytes: number; totalBytes: number }) => void;
  /** Longest wait for another writer, in milliseconds; then the brief is given without a note of who takes it. Default 30,000. */
  readonly waitMs?: number;
  /** Another writer holds the store. */
  readonly onWait?: (wait: LockWait) => void;
  /** Problems in the store, as soon as they are known: also those of a call that throws later. */
  readonly onDiagnostics?: (found: readonly Diagnostic[]) => void;
}

/** Something a person should hear besides the brief. */
export interface BriefNote {
  readonly code: "packet.taken" | "packet.own" | "packet.running";
  readonly what: string;
  readonly hint: string;
}

export interface PreparedBrief {
  readonly brief: string;
  /** Through the gate (S13). */
  readonly packet: HandoffPacket;
  /** Its handoff.json, absolute. */
  readonly path: string;
  readonly drift: Drift;
  /** Who had taken the packet before, oldest first. */
  readonly takers: readonly Consumption[];
  /** The packet's session, if it goes on in a process of its own (A9). */
  readonly living: LivingSession | null;
  readonly notes: readonly BriefNote[];
  /** Why the taking could not be noted; null: it was, or nobody takes it. The brief is good either way. */
  readonly unrecorded: UsageError | null;
}

function takenLine({ by, at }: Consumption): string {
  return `taken over before by ${by}, ${at.slice(0, 16).replace("T", " ")} UTC`;
}

/** What is said of a session that goes on by itself: first of all, since the next line of either may undo the other's. */
function sayLiving(living: LivingSession | null) {
  if (living === null) return { lines: [], notes: [] };
  const { agent, pid } = living;
  const what = `its session is still running (${agent === "" ? "" : `${agent}, `}pid ${pid})`;
  const hint = "two agents on one task collide";
  const notes: BriefNote[] = [{ code: "packet.running", what, hint: `${hint}: end the other one first` }];
  return { lines: [`${what}: ${hint}`], notes };
}

/** What is said of earlier takers to `reader`: lines of the brief, and notes for a person. */
function sayTakers(packet: HandoffPacket, reader: string | null, takers: readonly Consumption[]) {
  const taken = takers
    .filter((taker) => taker.by !== reader)
    .map(takenLine)
    .toReversed();
  const notes: BriefNote[] = taken.map((what) => ({
    code: "packet.taken",
    what,
    hint: "two sessions on one packet will collide",
  }));
  if (reader !== packet.session_id) return { lines: taken, notes };
  const what = `this is the packet of ${reader} itself`;
  notes.push({
    code: "packet.own",
    what,
    hint: "a session needs no brief of its own work; handoff list shows the others",
  });
  return { lines: [what, ...taken], notes };
}

function refuseOwnPacket(packet: HandoffPacket, reader: string | null): void {
  if (reader !== packet.session_id) return;
  throw new RefusalError(
    "packet.own",
    `the active packet is that of ${packet.session_id} itself`,
    "a session needs no brief of its own work; handoff list shows the others",
  );
}

/** The packet and what changed since. Throws when there is none or it must not be used. */
async function look(workbench: Workbench, options: BriefOptions, reader: string | null) {
  const found = await locatePacket(workbench, options);
  options.onDiagnostics?.(found.diagnostics);
  // What a person wrote into handoff.json by hand has not passed the gate yet (S13).
  const packet = workbench.redactor.redactStrings(packetOf(found)).value;
  if (options.refuseOwn === true) refuseOwnPacket(packet, reader);
  const { onProgress } = options;
  const drift = await readDrift(workbench, found, packet, onProgress === undefined ? {} : { onProgress });
  const [worst] = drift.findings;
  if (drift.verdict === "refused" && worst !== undefined)
    throw new DriftRefusal(drift.findings, worst, found.index);
  // In full, with commit subjects and file names: these rows stand inside the data (S7, S17).
  const changes = drift.findings.flatMap((one) => [
    describeDiagnostic(one),
    ...one.items.map((item) => `${SHORT[one.code] ?? one.code}: ${item}`),
  ]);
  const told = changes.map(
    (text) => workbench.redactor.redactText(cutText(cleanLine(text), MAX_CHANGE_BYTES)).text,
  );
  return { found, packet, drift, changes: told };
}

/** How a taking ended: noted, the packet was replaced since it was looked at, or the store cannot be written. */
type Taking =
  | { readonly earlier: readonly Consumption[]; readonly unrecorded: UsageError | null }
  | { readonly earlier: null };

async function take(
  { root, outDir, templates }: Workbench,
  { entry }: FoundPacket,
  by: string,
  { at, waitMs, onWait, onDiagnostics }: BriefOptions,
): Promise<Taking> {
  try {
    const { earlier, diagnostics } = await recordConsumption({
      root,
      outDir,
      templates,
      packetId: entry.packet_id,
      by,
      at,
      lock: { ...(waitMs === undefined ? {} : { waitMs }), ...(onWait === undefined ? {} : { onWait }) },
    });
    onDiagnostics?.(diagnostics);
    return { earlier, unrecorded: null };
  } catch (error) {
    if (error instanceof RefusalError && error.code === "packet.missing") return { earlier: null };
    // A store that cannot be written must not leave the next session without its brief.
    if (error instanceof UsageError) return { earlier: [], unrecorded: error };
    throw error;
  }
}

/**
 * Makes the brief of a packet and notes who takes it. Throws RefusalError when there is no such packet (`packet.missing`),
 * when it must not be used (DriftRefusal), or, where that is asked for, when it is the reader's own (`packet.own`);
 * UsageError when it is not valid or does not fit. A brief that does not fit takes nothing.
 */
export async function prepareBrief(workbench: Workbench, options: BriefOptions): Promise<PreparedBrief> {
  const { consumeBy = null, maxBytes = null, task = null } = options;
  const reader = options.reader ?? consumeBy;
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const { found, packet, drift, changes } = await look(workbench, options, reader);
    const way = briefPath(workbench.root, found.json_path, workbench);
    const living = await readLivingSession(workbench.root, packet.session_id, reader);
    const alive = sayLiving(living);
    const since = [...alive.lines, ...driftLines(drift)];
    const render = (lines: readonly string[]): string =>
      renderBrief(packet, {
        path: way,
        ...(maxBytes === null ? {} : { maxBytes }),
        drift: lines,
        changes,
        ...(task === null ? {} : { task: workbench.redactor.redactText(task).text }),
        overrides: workbench.templates,
      });
    const plain = render(since);
    const taking: Taking =
      consumeBy === null
        ? { earlier: found.entry.consumed_by, unrecorded: null }
        : await take(workbench, found, consumeBy, options);
    if (taking.earlier === null) continue;
    const result = { packet, path: found.json_path, drift, takers: taking.earlier, living };
    if (taking.unrecorded !== null)
      return { ...result, brief: plain, notes: alive.notes, unrecorded: taking.unrecorded };
    const { lines, notes } = sayTakers(packet, reader, taking.earlier);
    const brief = lines.length === 0 ? plain : render([...alive.lines, ...lines, ...driftLines(drift)]);
    return { ...result, brief, notes: [...alive.notes, ...notes], unrecorded: null };
  }
  throw new RefusalError("packet.missing", "the packet is being replaced all the time", "try again");
}
