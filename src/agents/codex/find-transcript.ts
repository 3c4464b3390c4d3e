// Where Codex keeps rollouts (0.171.0): `sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl` in its home, put away ones in
// `archived_sessions/`. A subagent is a thread with a rollout of its own, whose first row names the session it belongs to.
import { open, readdir } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { splitLines } from "../../io/line-splitter.js";
import { fieldsAt, isFields, textAt, type Fields } from "../payload-fields.js";
import type { SubagentFile, TranscriptPlace } from "../transcript.js";
import { subagentOfMeta } from "./read-transcript.js";

const ROLLOUT = /^rollout-(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2})-(.+)\.jsonl$/u;
/** The first row holds the model's instructions, too. */
const MAX_FIRST_ROW = 1024 * 1024;
const BLOCK = 64 * 1024;

function homeOf({ env }: TranscriptPlace): string {
  return env["CODEX_HOME"] || path.join(env["HOME"] || env["USERPROFILE"] || homedir(), ".codex");
}

/** Rollouts below a folder, relative to it, newest first: their paths begin with the time. */
async function rolloutsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true }).catch((): string[] => []);
  return names
    .filter((name) => ROLLOUT.test(path.basename(name)))
    .toSorted()
    .reverse();
}

/** The rollout of a session, or of any thread. */
export async function findCodexTranscript(sessionId: string, place: TranscriptPlace): Promise<string | null> {
  for (const name of ["sessions", "archived_sessions"]) {
    const folder = path.join(homeOf(place), name);
    const found = (await rolloutsIn(folder)).find(
      (file) => ROLLOUT.exec(path.basename(file))?.[2] === sessionId,
    );
    if (found !== undefined) return path.join(folder, found);
  }
  return null;
}

/** The first row's payload, or null. */
async function readMeta(file: string): Promise<Fields | null> {
  try {
    const handle = await open(file);
    try {
      const lines: (string | null)[] = [];
      const splitter = splitLines((line) => lines.push(line), MAX_FIRST_ROW);
      const block = Buffer.allocUnsafe(BLOCK);
      for (let at = 0; at <= MAX_FIRST_ROW && lines.length === 0;) {
        const { bytesRead } = await handle.read(block, 0, BLOCK, at);
        if (bytesRead === 0) return null;
        at += bytesRead;
        splitter.push(block.subarray(0, bytesRead));
      }
      const row: unknown = JSON.parse(lines[0] ?? "null");
      return isFields(row) && row["type"] === "session_meta" ? fieldsAt(row, "payload") : null;
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}

/** The folder that holds the year's folders, or the one the rollout lies in. */
function topOf(transcript: string): string {
  const folder = path.dirname(transcript);
  return /[/\\]\d{4}[/\\]\d{2}[/\\]\d{2}$/u.test(folder) ? path.resolve(folder, "../../..") : folder;
}

/** Rollouts of the session's other threads: they began after it, and say whose they are. */
export async function findCodexSubagents(
  transcript: string,
  sessionId: string,
): Promise<readonly SubagentFile[]> {
  const began = ROLLOUT.exec(path.basename(transcript))?.[1];
  if (began === undefined) return [];
  const top = topOf(transcript);
  const found: SubagentFile[] = [];
  for (const name of await rolloutsIn(top)) {
    const file = path.join(top, name);
    const time = ROLLOUT.exec(path.basename(name))?.[1] ?? "";
    // A clock in the name has whole seconds.
    if (time < began) continue;
    if (path.resolve(file) === path.resolve(transcript)) continue;
    const meta = await readMeta(file);
    const subagent = meta === null ? null : subagentOfMeta(meta);
    if (meta === null || subagent === null || textAt(meta, "session_id") !== sessionId) continue;
    found.push({ file, subagent });
  }
  return found;
}
