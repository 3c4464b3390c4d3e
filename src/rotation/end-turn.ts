// How a turn that is to stop gets there (R14, R27): as a person would interrupt it, then asked to end, then killed with all
// it started. Should our own process end first, however it ends, the agent is asked to end too.
import type { ChildProcess } from "node:child_process";
import {
  killByVariable,
  killSurvivors,
  killTree,
  readDescendants,
  sendSignal,
  type TreeProcess,
} from "../io/process-tree.js";
import type { Patience } from "./patience.js";

/** In the environment of everything that a turn starts: a tool that went its own way is nobody's child any more. */
export const TURN_VARIABLE = "HANDOFF_RUN_TURN";

/** Leaders of the process groups of turns that run. */
const groups = new Set<number>();
let isWatching = false;

function endGroups(): void {
  for (const pid of groups) sendSignal(-pid, "SIGTERM");
}

/** The end of one turn's process. */
export interface TurnEnding {
  /** Interrupts it; once is enough. */
  readonly interrupt: () => void;
  /** Kills it and everything below it. */
  readonly kill: () => void;
  readonly wasCut: () => boolean;
  /** The process is gone: ends what it left behind, if it had to be forced. */
  readonly settle: () => Promise<void>;
}

/** `child` leads a process group of its own, and has `mark` as its turn. */
export function endingOf(
  child: ChildProcess,
  { pid, mark }: { readonly pid: number; readonly mark: string },
  patience: Patience,
): TurnEnding {
  const timers = new Set<NodeJS.Timeout>();
  let isCut = false;
  let isGone = false;
  let forced: Promise<readonly TreeProcess[]> | null = null;
  let killed: Promise<void> | null = null;
  const later = (ms: number, action: () => void): void => void timers.add(setTimeout(action, ms));
  const kill = (): void => {
    // A process that is gone may have lent its id to another.
    if (isGone || killed !== null) return;
    killed = killTree(pid);
    // A look that fails keeps no signal from the agent; that it failed is told when the turn is settled.
    killed.catch(() => child.kill("SIGKILL"));
  };
  const terminate = (): void => {
    // Tools of an agent that ends this way live on: remembered while it is known whose they are.
    forced ??= readDescendants(pid);
    const end = (): void => void child.kill("SIGTERM");
    forced.then(end, end);
  };
  child.once("exit", () => {
    isGone = true;
  });
  groups.add(pid);
  if (!isWatching) {
    isWatching = true;
    process.on("exit", endGroups);
  }
  return {
    interrupt: () => {
      if (isCut) return;
      isCut = true;
      child.kill("SIGINT");
      later(patience.interruptMs, terminate);
      later(patience.interruptMs + patience.terminateMs, kill);
    },
    kill,
    wasCut: () => isCut,
    settle: async () => {
      groups.delete(pid);
      for (const timer of timers) clearTimeout(timer);
      await killed;
      if (forced !== null) await killSurvivors(await forced);
      if (forced === null && killed === null) return;
      await killByVariable(TURN_VARIABLE, mark);
    },
  };
}
