// Does a session go on by itself, in a process of its own (A9)? Then its half turn is nobody else's to publish, and whoever takes
// its packet over is told.
import path from "node:path";
import { type ProcessIdentity, readLiveness, readOwnIdentity } from "../io/process-identity.js";
import { readArtifactFile } from "../io/read-artifact-file.js";
import { isValidId } from "../model/valid-id.js";
import { parseJson } from "../text/parse-json.js";
import { isSameProcess, readSessionProcess, type SessionProcess } from "./session-process.js";
import { ALL_FILES, lastSign, SILENT_MS } from "./session-signs.js";
import { hasUnpublishedWork } from "./session-work.js";

const SESSIONS = ".handoff/sessions";
const MAX_BYTES = 1024 * 1024;
/** Agents' names are ours; anything else in the file is somebody's text, which has no place in a line of a brief. */
const AGENT = /^[a-z][a-z0-9-]{0,31}$/u;

/** A session that goes on. */
export interface LivingSession {
  /** The agent's name; empty: not on record. */
  readonly agent: string;
  readonly pid: number;
}

/** What session.json says of it; `ended` also where nothing can be read. */
interface Noted {
  readonly agent: string;
  readonly ended: boolean;
  readonly process: SessionProcess | null;
}

async function readNoted(root: string, sessionId: string): Promise<Noted> {
  const nothing: Noted = { agent: "", ended: true, process: null };
  if (!isValidId(sessionId)) return nothing;
  const read = await readArtifactFile(root, path.join(root, SESSIONS, sessionId, "session.json"), MAX_BYTES);
  const parsed = read.status === "read" ? parseJson(read.text) : null;
  if (parsed?.ok !== true || typeof parsed.value !== "object" || parsed.value === null) return nothing;
  const fields: Record<string, unknown> = { ...parsed.value };
  const agent = fields["agent"];
  return {
    agent: typeof agent === "string" && AGENT.test(agent) ? agent : "",
    ended: typeof fields["ended_at"] === "string",
    process: readSessionProcess(fields["process"]),
  };
}

/** One that the system dates is known by its start; another one's number may be anybody's after a while. */
async function isRunning(root: string, id: string, process: SessionProcess, own: ProcessIdentity) {
  if ((await readLiveness(process, own)) !== "alive") return false;
  const { started } = process;
  return (
    started !== null || Date.now() - (await lastSign(path.join(root, SESSIONS, id), ALL_FILES)) < SILENT_MS
  );
}

/**
 * The process in which a session goes on; null: it has ended, its process is gone or on another machine, or nobody knows.
 * A process that serves many sessions and outlives them counts while the session has work that no packet knows: each of
 * its turns ends with a packet.
 * @param besides a session that asks: what runs in its own process, one session after the other, is over
 * Never rejects for what is on disk.
 */
export async function readLivingSession(
  root: string,
  sessionId: string,
  besides: string | null,
): Promise<LivingSession | null> {
  if (sessionId === besides) return null;
  const { agent, ended, process } = await readNoted(root, sessionId);
  if (ended || process === null || !(await isRunning(root, sessionId, process, await readOwnIdentity())))
    return null;
  const living = { agent, pid: process.pid };
  if (process.serves_many) return (await hasUnpublishedWork(root, sessionId)) ? living : null;
  const asker = besides === null ? null : (await readNoted(root, besides)).process;
  return asker !== null && isSameProcess(asker, process) ? null : living;
}

/** True when the session's process is known, and known to be gone: nobody will say any more that it ended. */
export async function isKnownDead(process: SessionProcess | null): Promise<boolean> {
  return process !== null && (await readLiveness(process, await readOwnIdentity())) === "dead";
}
