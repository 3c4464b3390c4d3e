// session.json: what is known of a session as a whole (A8). Replaced whole; a file that says nothing usable is begun anew.
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { stageFile } from "../io/write-atomic.js";
import type { Redactor } from "../redact/create-redactor.js";
import { readSessionProcess, type SessionProcess } from "../session/session-process.js";
import { cleanText } from "../text/clean.js";
import { makeSessionFolder, rootOf } from "./session-folder.js";

const NAME = "session.json";
const MAX_BYTES = 1024 * 1024;
/** Longest goal and last message, in UTF-16 units. */
const MAX_TEXT = 2000;
/** Longest of all others, in UTF-16 units: what is longer names nothing, and the file must stay one that is read. */
const MAX_NAME = 1024;
const MAX_PATH = 4096;
/** How often a change is made anew because somebody else changed the file meanwhile. */
const MAX_TRIES = 10;
/** Longer prompts are goals by their beginning. */
const MAX_LOOKED_AT = 64 * 1024;

/** Times are ISO 8601 in UTC. */
export interface SessionFile {
  readonly schema_version: 1;
  readonly session_id: string;
  readonly agent: string;
  readonly model: string | null;
  readonly branch: string | null;
  /** The commit that was checked out when the session began. */
  readonly base_commit: string | null;
  readonly goal: string | null;
  /** What the sessions were asked to do whose work this one took over, newest first (`earlier-goals.ts`). */
  readonly earlier_goals: readonly string[];
  /** How it began last: startup, resume, clear … */
  readonly source: string | null;
  readonly started_at: string | null;
  /** null: it runs, or was killed. */
  readonly ended_at: string | null;
  readonly end_reason: string | null;
  readonly last_message: string | null;
  readonly transcript_path: string | null;
  /** Digest of the working tree's changes when the session began. */
  readonly tree: string | null;
  /** How much of the transcript has been read for commands. */
  readonly transcript_bytes: number;
  /** The last reading of how full the context was, as its transcript tells it (A12). */
  readonly context: { readonly used_tokens: number; readonly window: number | null } | null;
  /** What it runs in; null: nobody knows. */
  readonly process: SessionProcess | null;
}

type Change = Partial<Omit<SessionFile, "schema_version" | "session_id">>;

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function readFields(folder: string): Readonly<Record<string, unknown>> | null {
  const file = path.join(folder, NAME);
  try {
    const facts = statSync(file);
    return facts.isFile() && facts.size <= MAX_BYTES ? parse(readFileSync(file, "utf8")) : {};
  } catch {
    return null;
  }
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

const count = (value: unknown): number | null => (typeof value === "number" && value >= 0 ? value : null);

function readContext(value: unknown): SessionFile["context"] {
  if (typeof value !== "object" || value === null) return null;
  const { used_tokens, window }: Record<string, unknown> = { ...value };
  const used = count(used_tokens);
  return used === null ? null : { used_tokens: used, window: count(window) };
}

/** The session's file; null when there is none. Fields that say nothing usable are null. Never throws. */
export function readSessionFile(folder: string): SessionFile | null {
  const fields = readFields(folder);
  if (fields === null) return null;
  const bytes = fields["transcript_bytes"];
  return {
    schema_version: 1,
    session_id: path.basename(folder),
    agent: text(fields["agent"]) ?? "",
    model: text(fields["model"]),
    branch: text(fields["branch"]),
    base_commit: text(fields["base_commit"]),
    goal: text(fields["goal"]),
    earlier_goals: texts(fields["earlier_goals"]),
    source: text(fields["source"]),
    started_at: text(fields["started_at"]),
    ended_at: text(fields["ended_at"]),
    end_reason: text(fields["end_reason"]),
    last_message: text(fields["last_message"]),
    transcript_path: text(fields["transcript_path"]),
    tree: text(fields["tree"]),
    transcript_bytes: typeof bytes === "number" && bytes > 0 ? bytes : 0,
    context: readContext(fields["context"]),
    process: readSessionProcess(fields["process"]),
  };
}

const NOTHING: SessionFile = {
  schema_version: 1,
  session_id: "",
  agent: "",
  model: null,
  branch: null,
  base_commit: null,
  goal: null,
  earlier_goals: [],
  source: null,
  started_at: null,
  ended_at: null,
  end_reason: null,
  last_message: null,
  transcript_path: null,
  tree: null,
  transcript_bytes: 0,
  context: null,
  process: null,
};

const within = (value: string | null, max: number): string | null =>
  value !== null && value.length <= max ? value : null;

/** Texts come from an agent's payloads and transcripts: one that is no name is none. */
function bounded(file: SessionFile): SessionFile {
  const name = (value: string | null): string | null => within(value, MAX_NAME);
  return {
    ...file,
    model: name(file.model),
    branch: name(file.branch),
    base_commit: name(file.base_commit),
    source: name(file.source),
    started_at: name(file.started_at),
    ended_at: name(file.ended_at),
    end_reason: name(file.end_reason),
    transcript_path: within(file.transcript_path, MAX_PATH),
  };
}

const spell = (file: SessionFile | null): string => `${JSON.stringify(file, null, 2)}\n`;

/**
 * Changes some fields, makes the file when there is none, and writes nothing when nothing changes.
 * @param folder `.handoff/sessions/<session_id>` of the workbench, absolute; made when it is missing
 * Throws what the system throws, or UsageError for a write that cannot be done.
 */
export async function updateSession(folder: string, change: Change): Promise<SessionFile> {
  for (let tries = 1; ; tries += 1) {
    const before = readSessionFile(folder);
    const next = bounded({ ...(before ?? NOTHING), ...change, session_id: path.basename(folder) });
    if (before !== null && spell(next) === spell(before)) return next;
    if (before === null) makeSessionFolder(folder);
    const staged = await stageFile(path.join(folder, NAME), spell(next), { base: rootOf(folder) });
    // Hooks of one session run side by side: what another one noted while this one waited for the disk stays. Between this look
    // and the change nothing is waited for.
    if (tries === MAX_TRIES || spell(readSessionFile(folder)) === spell(before)) {
      await staged.commit();
      return next;
    }
    await staged.discard();
  }
}

/** A goal or a last message as it is kept: secrets out, fit to show, at most 2,000 characters; null when nothing is left. */
export function keptText(said: string, redactor: Redactor): string | null {
  const clean = cleanText(redactor.redactText(said.slice(0, MAX_LOOKED_AT)).text).trim();
  const kept = clean.length <= MAX_TEXT ? clean : `${clean.slice(0, MAX_TEXT - 1).toWellFormed()}…`;
  return kept === "" ? null : kept;
}
