// Who goes on with a run (R27): one process at a time. Whether somebody does already is asked, and the answer written down,
// under a lock, so that of two who ask at once one is told of the other. Not under the store's: whoever takes that over from
// a process that died has to mend what was left in the store.
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { HANDOFF_FOLDER, ignoreOwnFiles } from "../io/handoff-folder.js";
import { type ProcessIdentity, readLiveness } from "../io/process-identity.js";
import { ensureFolder } from "../io/write-atomic.js";
import { UsageError } from "../model/errors.js";
import type { Workbench } from "../session/open-workbench.js";
import { withStoreLock } from "../store/store-lock.js";
import { type FoundRun, readRun, type RunFiles } from "./run-folder.js";
import { memoryValue, type RunMemory } from "./run-memory.js";

/** Who goes on with a run. */
export interface Claimant {
  readonly id: string;
  readonly workbench: Pick<Workbench, "root" | "outDir">;
  readonly own: ProcessIdentity;
  readonly files: RunFiles;
}

type Warn = (code: string, what: string) => void;

/** The refusal of a run that somebody else has: `what` is what they do with it. */
export function runIsRunning(id: string, what: string): UsageError {
  return new UsageError("run.running", `the run ${id} ${what}`, "wait for it, or end that process first");
}

/** Two runners on one run would end each other's agents. */
async function refuseRunning(
  { id, own }: Claimant,
  { runner, ledger }: RunMemory,
  warn: Warn,
): Promise<void> {
  if (ledger.status !== "running" || runner.pid === process.pid) return;
  const liveness = await readLiveness(runner, own);
  if (liveness === "alive") throw runIsRunning(id, `is being run by process ${runner.pid}`);
  if (liveness === "unknown" && runner.host !== own.host)
    warn("run.elsewhere", `the run ${id} was begun on ${runner.host}: make sure it does not run there`);
}

/**
 * Takes a run over: from here on the files say that we run it. Answers the run as it stands now; taking it over again is as once.
 * Throws UsageError `run.running` when somebody else does, or has since it was read; and what the system refuses to write.
 */
export async function claimRun(
  claimant: Claimant,
  { memory, warning }: FoundRun,
  warn: Warn,
): Promise<FoundRun> {
  const { id, own, files } = claimant;
  const { root, outDir } = claimant.workbench;
  const locked = path.join(root, HANDOFF_FOLDER);
  // Without waiting for a lock.
  await refuseRunning(claimant, memory, warn);
  await ensureFolder(locked, { base: root });
  ignoreOwnFiles(locked);
  const ledger = { ...memory.ledger, status: "running" as const };
  const claimed = { ...memory, ledger, runner: own };
  await withStoreLock(locked, {}, async () => {
    const now = (await readRun(root, outDir, id)).memory;
    if (!isDeepStrictEqual(memoryValue(now), memoryValue(memory))) {
      await refuseRunning(claimant, now, warn);
      throw runIsRunning(id, `was gone on with by process ${now.runner.pid} in the meantime`);
    }
    await files.write(claimed);
  });
  return { memory: claimed, warning };
}

/** Gives a run back that was taken over and not begun: it stands as it was found. Best effort. */
export async function giveBackRun(
  { id, workbench, files }: Claimant,
  { found, claimed }: { readonly found: FoundRun; readonly claimed: FoundRun },
): Promise<void> {
  try {
    const now = (await readRun(workbench.root, workbench.outDir, id)).memory;
    if (isDeepStrictEqual(memoryValue(now), memoryValue(claimed.memory))) await files.write(found.memory);
  } catch {
    // It says that we run it: once we are gone anybody may go on with it.
  }
}
