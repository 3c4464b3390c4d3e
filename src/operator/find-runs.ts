// Which runs of a workbench are at work, and where an earlier request is on record (O1).
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { readLiveness, readOwnIdentity } from "../io/process-identity.js";
import { isValidId } from "../model/valid-id.js";
import { runFolder } from "../rotation/run-folder.js";
import { storePath } from "../store/store-folder.js";
import { requestOf } from "./request-book.js";
import { readRequests } from "./request-file.js";
import type { RunPlace } from "./run-file.js";
import type { RequestRecord } from "./request-record.js";
import { readRunner } from "./socket-place.js";

/** Most runs that are looked at: the newest. */
const MAX_RUNS = 500;

/** A run that somebody runs, as far as can be told. */
export interface RunAtWork {
  readonly run_id: string;
  /** null: none that may be spoken to. */
  readonly address: string | null;
}

/** Ids of the runs that have a folder, the newest first. */
export async function knownRuns({ root, outDir }: RunPlace): Promise<string[]> {
  const folder = path.join(storePath(root, outDir), "runs");
  const names = (await readdir(folder).catch((): string[] => [])).filter((name) => isValidId(name));
  const times = await Promise.all(
    names.map(async (name) => ({
      name,
      at: await stat(path.join(folder, name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    })),
  );
  return times
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MAX_RUNS)
    .map(({ name }) => name);
}

/** Whether a run has a folder here. */
export async function isKnownRun({ root, outDir }: RunPlace, runId: string): Promise<boolean> {
  return stat(runFolder(root, outDir, runId)).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** The run, if a process runs it; null: nobody does, as far as can be told from here. */
export async function runAtWork(place: RunPlace, runId: string): Promise<RunAtWork | null> {
  const found = await readRunner(place, runId);
  if (found === null) return null;
  if (found.runner === null) return { run_id: runId, address: null };
  const liveness = await readLiveness(found.runner, await readOwnIdentity());
  return liveness === "dead" ? null : { run_id: runId, address: found.address };
}

/** All runs at work, the newest first. */
export async function runsAtWork(place: RunPlace): Promise<RunAtWork[]> {
  const ids = await knownRuns(place);
  const found = await Promise.all(ids.map((id) => runAtWork(place, id)));
  return found.filter((one) => one !== null);
}

/** The run that has a request on record, and the request; null: none has. */
export async function findRequest(
  place: RunPlace,
  requestId: string,
): Promise<{ readonly run_id: string; readonly request: RequestRecord } | null> {
  for (const run_id of await knownRuns(place)) {
    const book = await readRequests(place, run_id).catch(() => null);
    const request = book === null ? null : requestOf(book, requestId);
    if (request !== null) return { run_id, request };
  }
  return null;
}
