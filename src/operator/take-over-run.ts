// Whose a run is that is gone on with (R27, O9): one process at a time, from before anything of it is touched until what it left is
// finalized and told. A run may be over, and still be in the hands of its runner (O7).
import { readLiveness, readOwnIdentity } from "../io/process-identity.js";
import { claimRun, giveBackRun, runIsRunning } from "../rotation/claim-run.js";
import { openRunFiles } from "../rotation/run-folder.js";
import type { RunPorts } from "../rotation/run-options.js";
import type { RunBeginning } from "../rotation/run-rotation.js";
import type { Workbench } from "../session/open-workbench.js";
import type { RunPlace } from "./run-file.js";
import { readRunner } from "./socket-place.js";

/** Throws UsageError `run.running` while another process that lives listens for requests to the run. */
export async function refuseAtWork(place: RunPlace, runId: string): Promise<void> {
  const runner = (await readRunner(place, runId))?.runner ?? null;
  if (runner === null) return;
  const own = await readOwnIdentity();
  const isOurs = runner.pid === own.pid && runner.started === own.started;
  if (!isOurs && (await readLiveness(runner, own)) === "alive")
    throw runIsRunning(runId, `is still in the hands of process ${runner.pid}`);
}

/** The beginning of a run that goes on. */
export type ResumedBeginning = Extract<RunBeginning, { found: unknown }>;

/**
 * Takes the run over that is gone on with, before anything of it is touched: two at once would clean away each other's tree. One
 * that is done is nobody's any more, once its runner is through with it. `giveBack`: nothing was begun.
 * Throws UsageError `run.running`, and what the system refuses.
 */
export async function takeOverRun(
  main: Workbench,
  beginning: ResumedBeginning,
  ports: RunPorts,
): Promise<{ readonly mine: ResumedBeginning; readonly giveBack: () => Promise<void> }> {
  const { found } = beginning;
  const { run_id: id, status } = found.memory.ledger;
  await refuseAtWork(main, id);
  if (status === "done") return { mine: beginning, giveBack: async () => undefined };
  const claimant = { id, workbench: main, own: await readOwnIdentity(), files: openRunFiles(main, id) };
  const claimed = await claimRun(claimant, found, (code, what) => ports.onWarning?.(code, what));
  return {
    mine: { ...beginning, found: claimed },
    giveBack: () => giveBackRun(claimant, { found, claimed }),
  };
}
