// Is there work of a session that no packet knows (A9)? published.json in the session's folder holds how much the last
// publication had seen, measured before it read anything, so that what was added meanwhile counts as new.
import { lstat, stat } from "node:fs/promises";
import path from "node:path";
import { readArtifactFile } from "../io/read-artifact-file.js";
import { writeAtomic } from "../io/write-atomic.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { isValidId } from "../model/valid-id.js";
import { parseJson } from "../text/parse-json.js";

const SESSIONS = ".handoff/sessions";
const NOTE = "published.json";
const MAX_NOTE_BYTES = 4096;

/** How much a session's folder holds. */
export interface SessionWork {
  readonly feedback_bytes: number;
  readonly touched_bytes: number;
  /** Of the session's own agent_state.json; null: there is none. */
  readonly state_sha256: string | null;
}

const NOTHING: SessionWork = { feedback_bytes: 0, touched_bytes: 0, state_sha256: null };

function folderOf(root: string, sessionId: string): string {
  return path.join(root, SESSIONS, sessionId);
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    (facts) => (facts.isFile() ? facts.size : 0),
    () => 0,
  );
}

/** Measures it; null for a session without a folder of its own. Never throws for what is on disk. */
export async function measureSession(root: string, sessionId: string): Promise<SessionWork | null> {
  if (!isValidId(sessionId)) return null;
  const folder = folderOf(root, sessionId);
  const facts = await lstat(folder).catch(() => null);
  if (facts?.isDirectory() !== true) return null;
  const [feedback_bytes, touched_bytes, state] = await Promise.all([
    sizeOf(path.join(folder, "feedback.jsonl")),
    sizeOf(path.join(folder, "touched_files.jsonl")),
    readArtifactFile(root, path.join(folder, "agent_state.json")),
  ]);
  return { feedback_bytes, touched_bytes, state_sha256: state.status === "read" ? state.sha256 : null };
}

/** What published.json says of the two files of the packet. */
export interface Rendered {
  readonly json_sha256: string | null;
  readonly markdown_sha256: string | null;
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** What published.json says; null when it is missing or says nothing that can be used. */
async function readNote(root: string, sessionId: string): Promise<(SessionWork & Rendered) | null> {
  const file = path.join(folderOf(root, sessionId), NOTE);
  const read = await readArtifactFile(root, file, MAX_NOTE_BYTES);
  const parsed = read.status === "read" ? parseJson(read.text) : null;
  if (parsed?.ok !== true || typeof parsed.value !== "object" || parsed.value === null) return null;
  const fields: Readonly<Record<string, unknown>> = { ...parsed.value };
  const { feedback_bytes, touched_bytes } = fields;
  return typeof feedback_bytes === "number" && typeof touched_bytes === "number"
    ? {
        feedback_bytes,
        touched_bytes,
        state_sha256: text(fields["state_sha256"]),
        json_sha256: text(fields["json_sha256"]),
        markdown_sha256: text(fields["markdown_sha256"]),
      }
    : null;
}

/**
 * True when the session's folder holds something that its last publication had not seen: a few looks at files, no scan.
 * False for a session without a folder. Never throws for what is on disk.
 */
export async function hasUnpublishedWork(root: string, sessionId: string): Promise<boolean> {
  const now = await measureSession(root, sessionId);
  if (now === null) return false;
  const seen = (await readNote(root, sessionId)) ?? NOTHING;
  return (
    now.feedback_bytes !== seen.feedback_bytes ||
    now.touched_bytes !== seen.touched_bytes ||
    now.state_sha256 !== seen.state_sha256
  );
}

/** The files of the session's last packet as they were written; null: not known. Never throws for what is on disk. */
export async function readRendered(root: string, sessionId: string): Promise<Rendered | null> {
  return isValidId(sessionId) ? readNote(root, sessionId) : null;
}

/** What a publication leaves behind. */
export interface PublicationNote extends SessionWork {
  readonly packet_id: string;
  /** Commit that was checked out; null: none. */
  readonly head: string | null;
  /** Digests of the packet's two files, of which the second was rendered from the first. */
  readonly json_sha256: string;
  readonly markdown_sha256: string;
}

/** Writes published.json. A failure is a diagnostic: the packet is there all the same, and is merely looked at once more. */
export async function notePublication(
  root: string,
  sessionId: string,
  note: PublicationNote,
): Promise<readonly Diagnostic[]> {
  const { packet_id, feedback_bytes, touched_bytes, state_sha256, head, json_sha256, markdown_sha256 } = note;
  const seen = { packet_id, feedback_bytes, touched_bytes, state_sha256, head, json_sha256, markdown_sha256 };
  const file = path.join(folderOf(root, sessionId), NOTE);
  try {
    await writeAtomic(file, `${JSON.stringify(seen)}\n`, { base: root });
    return [];
  } catch (error) {
    const source = { path: `${SESSIONS}/${sessionId}/${NOTE}` };
    const reason = error instanceof Error ? error.message : String(error);
    return [
      { code: "session.not_noted", severity: "warn", artifact: "session_record", source, args: { reason } },
    ];
  }
}
