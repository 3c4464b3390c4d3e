// Which session a command belongs to that an agent (or a person beside it) runs itself: told, else known from the
// environment, else the one that is at work here.
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { HOOK_SPEECHES } from "../agents/registry.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { isValidId } from "../model/valid-id.js";
import { parseTime } from "../text/parse-time.js";
import { checkIdOption, type Environment } from "../workbench/choose-ids.js";
import { readSessionFile, type SessionFile } from "./session-file.js";
import { sessionFolderOf } from "./session-folder.js";

/** Set by whoever starts an agent and knows better than the agent does. */
const OWN_VARIABLE = "HANDOFF_SESSION_ID";
/** Of the sessions whose files changed last, so many are looked into. */
const MAX_RECORDS = 50;
/** A session that was killed never ends on record: without a sign of life for so long it is not at work. */
const SILENT_MS = 24 * 60 * 60 * 1000;

/** Where to look. */
export interface SessionQuestion {
  /** Real path of the workbench. */
  readonly root: string;
  readonly env: Environment;
  /** The value of --session. */
  readonly option?: string | null;
  /** Which ids that nobody typed may be used. Default: the valid ones. */
  readonly isAllowed?: (id: string) => boolean;
  readonly now: Date;
}

export interface CurrentSession {
  readonly id: string;
  readonly from: "option" | "environment" | "record";
}

/** null: none is known. */
export interface FoundSession {
  readonly session: CurrentSession | null;
  /** Ids that were there and are not allowed (P43). */
  readonly diagnostics: readonly Diagnostic[];
}

/** A session with a record in this workbench. */
interface Recorded {
  readonly id: string;
  readonly file: SessionFile;
}

/** Newest first: by when they began, and where that says nothing by name, so that the choice is always the same. */
function byStart(a: Recorded, b: Recorded): number {
  const at = ({ file }: Recorded): number => parseTime(file.started_at) ?? 0;
  return at(b) - at(a) || (a.id < b.id ? 1 : -1);
}

/** When anything in a session's folder was last written. */
async function lastSign(folder: string): Promise<number> {
  const names = ["session.json", "feedback.jsonl", "touched_files.jsonl", "agent_state.json"];
  const times = await Promise.all(
    names.map((name) =>
      stat(path.join(folder, name)).then(
        (facts) => facts.mtimeMs,
        () => 0,
      ),
    ),
  );
  return Math.max(...times);
}

/** The newest session that has not ended and shows signs of life. */
async function sessionAtWork({ root, now, isAllowed = isValidId }: SessionQuestion): Promise<string | null> {
  const names = await readdir(path.dirname(sessionFolderOf(root, "x"))).catch((): string[] => []);
  const alive = await Promise.all(
    names
      .filter((name) => isValidId(name) && isAllowed(name))
      .map(async (id) => ({ id, at: await lastSign(sessionFolderOf(root, id)) })),
  );
  const recorded = alive
    .filter(({ at }) => now.getTime() - at < SILENT_MS)
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MAX_RECORDS)
    .flatMap(({ id }): Recorded[] => {
      const file = readSessionFile(sessionFolderOf(root, id));
      return file === null || file.ended_at !== null ? [] : [{ id, file }];
    });
  return recorded.toSorted(byStart)[0]?.id ?? null;
}

/**
 * The id that the agent which runs us put into our environment. One agent may have been started by another, whose variable
 * is then there too: the session that began last here is the inner one.
 */
function sessionOfAgents({ root, env }: SessionQuestion, isUsable: (id: string) => boolean): string | null {
  const named = HOOK_SPEECHES.flatMap(
    ({ sessionVariables }) => sessionVariables.map((name) => env[name] ?? "").find((id) => id !== "") ?? [],
  ).filter(isUsable);
  if (named.length < 2) return named[0] ?? null;
  const recorded = named.flatMap((id): Recorded[] => {
    const file = readSessionFile(sessionFolderOf(root, id));
    return file === null ? [] : [{ id, file }];
  });
  return recorded.toSorted(byStart)[0]?.id ?? named[0] ?? null;
}

/**
 * The session, by option, `HANDOFF_SESSION_ID`, the variables of the agents we know, or as the newest one on record that
 * has not ended. Throws UsageError for a bad option only.
 */
export async function findCurrentSession(question: SessionQuestion): Promise<FoundSession> {
  const { env, option = null, isAllowed = isValidId } = question;
  const diagnostics: Diagnostic[] = [];
  if (option !== null)
    return { session: { id: checkIdOption("session", option), from: "option" }, diagnostics };
  const isUsable = (id: string): boolean => {
    if (isValidId(id) && isAllowed(id)) return true;
    const args = { kind: "session", value: id.slice(0, 200).toWellFormed() };
    diagnostics.push({
      code: "id.invalid",
      severity: "warn",
      artifact: "session_record",
      source: null,
      args,
    });
    return false;
  };
  const own = env[OWN_VARIABLE] ?? "";
  const told = own !== "" && isUsable(own) ? own : sessionOfAgents(question, isUsable);
  if (told !== null) return { session: { id: told, from: "environment" }, diagnostics };
  const atWork = await sessionAtWork(question);
  return { session: atWork === null ? null : { id: atWork, from: "record" }, diagnostics };
}
