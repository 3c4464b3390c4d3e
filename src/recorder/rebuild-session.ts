// Writes what a transcript tells into the session's folder (A12): records of commands, edits, and the fields of session.json
// that nobody filled. What is there already stays as it is, so that twice is once, and hooks' records are not doubled.
import path from "node:path";
import type { AgentName, CommandFact, EditFact } from "../agents/agent.js";
import type { FoundTranscript } from "../agents/find-transcript.js";
import { streamSession, type TranscriptLosses } from "../agents/stream-transcript.js";
import type {
  BackgroundTask,
  ContextReading,
  TranscriptFacts,
  TranscriptItem,
} from "../agents/transcript.js";
import { isInside } from "../io/read-artifact-file.js";
import type { Redactor } from "../redact/create-redactor.js";
import { appendEdits } from "./append-edits.js";
import { appendRecord } from "./append-record.js";
import { goalOf } from "./goal-of.js";
import { fillExit, readKnownRecords, type KnownRecords } from "./known-records.js";
import { execWords, isOwnCommand } from "./own-command.js";
import { keptText, readSessionFile, updateSession, type SessionFile } from "./session-file.js";
import { sessionFolderOf } from "./session-folder.js";

/** How a session's `source` calls one that only its transcript told of. */
const FROM_TRANSCRIPT = "transcript";

export interface RebuildOptions {
  /** Real path of the workbench. */
  readonly root: string;
  readonly transcript: FoundTranscript;
  readonly redactor: Redactor;
  /** Our clock, for what the transcript gives no time. */
  readonly now: Date;
  /** The session goes on while we read: what it is at has no end yet, and is no record. */
  readonly isLive: boolean;
  /** Only count. Default false. */
  readonly isDryRun?: boolean;
}

/** What a transcript told, and what of it was new. */
export interface RebuiltSession {
  readonly session_id: string;
  readonly agent: AgentName;
  /** Its name for people. */
  readonly title: string;
  readonly file: string;
  /** Files of subagents that were read with it. */
  readonly subagents: number;
  /** `filled`: records that got the exit they lacked. */
  readonly commands: { readonly told: number; readonly added: number; readonly filled: number };
  readonly edits: { readonly told: number; readonly added: number };
  /** Fields of session.json that were written. */
  readonly fields: readonly string[];
  readonly context: ContextReading | null;
  readonly losses: Readonly<TranscriptLosses>;
}

/** A run over one transcript. */
interface Rebuild extends RebuildOptions {
  readonly folder: string;
  readonly known: KnownRecords;
}

/** The folder in this workbench that a folder or file of the session was; a session may have run in another checkout. */
function placeIn(root: string, cwd: string | null, file: string): string {
  if (cwd === null || isInside(cwd, root) || isInside(root, cwd) || !path.isAbsolute(file)) return file;
  return isInside(file, cwd) ? path.join(root, path.relative(cwd, file)) : file;
}

function timeOf(at: string | null, now: Date): Date {
  const time = new Date(at ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? now : time;
}

/** With what a command said after it had gone to the background. */
function withTaskOutput(
  { transcript: { speech, session_id } }: Rebuild,
  command: CommandFact,
  task: BackgroundTask | undefined,
): CommandFact {
  if (task === undefined) return command;
  const output = speech.readTaskOutput?.(task.output_file, task.id, session_id) ?? null;
  if (output === null) return command;
  const cut = output.cut_bytes > 0 ? { stdout_cut: output.cut_bytes } : {};
  return { ...command, stdout: output.text, stderr: "", ...cut };
}

/** `ours`: it only called us, and is no record. */
type Taking = "added" | "filled" | "known" | "ours";

/** A command in the background that never ended says nothing about itself; neither does one of a session that goes on. */
function isOpen({ awaits }: CommandFact, isLive: boolean): boolean {
  return awaits !== undefined && (isLive || awaits.from === "background");
}

/** What is left to record of a command that only called us: what `handoff exec` ran and could not record here; null: nothing. */
function unrecordedExec({ known }: Rebuild, { command, command_id }: CommandFact): readonly string[] | null {
  const ran = execWords(command);
  if (ran === null || known.execs.has(JSON.stringify(ran))) return null;
  return command_id !== null && known.execs.has(command_id) ? null : ran;
}

function takeCommand(rebuild: Rebuild, told: CommandFact, at: string | null): Taking {
  const { root, transcript, folder, known, redactor, now, isDryRun = false } = rebuild;
  const ran = isOwnCommand(told.command) ? unrecordedExec(rebuild, told) : told.command;
  if (ran === null) return "ours";
  const command = { ...told, command: ran };
  const { command_id, exit_code, error, duration_ms } = command;
  const place = command_id === null ? undefined : known.commands.get(command_id);
  if (place !== undefined) {
    if (place === null || exit_code === null) return "known";
    const end = { exit_code, error: redactedError(error, redactor), duration_ms };
    if (!isDryRun && !fillExit(place, end)) return "known";
    if (command_id !== null) known.commands.set(command_id, null);
    return "filled";
  }
  if (command_id !== null) known.commands.set(command_id, null);
  if (isDryRun) return "added";
  const { awaits: _, ...fact } = command;
  const cwd = fact.cwd === null ? null : placeIn(root, transcript.cwd, fact.cwd);
  appendRecord(
    folder,
    { ...fact, cwd },
    {
      agent: transcript.speech.name,
      session_id: transcript.session_id,
      source: "transcript",
      redactor,
      now: timeOf(at, now),
    },
  );
  return "added";
}

function redactedError(error: string | null, redactor: Redactor): string | null {
  return error === null ? null : redactor.redactText(error).text;
}

function takeEdit(rebuild: Rebuild, edit: EditFact, at: string | null): boolean {
  const { root, transcript, folder, known, redactor, now, isDryRun = false } = rebuild;
  const { command_id } = edit;
  if (command_id !== null && known.edits.has(command_id)) return false;
  if (command_id !== null) known.edits.add(command_id);
  if (isDryRun) return true;
  const cwd = transcript.cwd ?? root;
  const paths = edit.paths.map((file) => placeIn(root, cwd, path.resolve(cwd, file)));
  appendEdits(folder, { ...edit, paths }, { cwd: root, redactor, now: timeOf(at, now) });
  return true;
}

/** What session.json lacks. Of a session that only transcripts told of, what moves on with it is written anew. */
function missingFields(
  before: SessionFile | null,
  { transcript, redactor }: Rebuild,
  facts: TranscriptFacts,
  goal: string | null,
  context: ContextReading | null,
): Partial<SessionFile> {
  const told: Partial<SessionFile> = {
    agent: transcript.speech.name,
    model: facts.model,
    branch: facts.branch,
    base_commit: facts.base_commit,
    goal,
    started_at: facts.started_at,
    last_message: facts.last_message === null ? null : keptText(facts.last_message, redactor),
    transcript_path: transcript.file,
    source: FROM_TRANSCRIPT,
  };
  const isOurs = before === null || before.source === FROM_TRANSCRIPT;
  const moving = new Set(["model", "last_message", "transcript_path"]);
  const change = Object.entries(told).filter(([name, value]) => {
    const is = before === null ? null : Reflect.get(before, name);
    return value !== null && value !== is && (is === null || is === "" || (isOurs && moving.has(name)));
  });
  return { ...Object.fromEntries(change), ...(context === null ? {} : { context }) };
}

/**
 * Reads a transcript and writes what it tells of. Throws UsageError `transcript.unreadable`, and what a write throws; what
 * was written until then is right, and the next call goes on from there.
 */
export async function rebuildSession(options: RebuildOptions): Promise<RebuiltSession> {
  const { root, transcript, redactor, isLive, isDryRun = false } = options;
  const { speech, file, session_id } = transcript;
  const folder = sessionFolderOf(root, session_id);
  const rebuild: Rebuild = { ...options, folder, known: readKnownRecords(folder) };
  const stream = streamSession(speech, file, await speech.subagentFiles(file, session_id));
  const commands = { told: 0, added: 0, filled: 0 };
  const edits = { told: 0, added: 0 };
  let goal: string | null = null;
  const take = (item: TranscriptItem): void => {
    if (item.kind === "prompt") goal ??= goalOf(item.prompt, redactor);
    else if (item.kind === "edit") {
      edits.told += 1;
      if (takeEdit(rebuild, item.edit, item.at)) edits.added += 1;
    } else if (!isOpen(item.command, isLive)) {
      const taking = takeCommand(rebuild, withTaskOutput(rebuild, item.command, item.task), item.at);
      if (taking !== "ours") commands.told += 1;
      if (taking === "added" || taking === "filled") commands[taking] += 1;
    }
  };
  for await (const item of stream.items) take(item);
  const context = stream.context();
  const change = missingFields(readSessionFile(folder), rebuild, stream.facts(), goal, context);
  if (!isDryRun && Object.keys(change).length > 0) await updateSession(folder, change);
  return {
    session_id,
    agent: speech.name,
    title: speech.title,
    file,
    subagents: stream.subagents,
    commands,
    edits,
    fields: Object.keys(change),
    context,
    losses: stream.losses,
  };
}
