// Who goes on with a run (R27): one process at a time. Whether somebody does already is asked, and the answer written down,
// under a lock, so that of two who ask at once one is told of the other. Not under the store's: whoever takes that over from
// a process that died has to mend what was left in the store.
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { HANDOFF_FOLDER, ignoreOwnFiles } from "../io/handoff-folder.js";
import { readLiveness } from "../io/process-identity.js";
import { ensureFolder } from "../io/write-atomic.js";
import { UsageError } from "../model/errors.js";
import { withStoreLock } from "../store/store-lock.js";
import { warn } from "./job-telling.js";
import { type FoundRun, readRun } from "./run-folder.js";
import type { RunJob } from "./run-job.js";
import { memoryValue, type RunMemory } from "./run-memory.js";

function running(job: RunJob, what: string): UsageError {
  return new UsageError("run.running", `the run ${job.id} ${what}`, "wait for it, or end that process first");
}

/** Two runners on one run would end each other's agents. */
async function refuseRunning(job: RunJob, { runner, ledger }: RunMemory): Promise<void> {
  if (ledger.status !== "running" || runner.pid === process.pid) return;
  const liveness = await readLiveness(runner, job.own);
  if (liveness === "alive") throw running(job, `is being run by process ${runner.pid}`);
  if (liveness === "unknown" && runner.host !== job.own.host)
    warn(
      job,
      "run.elsewhere",
      `the run ${job.id} was begun on ${runner.host}: make sure it does not run there`,
    );
}

/**
 * Takes a run over: from here on the files say that we run it. Throws UsageError `run.running` when somebody else does, or
 * has since it was read; and what the system refuses to write.
 */
export async function claimRun(job: RunJob, { memory }: FoundRun): Promise<void> {
  const { root, outDir } = job.workbench;
  const locked = path.join(root, HANDOFF_FOLDER);
  // Without waiting for a lock.
  await refuseRunning(job, memory);
  await ensureFolder(locked, { base: root });
  ignoreOwnFiles(locked);
  await withStoreLock(locked, {}, async () => {
    const now = (await readRun(root, outDir, job.id)).memory;
    if (!isDeepStrictEqual(memoryValue(now), memoryValue(memory))) {
      await refuseRunning(job, now);
      throw running(job, `was gone on with by process ${now.runner.pid} in the meantime`);
    }
    const ledger = { ...memory.ledger, status: "running" as const };
    await job.files.write({ ...memory, ledger, runner: job.own });
  });
}
