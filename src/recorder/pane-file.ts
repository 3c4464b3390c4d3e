// .handoff/panes/<key>.json: how the session in a pane of a terminal multiplexer stands, as its hooks told it last (L7); and
// beside it the packet that the pane's next session is to be handed. Kept out of git, replaced whole, never through a link.
import { mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { HANDOFF_FOLDER, ignoreOwnFiles } from "../io/handoff-folder.js";
import { hasCode } from "../io/has-code.js";
import { temporaryName } from "../io/write-atomic.js";
import { isValidId } from "../model/valid-id.js";
import { readSessionProcess, type SessionProcess } from "../session/session-process.js";
import { readOwnFile } from "./own-file.js";
import { refuseOutside } from "./session-folder.js";

const FOLDER = "panes";
const MAX_BYTES = 64 * 1024;
/** How often a change is made anew because another hook was faster. */
const MAX_TRIES = 20;

/** DONE: the session has ended. */
export const PANE_STATES = ["BUSY", "BLOCKED", "IDLE", "DONE"] as const;
export type PaneState = (typeof PANE_STATES)[number];

/** A helper of the session that was heard of. */
export interface PaneHelper {
  readonly id: string;
  /** ISO 8601 in UTC. */
  readonly at: string;
}

export interface PaneFile {
  readonly schema_version: 1;
  readonly pane: string;
  readonly server: { readonly socket: string; readonly pid: number; readonly started: string | null };
  readonly agent: string;
  readonly process: SessionProcess | null;
  readonly session_id: string;
  readonly state: PaneState;
  /** The event that told it, in our words. */
  readonly event: string;
  readonly at: string;
  /** Counts what hooks told of this pane. */
  readonly sequence: number;
  /** How the pane's session began. */
  readonly began: {
    readonly session_id: string;
    readonly source: string;
    /** The session that was in the pane before; null: none is known. */
    readonly previous: string | null;
    readonly sequence: number;
  } | null;
  /** The newest prompt: a digest of it, never its words. */
  readonly prompt: {
    readonly session_id: string;
    readonly sha256: string;
    readonly sequence: number;
  } | null;
  /** Helpers that have begun and not ended. */
  readonly helpers: readonly PaneHelper[];
}

/** Which packet the session gets that the next clearing of a pane begins. */
export interface PaneHandover {
  readonly schema_version: 1;
  readonly packet_id: string;
  readonly from_session: string;
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function parseFields(text: string | null): Fields | null {
  if (text === null) return null;
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return null;
  }
}

const readFields = (file: string): Fields | null => parseFields(readOwnFile(file, MAX_BYTES));

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;

function fileOf(root: string, key: string, ending = ""): string {
  return path.join(root, HANDOFF_FOLDER, FOLDER, `${key}${ending}.json`);
}

/** What hooks told of a pane; null: nothing that can be used. Never throws. */
export function readPaneFile(root: string, key: string): PaneFile | null {
  return parsePaneFile(readOwnFile(fileOf(root, key), MAX_BYTES));
}

function parsePaneFile(said: string | null): PaneFile | null {
  const fields = parseFields(said);
  const state = PANE_STATES.find((one) => one === fields?.["state"]);
  if (fields === null || state === undefined || !isValidId(text(fields["session_id"]))) return null;
  const server = fieldsOf(fields["server"]);
  const began = fieldsOf(fields["began"]);
  const prompt = fieldsOf(fields["prompt"]);
  const helpers: readonly unknown[] = Array.isArray(fields["helpers"]) ? fields["helpers"] : [];
  return {
    schema_version: 1,
    pane: text(fields["pane"]),
    server: {
      socket: text(server["socket"]),
      pid: count(server["pid"]),
      started: text(server["started"]) || null,
    },
    agent: text(fields["agent"]),
    process: readSessionProcess(fields["process"]),
    session_id: text(fields["session_id"]),
    state,
    event: text(fields["event"]),
    at: text(fields["at"]),
    sequence: count(fields["sequence"]),
    began:
      text(began["session_id"]) === ""
        ? null
        : {
            session_id: text(began["session_id"]),
            source: text(began["source"]),
            previous: text(began["previous"]) || null,
            sequence: count(began["sequence"]),
          },
    prompt:
      text(prompt["sha256"]) === ""
        ? null
        : {
            session_id: text(prompt["session_id"]),
            sha256: text(prompt["sha256"]),
            sequence: count(prompt["sequence"]),
          },
    helpers: helpers.flatMap((one): PaneHelper[] => {
      const { id, at } = fieldsOf(one);
      return text(id) === "" ? [] : [{ id: text(id), at: text(at) }];
    }),
  };
}

function makeFolder(root: string): void {
  const above = path.join(root, HANDOFF_FOLDER);
  for (const one of [above, path.join(above, FOLDER)]) {
    try {
      mkdirSync(one);
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
    }
    refuseOutside(one, realpathSync(root));
  }
  ignoreOwnFiles(above);
  try {
    writeFileSync(path.join(above, FOLDER, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

/** @param isWanted asked when all is written and nothing in its place yet; on false it stays as it was. Gives what was said */
function replace(root: string, file: string, value: unknown, isWanted = (): boolean => true): boolean {
  makeFolder(root);
  const temporary = temporaryName(file);
  try {
    writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { flag: "wx", mode: 0o600 });
    const isReplaced = isWanted();
    if (isReplaced) renameSync(temporary, file);
    else rmSync(temporary, { force: true });
    return isReplaced;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Changes it by what it says now, and once more when another hook has changed it meanwhile: those of one session run side by
 * side, and none may undo what another one told. Throws what the system throws, and for a link that leads out of the workbench.
 * @param root a real path
 * @param change gives the file as it is to be; null: it stays
 */
export function changePaneFile(
  root: string,
  key: string,
  change: (found: PaneFile | null) => PaneFile | null,
): void {
  const file = fileOf(root, key);
  for (let tries = 1; ; tries += 1) {
    const said = readOwnFile(file, MAX_BYTES);
    const next = change(parsePaneFile(said));
    if (next === null) return;
    const isSame = (): boolean => tries === MAX_TRIES || readOwnFile(file, MAX_BYTES) === said;
    if (replace(root, file, next, isSame)) return;
  }
}

/** Leaves a packet for the session that the next clearing of the pane begins. Throws as {@link changePaneFile}. */
export function leaveHandover(
  root: string,
  key: string,
  handover: Omit<PaneHandover, "schema_version">,
): void {
  replace(root, fileOf(root, key, ".handover"), { schema_version: 1, ...handover });
}

/** The packet that was left; null: none. Never throws. */
export function readHandover(root: string, key: string): PaneHandover | null {
  const fields = readFields(fileOf(root, key, ".handover"));
  const packet_id = text(fields?.["packet_id"]);
  const from_session = text(fields?.["from_session"]);
  if (!/^hp_[0-9a-f]{16}$/u.test(packet_id) || from_session === "") return null;
  return { schema_version: 1, packet_id, from_session };
}

/** Nothing is left for anybody any more. Throws what the system throws. */
export function takeHandoverBack(root: string, key: string): void {
  rmSync(fileOf(root, key, ".handover"), { force: true });
}
