// Which session a command that we ran belongs to, and its record (A11). Looked up while the command runs; whatever fails here is
// told and changes nothing of the command's own end.
import path from "node:path";
import { appendRecord } from "../../recorder/append-record.js";
import { hookSpeechOf } from "../../agents/registry.js";
import { findCurrentSession } from "../../recorder/current-session.js";
import { findSessionRoot } from "../../recorder/find-session-root.js";
import { readHookConfig } from "../../recorder/hook-config.js";
import { findRecordedSession } from "../../recorder/recorded-session.js";
import { readSessionFile } from "../../recorder/session-file.js";
import { sessionFolderOf } from "../../recorder/session-folder.js";
import type { Diagnostic } from "../../model/diagnostic.js";
import { isValidId } from "../../model/valid-id.js";
import type { Redactor } from "../../redact/create-redactor.js";
import { DEFAULT_PLACES, placesOf } from "../../workbench/artifacts/places.js";
import type { Environment } from "../../workbench/choose-ids.js";
import { findRoot } from "../../workbench/find-root.js";
import { identifySession } from "../../workbench/identify-session.js";
import { loadConfig } from "../../workbench/load-config.js";
import { readBranch } from "../../workbench/read-branch.js";
import { refuseSecretId } from "../refuse-secret-id.js";
import type { CommandEnd } from "./run-command.js";

/** Who ran a command that no session is known for. */
const NOBODY = "unknown";
const TOOL = "handoff exec";

/** Where we were called. */
export interface ExecPlace {
  readonly cwd: string;
  readonly env: Environment;
  readonly root: string | null;
  readonly session: string | null;
}

/** Where its record goes. */
export interface RecordPlace {
  readonly root: string;
  readonly session: string;
  /** The agent whose session it is; empty: not known. */
  readonly agent: string;
  readonly redactor: Redactor;
  readonly diagnostics: readonly Diagnostic[];
}

/** The session that a packet made here would be of, when nobody says that one is at work (P43). */
async function sessionOfPacket(root: string, env: Environment, isAllowed: (id: string) => boolean) {
  const places = await loadConfig(root, null).then(
    ({ artifacts }) => placesOf(artifacts),
    () => DEFAULT_PLACES,
  );
  const { session } = await identifySession(
    { root, spellings: [], ids: { task_id: null, session_id: null } },
    places,
    {
      option: { session: null, task: null },
      hook: null,
      env,
      isAllowed,
      search: {
        environment: null,
        readRecorded: async (branch) =>
          (await findRecordedSession({ root, isAllowed, now: new Date() }, branch))?.id ?? null,
      },
      readsBranch: false,
      readBranch: () => readBranch(root, { ...env }),
    },
  );
  return session.id;
}

/** Finds it. Throws UsageError for a root that is none, and where no session is ever recorded. */
export async function findRecordPlace({ cwd, env, root: option, session }: ExecPlace): Promise<RecordPlace> {
  const root = option === null ? await findSessionRoot(cwd) : await findRoot(cwd, option);
  if (root === null) throw new Error("the home folder and the file system's root are no workbench");
  const { redactor } = await readHookConfig(root, env);
  refuseSecretId("session", session, { redactor });
  const isAllowed = (id: string): boolean => isValidId(id) && redactor.redactText(id).text === id;
  const found = await findCurrentSession({ root, env, option: session, isAllowed, now: new Date() });
  const { diagnostics } = found;
  const id = found.session?.id ?? (await sessionOfPacket(root, env, isAllowed));
  const recorded = readSessionFile(sessionFolderOf(root, id))?.agent ?? "";
  const agent = recorded === "" ? (found.session?.agent ?? "") : recorded;
  return { root, session: id, agent, redactor, diagnostics };
}

/** Why there is no exit status; null: there is one. */
function errorOf({ error, signal, timedOut }: CommandEnd, timeoutSeconds: number | null): string | null {
  if (timedOut) return `timed out after ${timeoutSeconds} s`;
  if (error === "ENOENT") return "no such command";
  if (error !== null) return `it could not be started (${error})`;
  return signal === null ? null : `ended by ${signal}`;
}

/**
 * The id of the tool call that ran us, where the agent tells it, with our process's behind it. Never the bare one: that is the
 * call's own record's, and records of one id count once (P14). Nothing here tells whether the call does more than run us: a
 * shell hands even the last command of a list its own place.
 */
function callIdOf({ agent }: RecordPlace, env: Environment): string | null {
  const variable = hookSpeechOf(agent)?.callVariable;
  const id = variable === undefined ? "" : (env[variable] ?? "");
  return id === "" ? null : `${id}:${process.pid}`;
}

/** What was asked for. */
export interface ExecRequest extends ExecPlace {
  readonly command: readonly string[];
  readonly note: string | null;
  readonly timeoutSeconds: number | null;
}

/** Writes the record. Throws what the system throws. */
export function recordCommand(place: RecordPlace, request: ExecRequest, end: CommandEnd): void {
  const folder = sessionFolderOf(place.root, place.session);
  const [stdout, stderr] = [end.stdout?.remembered(), end.stderr?.remembered()];
  const fact = {
    command: request.command,
    exit_code: end.timedOut ? null : end.code,
    error: errorOf(end, request.timeoutSeconds),
    stdout: stdout?.text ?? "",
    stderr: stderr?.text ?? "",
    stdout_cut: stdout?.cut_bytes ?? 0,
    duration_ms: end.durationMs,
    started_at: end.startedAt.toISOString(),
    tool: TOOL,
    command_id: callIdOf(place, request.env),
    cwd: path.resolve(request.cwd),
    subagent: null,
    agent_note: request.note,
  };
  appendRecord(folder, fact, {
    agent: place.agent === "" ? NOBODY : place.agent,
    session_id: place.session,
    source: "exec",
    redactor: place.redactor,
    now: new Date(),
  });
}
