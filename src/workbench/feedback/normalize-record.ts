// One feedback record of any known spelling (P3) as ours. Two depths: the gist that counting needs of every line, and
// the whole record, which only the lines that end up in a scan are worth.
import { createHash } from "node:crypto";
import type { FeedbackRecord, RecordPlace } from "../../model/feedback.js";
import { commandKey, commandText } from "../../text/shell-words.js";
import { readRecordTime } from "./record-time.js";

/** Longest text kept of a record's tails, note and error, in UTF-16 units: their end says why, and memory stays bounded. */
export const TEXT_LIMIT = 32_768;
/** Longest grouping key kept; a longer one keeps its beginning and a digest of the whole. */
const KEY_LIMIT = 8192;

/** What counting needs of a record. */
export interface RecordGist {
  readonly key: string;
  readonly exit_code: number | null;
  readonly at: number | null;
  /** What tells records apart: the number 1 and the text "1" are two ids. */
  readonly command_id: string | number | null;
}

type Fields = Readonly<Record<string, unknown>>;

/** A slice that does not keep its long parent string alive. */
function detach(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}

function keepEnd(text: string): string {
  return text.length <= TEXT_LIMIT ? text : detach(text.slice(-TEXT_LIMIT));
}

function readText(value: unknown): string | null {
  return typeof value === "string" ? keepEnd(value) : null;
}

/** An id or a name: a non-blank string, or a number as its digits. An empty command_id is no id: it joins nothing. */
function readName(value: unknown): string | null {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

/**
 * An id by which records are joined (P14): a non-blank string, or a number that a double holds exactly. Two integers beyond
 * that may look alike after parsing and still be two ids, so they are none.
 */
function readId(value: unknown): string | number | null {
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : null;
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

/** A usable command: a non-blank string, or an argv of strings and numbers with a word in it. Else null. */
function readCommand(value: unknown): string | readonly string[] | null {
  if (typeof value === "string") return value.trim() === "" ? null : value;
  if (!Array.isArray(value)) return null;
  const argv: string[] = [];
  let blank = true;
  for (const word of value) {
    if (typeof word !== "string" && typeof word !== "number") return null;
    const text = String(word);
    if (text.trim() !== "") blank = false;
    argv.push(text);
  }
  return blank ? null : argv;
}

/** An exit status: a safe integer, or a string of one. Everything else is null: no status. */
function readExit(fields: Fields): number | null {
  const name = ["exit_code", "exitCode", "exit"].find((alias) => Object.hasOwn(fields, alias));
  const value = name === undefined ? null : fields[name];
  if (typeof value !== "number" && !(typeof value === "string" && /^\s*[+-]?\d+\s*$/u.test(value)))
    return null;
  const exit = Number(value);
  // Minus zero is zero.
  return Number.isSafeInteger(exit) ? exit + 0 : null;
}

function readTime(fields: Fields): number | null {
  return readRecordTime(fields["started_at"] ?? fields["ts"] ?? fields["timestamp"]);
}

function boundedKey(command: string | readonly string[]): string {
  const key = commandKey(command);
  if (key.length <= KEY_LIMIT) return key;
  const digest = createHash("sha256").update(key, "utf16le").digest("hex");
  return `${detach(key.slice(0, KEY_LIMIT))}… sha256:${digest}`;
}

/** Logs repeat their commands, and a key costs more than the rest of a gist: the newest many are remembered. */
const keys = new Map<string, string>();
/** All spellings together, in UTF-16 units. */
const SPELLINGS_REMEMBERED = 400_000;
let remembered = 0;
const REMEMBERED_LENGTH = 1024;

function keyOf(command: string | readonly string[]): string {
  const spelling = typeof command === "string" ? command : JSON.stringify(command);
  // A string that starts like a spelled argv is not remembered, so the two cannot be mixed up.
  if (spelling.length > REMEMBERED_LENGTH || (typeof command === "string" && command.startsWith("[")))
    return boundedKey(command);
  const known = keys.get(spelling);
  if (known !== undefined) return known;
  const key = boundedKey(command);
  if (remembered >= SPELLINGS_REMEMBERED) {
    keys.clear();
    remembered = 0;
  }
  remembered += spelling.length;
  keys.set(spelling, key);
  return key;
}

/** What counting needs of a parsed line, or null when it has no usable command. */
export function readGist(fields: Fields): RecordGist | null {
  const command = readCommand(fields["command"]);
  if (command === null) return null;
  return {
    key: keyOf(command),
    exit_code: readExit(fields),
    at: readTime(fields),
    command_id: readId(fields["command_id"]),
  };
}

/** The whole record, or null when it has no usable command. Long texts keep their last {@link TEXT_LIMIT} units. */
export function normalizeRecord(fields: Fields, source: RecordPlace): FeedbackRecord | null {
  const command = readCommand(fields["command"]);
  if (command === null) return null;
  const text = commandText(command);
  const duration = fields["duration_ms"];
  return {
    command: text.length <= TEXT_LIMIT ? text : detach(text.slice(0, TEXT_LIMIT)),
    key: keyOf(command),
    exit_code: readExit(fields),
    at: readTime(fields),
    duration_ms: typeof duration === "number" && Number.isFinite(duration) && duration >= 0 ? duration : null,
    note: readText(fields["agent_note"]) ?? readText(fields["note"]),
    error: readText(fields["error"]),
    stdout_tail: readText(fields["stdout_tail"]) ?? "",
    stderr_tail: readText(fields["stderr_tail"]) ?? "",
    command_id: readName(fields["command_id"]),
    session_id: readName(fields["session_id"]),
    agent: readName(fields["agent"]),
    source,
  };
}

/** Why a line is no record. */
export type SkipReason =
  | "not valid JSON"
  | "not an object"
  | "no command"
  | "contains NUL"
  | "longer than 16 MiB";

/** Parses one line to an object, or says why it is none. */
export function parseLine(text: string): Fields | SkipReason {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text.includes("\u0000") ? "contains NUL" : "not valid JSON";
  }
  return isFields(value) ? value : "not an object";
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
