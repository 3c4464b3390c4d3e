// What is on record of all runs of a store, in the words of the protocol. Reads only, and needs no engine.
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { ExecutorRecords } from "../../../model/executor-messages.js";
import { runFolder } from "../../../rotation/run-folder.js";
import type { Workbench } from "../../../session/open-workbench.js";
import { readAttempts } from "../../attempt-files.js";
import type { AttemptRecord } from "../../attempt-record.js";
import { readRequests, REQUESTS_FILE } from "../../request-file.js";
import type { RequestRecord } from "../../request-record.js";

type RequestRow = ExecutorRecords["requests"][number];
type AttemptRow = ExecutorRecords["attempts"][number];

/** A request as the protocol has it. */
export function requestRow(record: RequestRecord): RequestRow {
  const { why, publication: _, packet: __, ...rest } = record;
  return { ...rest, why: why?.reason ?? null };
}

function outcomeOf({ outcome }: AttemptRecord): AttemptRow["outcome"] {
  if (outcome === null) return null;
  if (outcome.handoff) return "handoff";
  if (outcome.rule === "done") return "done";
  return outcome.rule === "signal" ? "halted" : "failed";
}

function attemptRow(record: AttemptRecord, root: string): AttemptRow {
  const { run_id, attempt, branch, base_commit, tree, finalized_at, held, done, packet } = record;
  return {
    run: run_id,
    attempt,
    branch,
    base: base_commit,
    tree,
    outcome: outcomeOf(record),
    finalized: finalized_at !== null,
    held: held?.reason ?? null,
    steps: done.map(({ step }) => step),
    packet: packet === null ? null : path.resolve(root, packet.path),
  };
}

/** Ids of the runs in the store. */
export async function runIds({ root, outDir }: Workbench): Promise<string[]> {
  const runs = path.dirname(runFolder(root, outDir, "x"));
  const entries = await readdir(runs, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}

/** All of it. Throws RefusalError for records that are none. */
export async function readRecords(workbench: Workbench): Promise<ExecutorRecords> {
  const { root, outDir } = workbench;
  const requests: RequestRow[] = [];
  const records: AttemptRecord[] = [];
  const files: string[] = [];
  for (const id of await runIds(workbench)) {
    const folder = runFolder(root, outDir, id);
    requests.push(...(await readRequests({ root, outDir }, id)).requests.map(requestRow));
    const attempts = await readAttempts(workbench, id);
    records.push(...attempts);
    const named = [REQUESTS_FILE, "run.json", ...attempts.map(({ attempt }) => `attempts/${attempt}.json`)];
    files.push(...named.map((name) => path.join(folder, name)).filter((file) => existsSync(file)));
  }
  const halted = records.findLast(({ outcome }) => outcome?.rule === "signal");
  return {
    requests,
    attempts: records.map((record) => attemptRow(record, root)),
    last_halt: halted === undefined ? null : { attempt: halted.attempt, run: halted.run_id },
    files,
  };
}
