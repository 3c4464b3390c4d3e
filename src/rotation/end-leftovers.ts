// Processes of a run whose runner was killed (R27): they carry the run's id in their environment, wherever they went since.
// Where no environment can be read, the agent is known by its process id and start.
import { setTimeout as delay } from "node:timers/promises";
import { type ProcessIdentity, readLiveness } from "../io/process-identity.js";
import { findByVariable, killTree, readAncestors, readDescendants, sendSignal } from "../io/process-tree.js";
import { RUN_VARIABLE } from "../recorder/recorder.js";
import type { Patience } from "./patience.js";

const LOOK_MS = 25;

/** What there is to find them by. */
export interface Leftovers {
  readonly runId: string;
  /** The agent that ran when the run's state was written. */
  readonly child: ProcessIdentity | null;
  readonly own: ProcessIdentity;
  readonly patience: Patience;
}

/** What became of them. */
export interface EndedLeftovers {
  readonly ended: number;
  /** A process that may be the run's agent, and is left alone because nobody can tell. */
  readonly doubtful: number | null;
}

/**
 * Ends what an earlier runner of this run left behind, as a turn is ended, and waits until it is gone. Ourselves, what is
 * above us and what we started are never meant. Never rejects.
 */
export async function endLeftovers({ runId, child, own, patience }: Leftovers): Promise<EndedLeftovers> {
  const mine = new Set([
    process.pid,
    ...(await readAncestors(process.pid)),
    ...(await readDescendants(process.pid)).map(({ pid }) => pid),
  ]);
  const marked = async (): Promise<number[]> =>
    (await findByVariable(RUN_VARIABLE, runId)).filter((pid) => !mine.has(pid));
  const isChildAlive = async (): Promise<boolean> =>
    child !== null && !mine.has(child.pid) && (await readLiveness(child, own)) === "alive";
  const isSure = child !== null && child.started !== null;
  const find = async (): Promise<number[]> => {
    const found = await marked();
    if (!isSure || found.includes(child.pid) || !(await isChildAlive())) return found;
    return [...found, child.pid];
  };

  let left = await find();
  const ended = left.length;
  for (const [signal, ms] of [
    ["SIGINT", patience.interruptMs],
    ["SIGTERM", patience.terminateMs],
  ] as const) {
    for (const pid of left) sendSignal(pid, signal);
    for (const until = performance.now() + ms; left.length > 0 && performance.now() < until;) {
      await delay(LOOK_MS);
      left = await find();
    }
  }
  for (const pid of left) await killTree(pid);
  // An id without a start may be anybody's by now.
  const doubtful = !isSure && ended === 0 && (await isChildAlive()) ? (child?.pid ?? null) : null;
  return { ended, doubtful };
}
