// roll.json of a pane: all that an executor needs to go on with a roll after a crash (L11). Written before each step is taken.
import { randomBytes } from "node:crypto";
import { readLiveness, readOwnIdentity } from "../io/process-identity.js";
import { readSessionProcess, type SessionProcess } from "../session/session-process.js";
import { parseTime } from "../text/parse-time.js";
import { hasEnded, ROLL_ENDINGS, ROLL_PHASES, type RollState } from "./decide-roll.js";
import { dropRecord, readRecord, writeRecord } from "./roll-folder.js";

const NAME = "roll.json";
const EXECUTOR = "executor.json";
const CANCEL = "cancel.json";

/** Times are ISO 8601 in UTC. */
export interface RollFile extends RollState {
  readonly schema_version: 1;
  readonly roll_id: string;
  readonly pane: string;
  readonly socket: string;
  readonly server: { readonly pid: number; readonly started: string | null };
  readonly agent: string;
  /** The agent's process. */
  readonly process: SessionProcess;
  /** The session that is to be cleared. */
  readonly session_id: string;
  /** The one that clearing began, as soon as hooks tell it. */
  readonly new_session: string | null;
  readonly packet_id: string;
  /** Of its handoff.md, for people. */
  readonly packet_path: string;
  readonly bootstrap_text: string;
  readonly accepted_at: string;
  /** When it came into this phase. */
  readonly at: string;
  /** What hooks had told of the pane when it was accepted: whatever is newer is somebody else's doing, or ours. */
  readonly sequence: number;
  /** Digest of the token, for a cancel that comes before anything is cleared. */
  readonly token_sha256: string;
  readonly turn_settle_seconds: number;
  readonly clear_settle_seconds: number;
  readonly max_doc_age_seconds: number;
  /** Why it ended as it did, or what it waits for. */
  readonly why: string;
}

/** `roll-` and 12 hex digits. */
export function newRollId(): string {
  return `roll-${randomBytes(6).toString("hex")}`;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;

/** The pane's roll; null: none that can be used. */
export async function readRoll(root: string, key: string): Promise<RollFile | null> {
  const fields = await readRecord(root, key, NAME);
  if (fields === null) return null;
  const phase = ROLL_PHASES.find((one) => one === fields["phase"]);
  const process = readSessionProcess(fields["process"]);
  const server: Readonly<Record<string, unknown>> = Object(fields["server"]);
  if (phase === undefined || process === null || parseTime(text(fields["accepted_at"])) === null) return null;
  return {
    schema_version: 1,
    phase,
    tries: count(fields["tries"]),
    ending: ROLL_ENDINGS.find((one) => one === fields["ending"]) ?? null,
    roll_id: text(fields["roll_id"]),
    pane: text(fields["pane"]),
    socket: text(fields["socket"]),
    server: { pid: count(server["pid"]), started: text(server["started"]) || null },
    agent: text(fields["agent"]),
    process,
    session_id: text(fields["session_id"]),
    new_session: text(fields["new_session"]) || null,
    packet_id: text(fields["packet_id"]),
    packet_path: text(fields["packet_path"]),
    bootstrap_text: text(fields["bootstrap_text"]),
    accepted_at: text(fields["accepted_at"]),
    at: text(fields["at"]),
    sequence: count(fields["sequence"]),
    token_sha256: text(fields["token_sha256"]),
    turn_settle_seconds: count(fields["turn_settle_seconds"]),
    clear_settle_seconds: count(fields["clear_settle_seconds"]),
    max_doc_age_seconds: count(fields["max_doc_age_seconds"]),
    why: text(fields["why"]),
  };
}

/** Asks the executor to drop a roll that has cleared nothing yet. Throws UsageError. */
export async function askCancel(root: string, key: string, { roll_id }: RollFile): Promise<void> {
  await writeRecord(root, key, CANCEL, { schema_version: 1, roll_id });
}

/** True when somebody asked for that. */
export async function isCancelAsked(root: string, key: string, { roll_id }: RollFile): Promise<boolean> {
  return (await readRecord(root, key, CANCEL))?.["roll_id"] === roll_id;
}

/** Replaces it. Throws UsageError. */
export async function writeRoll(root: string, key: string, roll: RollFile): Promise<void> {
  await writeRecord(root, key, NAME, roll);
}

/** The executor of a pane's roll: `none` also when nobody can tell, as on another machine. */
export async function readExecutor(root: string, key: string): Promise<"alive" | "dead" | "none"> {
  const found = readSessionProcess(await readRecord(root, key, EXECUTOR));
  if (found === null) return "none";
  const liveness = await readLiveness(found, await readOwnIdentity());
  return liveness === "unknown" ? "none" : liveness;
}

/** This process is the executor from here on. The caller holds the pane's lock. Throws UsageError. */
export async function claimExecutor(root: string, key: string): Promise<void> {
  await writeRecord(root, key, EXECUTOR, { ...(await readOwnIdentity()), serves_many: false });
}

/** It is done. */
export async function releaseExecutor(root: string, key: string): Promise<void> {
  await dropRecord(root, key, EXECUTOR);
}

/** A roll that goes on in a process that lives; null: none does. */
export async function readRolling(root: string, key: string): Promise<RollFile | null> {
  const roll = await readRoll(root, key);
  if (roll === null || hasEnded(roll)) return null;
  return (await readExecutor(root, key)) === "alive" ? roll : null;
}
