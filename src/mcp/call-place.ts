// Where a call belongs: the folder of the project, its workbench, and the session that calls. A server lives as long as its
// agent, so all of it is looked at anew for each call.
import { statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { HOOK_SPEECHES } from "../agents/registry.js";
import { RefusalError } from "../model/errors.js";
import { isValidId } from "../model/valid-id.js";
import { findCurrentSession } from "../recorder/current-session.js";
import { findSessionRoot } from "../recorder/find-session-root.js";
import { findRecordedSession, type RecordQuestion } from "../recorder/recorded-session.js";
import { findSessionAbove } from "../recorder/session-above.js";
import { readSessionFile } from "../recorder/session-file.js";
import { sessionFolderOf } from "../recorder/session-folder.js";
import type { Redactor } from "../redact/create-redactor.js";
import { isSecret, openWorkbench, type Environment, type Workbench } from "../session/open-workbench.js";
import type { SessionSearch } from "../workbench/identify-session.js";

/** What one call stands on. */
export interface CallPlace {
  /** Absolute folder that the agent works in. */
  readonly folder: string;
  readonly env: Environment;
  /** What the client says of the call besides its arguments. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** A `rollover` block was there when the server started (L2). */
  readonly configuredAtStart: boolean;
}

function isFolder(folder: string): boolean {
  try {
    return path.isAbsolute(folder) && statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

function folderOf(uri: string): string | null {
  try {
    const folder = fileURLToPath(uri);
    return isFolder(folder) ? folder : null;
  } catch {
    return null;
  }
}

/** The folder that the agent itself names; null: none does. */
export function toldFolder(env: Environment): string | null {
  const told = HOOK_SPEECHES.flatMap(({ projectVariable }) =>
    projectVariable === undefined ? [] : (env[projectVariable] ?? []),
  );
  return told.find(isFolder) ?? null;
}

/** The first of a client's roots that is a folder here; null: none is. */
export function rootFolder(roots: readonly { readonly uri: string }[]): string | null {
  return roots.map(({ uri }) => folderOf(uri)).find((folder) => folder !== null) ?? null;
}

/**
 * The workbench of a call, its gate told to the call before anything can fail behind it. Throws RefusalError
 * `mcp.no_project` where nobody works on a project: in the home folder, at the root of the file system, or in a folder that
 * is gone.
 */
export async function openCall({ folder, env }: CallPlace, call: { gate: Redactor }): Promise<Workbench> {
  const root = await findSessionRoot(folder).catch(() => null);
  if (root === null)
    throw new RefusalError(
      "mcp.no_project",
      `the agent works in ${folder}, which is no project`,
      "start the agent in the project's folder",
    );
  return openWorkbench({
    cwd: folder,
    env,
    root,
    redactor: call.gate,
    onRedactor: (redactor) => {
      call.gate = redactor;
    },
  });
}

function questionOf(workbench: Workbench): RecordQuestion {
  const isAllowed = (id: string): boolean => isValidId(id) && !isSecret(id, workbench);
  return { root: workbench.root, isAllowed, now: new Date() };
}

/** The id that the agent sends along with the call, of a session that is on record here. */
function sessionInMeta(
  { root }: Workbench,
  meta: CallPlace["meta"],
  question: RecordQuestion,
): string | null {
  const ids = HOOK_SPEECHES.flatMap(({ callMeta }) => (callMeta === undefined ? [] : [meta[callMeta]]));
  const isKnown = (id: unknown): id is string =>
    typeof id === "string" &&
    question.isAllowed?.(id) === true &&
    readSessionFile(sessionFolderOf(root, id)) !== null;
  return ids.find(isKnown) ?? null;
}

/**
 * The session that calls; null: nobody knows. What a run named comes first, then what the call itself says, then the newest
 * session of the process that started us: the environment still has the id of the session that was there at the start.
 */
export async function callingSession(workbench: Workbench, { env, meta }: CallPlace): Promise<string | null> {
  const question = questionOf(workbench);
  const { session } = await findCurrentSession({ ...question, env });
  if (session?.from === "environment" && session.agent === null) return session.id;
  return (
    sessionInMeta(workbench, meta, question) ??
    (await findSessionAbove(question, process.pid)) ??
    session?.id ??
    null
  );
}

/** How a packet's session is found: the one that calls, else what is on record. */
export function searchFor(workbench: Workbench, session: string | null): SessionSearch {
  return {
    environment: session,
    readRecorded: async (branch) => (await findRecordedSession(questionOf(workbench), branch))?.id ?? null,
  };
}
