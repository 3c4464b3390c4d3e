// What a session's log holds already (A12): which commands it knows, and where it lacks an exit that a transcript may tell.
// Read line by line in bounded blocks; a record is mended in place, since others append to the file meanwhile.
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import path from "node:path";
import { FEEDBACK_LOG } from "./append-record.js";
import { TOUCHED_LOG } from "./append-edits.js";

/** The log and its rotated parts. */
const LOGS = [FEEDBACK_LOG, ...[1, 2, 3, 4, 5].map((part) => `${FEEDBACK_LOG}.${part}`)];
const BLOCK = 1024 * 1024;
/** No record of ours comes near it. */
const LINE_LIMIT = 1024 * 1024;
const NEWLINE = 0x0a;

/** A line of a file that can be written anew, as long as it stays as long. */
export interface RecordPlace {
  readonly file: string;
  readonly offset: number;
  readonly bytes: Buffer;
}

/** What is known of the commands of a session. */
export interface KnownRecords {
  /** By command id; the place of a record without an exit status, null for all others. */
  readonly commands: Map<string, RecordPlace | null>;
  /** Ids of the calls whose edits are there. */
  readonly edits: Set<string>;
  /** What `handoff exec` recorded itself: ids of the calls that ran it, and the commands, spelled as JSON. */
  readonly execs: Set<string>;
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(bytes: Buffer): Fields | null {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function idOf(fields: Fields): string | null {
  const id = fields["command_id"];
  return typeof id === "string" && id.trim() !== "" ? id : null;
}

/** Opens a regular file, or gives null: what is not there, or is none, holds no records. */
function openFile(file: string, flags: number): number | null {
  try {
    const fd = openSync(file, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
  } catch {
    // Not there, a link, or not ours to read: the next append will say so.
  }
  return null;
}

/** Calls `onLine` with each line that is not too long, and where it begins. The bytes are the callee's to keep. */
function eachLine(file: string, onLine: (bytes: Buffer, offset: number) => void): void {
  const fd = openFile(file, constants.O_RDONLY);
  if (fd === null) return;
  try {
    const block = Buffer.allocUnsafe(BLOCK);
    let parts: Buffer[] = [];
    let start = 0;
    let held = 0;
    for (let at = 0; ;) {
      const got = readSync(fd, block, 0, BLOCK, at);
      if (got === 0) {
        if (held > 0 && held <= LINE_LIMIT) onLine(Buffer.concat(parts), start);
        return;
      }
      let from = 0;
      for (let end = block.indexOf(NEWLINE); end !== -1 && end < got; end = block.indexOf(NEWLINE, from)) {
        if (held + end - from <= LINE_LIMIT)
          onLine(Buffer.concat([...parts, block.subarray(from, end)]), start);
        from = end + 1;
        start = at + from;
        parts = [];
        held = 0;
      }
      held += got - from;
      if (held > LINE_LIMIT) parts = [];
      else parts.push(Buffer.from(block.subarray(from, got)));
      at += got;
    }
  } finally {
    closeSync(fd);
  }
}

/** Reads what a session's folder holds. Never throws for what is on disk. */
export function readKnownRecords(folder: string): KnownRecords {
  const known: KnownRecords = { commands: new Map(), edits: new Set(), execs: new Set() };
  for (const name of LOGS) {
    const file = path.join(folder, name);
    eachLine(file, (bytes, offset) => {
      const fields = fieldsOf(bytes);
      const id = fields === null ? null : idOf(fields);
      if (fields?.["source"] === "exec") {
        known.execs.add(JSON.stringify(fields["command"]));
        // A call's further commands have its id with something behind it.
        if (id !== null) known.execs.add(id.split(":", 1)[0] ?? id);
      }
      // The first record of an id stands (P14).
      if (fields === null || id === null || known.commands.has(id)) return;
      const isOpen = fields["exit_code"] === null && fields["command"] !== undefined;
      known.commands.set(id, isOpen ? { file, offset, bytes } : null);
    });
  }
  eachLine(path.join(folder, TOUCHED_LOG), (bytes) => {
    const id = idOf(fieldsOf(bytes) ?? {});
    if (id !== null) known.edits.add(id);
  });
  return known;
}

/** What a command's end is told to be. */
export interface ToldEnd {
  readonly exit_code: number;
  readonly error: string | null;
  readonly duration_ms: number | null;
}

/** The record with its end, in exactly as many bytes; null when they do not suffice. Blanks before a newline are no part of JSON. */
function respell(before: Buffer, { exit_code, error, duration_ms }: ToldEnd): Buffer | null {
  const fields = fieldsOf(before);
  if (fields === null) return null;
  const { error: _, ...rest } = fields;
  const timed = typeof rest["duration_ms"] === "number" || duration_ms === null ? {} : { duration_ms };
  // What says most first, should there be no room for all of it.
  const spellings = [
    ...(error === null
      ? []
      : [
          { ...rest, exit_code, ...timed, error },
          { ...rest, exit_code, error },
        ]),
    { ...rest, exit_code, ...timed },
    { ...rest, exit_code },
    { ...rest, exit_code, agent_note: undefined },
  ];
  for (const spelling of spellings) {
    const text = Buffer.from(JSON.stringify(spelling));
    if (text.length <= before.length)
      return Buffer.concat([text, Buffer.alloc(before.length - text.length, " ")]);
  }
  return null;
}

/**
 * Gives a record without an exit status the one it had, in place. False when the line is not what it was any more, or has
 * no room for it. Throws what the system throws on a write.
 */
export function fillExit(place: RecordPlace, end: ToldEnd): boolean {
  const line = respell(place.bytes, end);
  const fd = line === null ? null : openFile(place.file, constants.O_RDWR);
  if (line === null || fd === null) return false;
  try {
    const now = Buffer.allocUnsafe(place.bytes.length);
    const got = readSync(fd, now, 0, now.length, place.offset);
    if (got !== now.length || !now.equals(place.bytes)) return false;
    writeSync(fd, line, 0, line.length, place.offset);
    return true;
  } finally {
    closeSync(fd);
  }
}
