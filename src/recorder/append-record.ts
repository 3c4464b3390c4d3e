// One finished command as one line of feedback.jsonl (A7, P3): secrets out, then cut, then written once. Also for commands
// that no hook told of: a transcript's, `handoff exec`, the runner's.
import path from "node:path";
import type { CommandFact, Subagent } from "../agents/agent.js";
import { isInside } from "../io/read-artifact-file.js";
import type { Redactor } from "../redact/create-redactor.js";
import { parseTime } from "../text/parse-time.js";
import { appendLine } from "./append-line.js";
import { cutOutput, headBytes, MAX_TAIL_BYTES } from "./cut-output.js";
import { isOwnCommand } from "./own-command.js";
import { rootOf } from "./session-folder.js";

/** Who tells of a command. */
export type RecordSource = "hook" | "transcript" | "exec" | "runner";

/** What is known besides the command itself. */
export interface RecordContext {
  readonly agent: string;
  readonly session_id: string;
  readonly source: RecordSource;
  readonly redactor: Redactor;
  /** When the command was told, by our clock. */
  readonly now: Date;
}

/** One line, as it is written. */
export type FeedbackLine = Readonly<Record<string, unknown>>;

export const FEEDBACK_LOG = "feedback.jsonl";
const MAX_COMMAND_BYTES = 8192;
const MAX_NOTE_BYTES = 500;
const MAX_ERROR_BYTES = 1000;
const MAX_PATH_BYTES = 1000;
/** Of a call's id, a tool's name and the like: UTF-16 units. */
const MAX_NAME = 256;
/** Longest spelling of a time: UTF-16 units. */
const MAX_TIME = 40;
/** A line is never longer, however its characters have to be spelled in JSON. */
const MAX_LINE_BYTES = 60_000;
/** Of a longer output only both ends are looked at; the cut keeps far less of each, so no secret is parted by it. */
const WINDOW = { head: 32 * 1024, tail: 224 * 1024 };

interface Looked {
  readonly head: string;
  readonly tail: string;
  /** Bytes between the two. */
  readonly between: number;
}

function lookAt(output: string): Looked {
  if (output.length <= WINDOW.head + WINDOW.tail) return { head: "", tail: output, between: 0 };
  const head = output.slice(0, WINDOW.head).toWellFormed();
  const tail = output.slice(-WINDOW.tail).toWellFormed();
  return {
    head,
    tail,
    between: Buffer.byteLength(output) - Buffer.byteLength(head) - Buffer.byteLength(tail),
  };
}

/** `null` of nothing to say; a folder is named from the root where it lies inside. */
function placeOf(cwd: string | null, root: string): string | null {
  if (cwd === null) return null;
  if (!path.isAbsolute(cwd) || !isInside(cwd, root)) return cwd;
  return path.relative(root, cwd).replaceAll(path.sep, "/") || ".";
}

/** When it began: as it was told, if that is a time; else counted back from `now`. ISO 8601. */
export function startOf({ started_at, duration_ms }: CommandFact, now: Date): string {
  if (started_at !== null && started_at.length <= MAX_TIME && parseTime(started_at) !== null)
    return started_at;
  const at = now.getTime() - Math.min(duration_ms ?? 0, now.getTime());
  return new Date(Math.round(at)).toISOString();
}

function cutBy(name: string, bytes: number): Record<string, number> {
  return bytes > 0 ? { [name]: bytes } : {};
}

/** The argv or line, in at most `max` bytes: its end is what goes. */
function boundCommand(command: string | readonly string[], max: number) {
  if (typeof command === "string") {
    const text = headBytes(command.toWellFormed(), max);
    return { command: text, cut: Buffer.byteLength(command.toWellFormed()) - Buffer.byteLength(text) };
  }
  const kept: string[] = [];
  let room = max;
  let cut = 0;
  for (const word of command.map((one) => one.toWellFormed())) {
    const text = headBytes(word, Math.max(0, room));
    if (room > 0) kept.push(text);
    cut += Buffer.byteLength(word) - (room > 0 ? Buffer.byteLength(text) : 0);
    room -= Buffer.byteLength(text) + 1;
  }
  return { command: kept, cut };
}

/** The line for a command, its secrets out and its texts bounded. `root` is the workbench's real path. */
export function feedbackLine(root: string, fact: CommandFact, context: RecordContext): FeedbackLine {
  const { agent, session_id, source, redactor, now } = context;
  const [out, err] = [lookAt(fact.stdout), lookAt(fact.stderr)];
  const { value: clean, counts } = redactor.redactStrings({
    command: fact.command,
    out: { head: out.head, tail: out.tail },
    err: { head: err.head, tail: err.tail },
    note: fact.agent_note,
    error: fact.error,
    cwd: placeOf(fact.cwd, root),
    subagent: fact.subagent,
  });
  const name = (text: string): string => text.slice(0, MAX_NAME).toWellFormed();
  const spell = (limit: number, commandLimit: number = MAX_COMMAND_BYTES): FeedbackLine => {
    const { command, cut } = boundCommand(clean.command, commandLimit);
    const stdout = cutOutput(clean.out.head + clean.out.tail, limit);
    const stderr = cutOutput(clean.err.head + clean.err.tail, limit);
    const truncations = {
      ...cutBy("command", cut),
      ...cutBy("stdout", stdout.cut_bytes + out.between + (fact.stdout_cut ?? 0)),
      ...cutBy("stderr", stderr.cut_bytes + err.between),
    };
    return {
      command,
      exit_code: fact.exit_code,
      started_at: startOf(fact, now),
      ...(fact.duration_ms === null ? {} : { duration_ms: fact.duration_ms }),
      ...(stdout.text === "" ? {} : { stdout_tail: stdout.text }),
      ...(stderr.text === "" ? {} : { stderr_tail: stderr.text }),
      ...(clean.note === null ? {} : { agent_note: headBytes(clean.note, MAX_NOTE_BYTES) }),
      ...(clean.error === null ? {} : { error: headBytes(clean.error, MAX_ERROR_BYTES) }),
      ...(fact.command_id === null ? {} : { command_id: name(fact.command_id) }),
      session_id,
      agent,
      tool: name(fact.tool),
      source,
      ...(clean.cwd === null ? {} : { cwd: headBytes(clean.cwd, MAX_PATH_BYTES) }),
      ...(clean.subagent === null ? {} : { subagent: boundSubagent(clean.subagent, name) }),
      ...(Object.keys(truncations).length === 0 ? {} : { truncations }),
      ...(Object.keys(counts).length === 0 ? {} : { redactions: counts }),
    };
  };
  let line = spell(MAX_TAIL_BYTES);
  // Control characters take six bytes each in JSON.
  for (let limit = MAX_TAIL_BYTES >> 1; limit >= 256 && byteLengthOf(line) > MAX_LINE_BYTES; limit >>= 1)
    line = spell(limit);
  return byteLengthOf(line) > MAX_LINE_BYTES ? spell(256, MAX_COMMAND_BYTES >> 2) : line;
}

function boundSubagent({ id, type }: Subagent, name: (text: string) => string): Subagent {
  return { id: name(id), type: type === null ? null : name(type) };
}

function byteLengthOf(line: FeedbackLine): number {
  return Buffer.byteLength(JSON.stringify(line));
}

/** Appends a line that was made before. Throws what the system throws. */
export function appendFeedbackLine(folder: string, line: FeedbackLine): void {
  appendLine(path.join(folder, FEEDBACK_LOG), JSON.stringify(line));
}

/**
 * Appends the record of a command to the session's log. Records that share a `command_id` count once, and the first stands
 * (P14), so that telling of a command twice is harmless. A command that only calls us leaves none: see {@link isOwnCommand}.
 * @param folder `.handoff/sessions/<session_id>` of the workbench, absolute; made when it is missing
 * Throws what the system throws.
 */
export function appendRecord(folder: string, fact: CommandFact, context: RecordContext): void {
  // What exec ran may be one of ours: then a person wanted it on record.
  if (context.source !== "exec" && isOwnCommand(fact.command)) return;
  appendFeedbackLine(folder, feedbackLine(rootOf(folder), fact, context));
}
