// Commands whose end is not known yet (A7): each waits in a file of its own, so that hooks side by side never meet, and becomes
// a record once its end is told. Until then it is none: nobody could say whether it failed.
import { lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { BackgroundEnd, CommandEnd, CommandFact } from "../agents/agent.js";
import { hasCode } from "../io/has-code.js";
import { isValidId } from "../model/valid-id.js";
import { appendRecord, startOf } from "./append-record.js";
import { cutOutput } from "./cut-output.js";
import { readOwnFile, writeOwnFile } from "./own-file.js";
import type { Recorder } from "./recorder.js";
import { makeSessionFolder } from "./session-folder.js";

const FOLDER = "pending";
/** A session that leaves more than this behind has been up to something else. */
const MAX_PENDING = 500;
/** Far more than a command and the ends of its output. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A command that waits, its secrets out and its output cut already. */
interface Pending {
  readonly fact: CommandFact;
  readonly transcript_path: string | null;
}

function fileOf({ folder }: Recorder, commandId: string): string {
  return path.join(folder, FOLDER, `${commandId}.json`);
}

function isPending(value: unknown): value is Pending {
  if (typeof value !== "object" || value === null || !("fact" in value)) return false;
  const { fact } = value;
  return typeof fact === "object" && fact !== null && "command" in fact && "stdout" in fact;
}

/** Only files that {@link keepPending} wrote lie there; what is none of them is passed by. */
function readPending(file: string): Pending | null {
  try {
    const value: unknown = JSON.parse(readOwnFile(file, MAX_BYTES) ?? "null");
    return isPending(value) ? value : null;
  } catch {
    return null;
  }
}

/** True for a folder of our own: a link in its place leads who knows where, and what lies there is not ours. */
function isOwnFolder(folder: string): boolean {
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

function makePendingFolder(folder: string): void {
  const pending = path.join(folder, FOLDER);
  try {
    mkdirSync(pending);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    if (!isOwnFolder(pending)) throw new Error(`${FOLDER} is no folder of ours`, { cause: error });
  }
}

/** Lets a command wait. One whose id cannot be a file's name is told of, and that is all. Throws what the system throws. */
export function keepPending(recorder: Recorder, fact: CommandFact): void {
  const { folder, event, config, tell } = recorder;
  const { command_id } = fact;
  if (command_id === null || !isValidId(command_id)) {
    tell("a command without a usable id did not say how it ended, and is not recorded");
    return;
  }
  const { value } = config.redactor.redactStrings({ fact });
  const [out, err] = [cutOutput(value.fact.stdout), cutOutput(value.fact.stderr)];
  const pending: Pending = {
    fact: {
      ...value.fact,
      // What it is known by, word for word.
      command_id,
      stdout: out.text,
      stderr: err.text,
      ...(out.cut_bytes > 0 ? { stdout_cut: out.cut_bytes + (fact.stdout_cut ?? 0) } : {}),
      started_at: fact.started_at ?? startOf(fact, recorder.io.now()),
    },
    transcript_path: event.transcript_path,
  };
  makeSessionFolder(folder);
  makePendingFolder(folder);
  writeOwnFile(fileOf(recorder, command_id), JSON.stringify(pending));
}

/** The record first, then the file: a crash between the two makes a second record of one id, which counts for nothing (P14). */
function settle(recorder: Recorder, file: string, fact: CommandFact, source: "hook" | "transcript"): void {
  const { folder, speech, event, config, io } = recorder;
  const { awaits: _, ...ended } = fact;
  appendRecord(folder, ended, {
    agent: speech.name,
    session_id: path.basename(folder) || event.session_id,
    source,
    redactor: config.redactor,
    now: io.now(),
  });
  rmSync(file, { force: true });
}

/**
 * A command in the background is over. Stopped by somebody, or with nothing told of its exit status: it is no record, since
 * that says nothing about the command. One that nobody started is passed by. Throws what the system throws.
 */
export function settleBackground(recorder: Recorder, end: BackgroundEnd): void {
  const { command_id, exit_code } = end;
  if (!isValidId(command_id)) return;
  if (!isOwnFolder(path.join(recorder.folder, FOLDER))) return;
  const file = fileOf(recorder, command_id);
  const pending = readPending(file);
  if (pending?.fact.awaits?.from !== "background") return;
  if (exit_code === null) {
    rmSync(file, { force: true });
    return;
  }
  const { fact } = pending;
  const task = fact.awaits?.task_id ?? null;
  const { readTaskOutput } = recorder.speech;
  const output =
    task === null ? null : (readTaskOutput?.(end.output_file, task, recorder.event.session_id) ?? null);
  const started = Date.parse(fact.started_at ?? "");
  const duration_ms = Number.isNaN(started) ? null : Math.max(0, recorder.io.now().getTime() - started);
  const said = output === null ? {} : { stdout: output.text, stderr: "", stdout_cut: output.cut_bytes };
  settle(recorder, file, { ...fact, exit_code, error: null, duration_ms, ...said }, "hook");
}

/** A command with the end that its transcript tells. */
export function withEnd(fact: CommandFact, end: CommandEnd): CommandFact {
  const { awaits: _, ...known } = fact;
  const { exit_code, error, started_at, duration_ms, output } = end;
  return {
    ...known,
    exit_code,
    error,
    started_at: started_at ?? fact.started_at,
    duration_ms: duration_ms ?? fact.duration_ms,
    // The hook may have been told the last part only.
    ...(output === null ? {} : { stdout: output, stderr: "" }),
  };
}

/** Records the commands whose end the transcripts tell by now. Throws what the system throws. */
export function settleFromTranscripts(recorder: Recorder): void {
  const { folder, speech } = recorder;
  if (speech.findEnd === undefined || !isOwnFolder(path.join(folder, FOLDER))) return;
  let names: string[];
  try {
    names = readdirSync(path.join(folder, FOLDER)).slice(0, MAX_PENDING);
  } catch {
    return;
  }
  for (const name of names) {
    const file = path.join(folder, FOLDER, name);
    const pending = readPending(file);
    const id = pending?.fact.command_id ?? null;
    if (pending?.fact.awaits?.from !== "transcript" || pending.transcript_path === null || id === null)
      continue;
    const end = speech.findEnd(pending.transcript_path, id);
    if (end !== null) settle(recorder, file, withEnd(pending.fact, end), "transcript");
  }
}
