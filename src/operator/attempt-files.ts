// <store>/runs/<run_id>/attempts/<n>.json: one file an attempt (O6, O9), this machine's own as the run's state.json is.
import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { hasCode } from "../io/has-code.js";
import { readArtifactFile } from "../io/read-artifact-file.js";
import { asWriteError, ensureFolder, writeAtomic } from "../io/write-atomic.js";
import { RefusalError } from "../model/errors.js";
import { runFolder } from "../rotation/run-folder.js";
import { ensureStore } from "../store/store-folder.js";
import { jsonText } from "../text/json-text.js";
import { parseJson } from "../text/parse-json.js";
import { type AttemptRecord, attemptOf } from "./attempt-record.js";

const FOLDER = "attempts";
const NAME = /^[1-9]\d{0,5}\.json$/u;

/** Where the records of runs lie: the main workbench and its store. */
export interface AttemptPlace {
  readonly root: string;
  readonly outDir: string;
}

function folderOf({ root, outDir }: AttemptPlace, runId: string): string {
  return path.join(runFolder(root, outDir, runId), FOLDER);
}

/** Replaces the record whole. Throws UsageError for what the system refuses. */
export async function writeAttempt(place: AttemptPlace, record: AttemptRecord): Promise<void> {
  const base = await ensureStore(place.root, place.outDir);
  const folder = folderOf({ root: base, outDir: base }, record.run_id);
  await ensureFolder(folder, { base });
  try {
    await writeFile(path.join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw asWriteError(error, folder);
  }
  await writeAtomic(path.join(folder, `${record.attempt}.json`), `${jsonText(record)}\n`, { base });
}

/** The attempts of a run, oldest first. Throws RefusalError `attempt.unreadable` for a record that is none. */
export async function readAttempts(place: AttemptPlace, runId: string): Promise<AttemptRecord[]> {
  const folder = folderOf(place, runId);
  const names = await readdir(folder).catch((): string[] => []);
  const found: AttemptRecord[] = [];
  for (const name of names.filter((one) => NAME.test(one))) {
    const file = path.join(folder, name);
    const read = await readArtifactFile(folder, file);
    if (read.status === "missing") continue;
    const parsed = read.status === "read" ? parseJson(read.text) : null;
    const record = parsed?.ok === true ? attemptOf(parsed.value) : null;
    if (record === null || record.run_id !== runId || name !== `${record.attempt}.json`)
      throw new RefusalError(
        "attempt.unreadable",
        `what is on record of an attempt of ${runId} cannot be read`,
        "look at git worktree list and at the branches handoff/…, then move the file away",
        { path: file },
      );
    found.push(record);
  }
  return found.toSorted((a, b) => a.attempt - b.attempt);
}
