// .handoff/rollover/<pane key>/: the request that was opened, the roll and what became of those before it (L10). Private, kept
// out of git, replaced whole; what cannot be read is nothing.
import { appendFile, chmod, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { HANDOFF_FOLDER, ignoreOwnFiles } from "../io/handoff-folder.js";
import { hasCode } from "../io/has-code.js";
import { readArtifactFile } from "../io/read-artifact-file.js";
import { asWriteError, ensureFolder, writeAtomic } from "../io/write-atomic.js";
import { logFault } from "../recorder/recorder-log.js";
import { jsonText } from "../text/json-text.js";
import { parseJson } from "../text/parse-json.js";

const FOLDER = "rollover";
const HISTORY = "history.jsonl";
const MAX_BYTES = 256 * 1024;

/** The folder of all panes. */
export function rolloverFolder(root: string): string {
  return path.join(root, HANDOFF_FOLDER, FOLDER);
}

/** The folder of one pane. */
export function paneFolder(root: string, key: string): string {
  return path.join(rolloverFolder(root), key);
}

/** Makes it; null: the one of all panes. Throws UsageError for a link that leads out of the workbench, and what the system refuses. */
export async function makePaneFolder(root: string, key: string | null): Promise<string> {
  const folder = key === null ? rolloverFolder(root) : paneFolder(root, key);
  await ensureFolder(folder, { base: root });
  ignoreOwnFiles(path.join(root, HANDOFF_FOLDER));
  try {
    await writeFile(path.join(rolloverFolder(root), ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw asWriteError(error, folder);
  }
  return folder;
}

/** Keys of the panes that anything is on record of. */
export async function listPanes(root: string): Promise<readonly string[]> {
  const names = await readdir(rolloverFolder(root)).catch((): string[] => []);
  return names.filter((name) => /^[0-9a-f]{16}$/u.test(name)).toSorted();
}

export type PaneRecord = "pending.json" | "roll.json" | "executor.json" | "cancel.json";

/** Fields of a record; null: there is none that can be read. */
export async function readRecord(
  root: string,
  key: string,
  name: PaneRecord,
): Promise<Readonly<Record<string, unknown>> | null> {
  const read = await readArtifactFile(root, path.join(paneFolder(root, key), name), MAX_BYTES);
  const parsed = read.status === "read" ? parseJson(read.text) : null;
  return parsed?.ok === true && typeof parsed.value === "object" && parsed.value !== null
    ? { ...parsed.value }
    : null;
}

/** Replaces a record. Throws UsageError. */
export async function writeRecord(
  root: string,
  key: string,
  name: PaneRecord,
  record: unknown,
): Promise<void> {
  const file = path.join(await makePaneFolder(root, key), name);
  await writeAtomic(file, `${jsonText(record)}\n`, { base: root });
  // Kept by every later replacement.
  await chmod(file, 0o600).catch(() => undefined);
}

/** Removes a record, if it is there. */
export async function dropRecord(root: string, key: string, name: PaneRecord): Promise<void> {
  await rm(path.join(paneFolder(root, key), name), { force: true });
}

/** One thing that became of a request or a roll. */
export interface HistoryLine {
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly what: string;
  readonly pane: string;
  readonly session_id: string | null;
  readonly roll_id: string | null;
  readonly packet_id: string | null;
  readonly why: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Keeps it: a line of the pane's history, and one of the recorder's log for people. Never rejects. */
export async function tellOutcome(
  root: string,
  key: string,
  line: HistoryLine,
  env: Environment,
): Promise<void> {
  const { at, what, pane, roll_id, why } = line;
  try {
    const file = path.join(await makePaneFolder(root, key), HISTORY);
    await appendFile(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  } catch {
    // The log may still be written.
  }
  const said = [roll_id, `in pane ${pane}`].filter((part) => part !== null).join(" ");
  logFault(
    root,
    { at: new Date(at), hook: ["rollover:"], what: `${what} ${said}${why === "" ? "" : `: ${why}`}` },
    env,
  );
}
