// Which session a command belongs to that an agent (or a person beside it) runs itself: told, else known from the
// environment, else the one that is at work here.
import { lstatSync } from "node:fs";
import type { AgentName } from "../agents/agent.js";
import { HOOK_SPEECHES } from "../agents/registry.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { isValidId } from "../model/valid-id.js";
import { checkIdOption, type Environment } from "../workbench/choose-ids.js";
import { byStart, findSessionAtWork, type RecordQuestion } from "./recorded-session.js";
import { readSessionFile, type SessionFile } from "./session-file.js";
import { sessionFolderOf } from "./session-folder.js";

/** Set by whoever starts an agent and knows better than the agent does. */
const OWN_VARIABLE = "HANDOFF_SESSION_ID";

/** Where to look. */
export interface SessionQuestion extends RecordQuestion {
  readonly env: Environment;
  /** The value of --session. */
  readonly option?: string | null;
}

export interface CurrentSession {
  readonly id: string;
  readonly from: "option" | "environment" | "record";
  /** The agent it is known to be of; null: not known by how it was found. */
  readonly agent: AgentName | null;
}

/** null: none is known. */
export interface FoundSession {
  readonly session: CurrentSession | null;
  /** Ids that were there and are not allowed (P43). */
  readonly diagnostics: readonly Diagnostic[];
}

/** An id in the environment, and who put it there. */
export interface NamedSession {
  readonly id: string;
  readonly variable: string;
  /** null: the variable is nobody's in particular. */
  readonly agent: AgentName | null;
}

/**
 * The id that the agent which runs us put into our environment. One agent may have been started by another, whose variable
 * is then there too: the session that began last here is the inner one.
 */
function sessionOfAgents(
  { root, env }: SessionQuestion,
  isUsable: (id: string) => boolean,
): NamedSession | null {
  const named = HOOK_SPEECHES.flatMap(({ name: agent, sessionVariables }): NamedSession[] => {
    const variable = sessionVariables.find((one) => (env[one] ?? "") !== "");
    const id = variable === undefined ? "" : (env[variable] ?? "");
    return variable === undefined ? [] : [{ id, variable, agent }];
  }).filter(({ id }) => isUsable(id));
  if (named.length < 2) return named[0] ?? null;
  const recorded = named.flatMap((one): (NamedSession & { readonly file: SessionFile })[] => {
    const file = readSessionFile(sessionFolderOf(root, one.id));
    return file === null ? [] : [{ ...one, file }];
  });
  return recorded.toSorted(byStart)[0] ?? named[0] ?? null;
}

/** Found in the environment. */
export interface FoundName {
  readonly named: NamedSession | null;
  readonly diagnostics: readonly Diagnostic[];
}

function findName(question: SessionQuestion, isOnRecord: (id: string) => boolean): FoundName {
  const { env, isAllowed = isValidId } = question;
  const diagnostics: Diagnostic[] = [];
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
  const named =
    own !== "" && isUsable(own)
      ? { id: own, variable: OWN_VARIABLE, agent: null }
      : sessionOfAgents(question, (id) => isUsable(id) && isOnRecord(id));
  return { named, diagnostics };
}

function hasFolder(root: string, id: string): boolean {
  try {
    return lstatSync(sessionFolderOf(root, id)).isDirectory();
  } catch {
    return false;
  }
}

/**
 * The session that the environment names: `HANDOFF_SESSION_ID`, else the variable of an agent whose session has left
 * something here. An agent that leaves nothing here keeps its state itself, under whatever name. Never throws.
 */
export function findSessionInEnvironment(question: SessionQuestion): FoundName {
  return findName(question, (id) => hasFolder(question.root, id));
}

/**
 * The session, by option, `HANDOFF_SESSION_ID`, the variables of the agents we know, or as the newest one on record that
 * has not ended. Throws UsageError for a bad option only.
 */
export async function findCurrentSession(question: SessionQuestion): Promise<FoundSession> {
  const { option = null } = question;
  if (option !== null)
    return {
      session: { id: checkIdOption("session", option), from: "option", agent: null },
      diagnostics: [],
    };
  const { named, diagnostics } = findName(question, () => true);
  if (named !== null)
    return { session: { id: named.id, from: "environment", agent: named.agent }, diagnostics };
  const atWork = await findSessionAtWork(question);
  return {
    session: atWork === null ? null : { id: atWork.id, from: "record", agent: null },
    diagnostics,
  };
}
