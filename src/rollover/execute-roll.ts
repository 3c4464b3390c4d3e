// The process that carries a roll out: it outlives the call that scheduled it, and the agent's processes that the clearing ends.
// One a pane, by a claim that names it.
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "../model/errors.js";
import { withStoreLock } from "../store/store-lock.js";
import { hasEnded } from "./decide-roll.js";
import { claimExecutor, readExecutor, readRoll, releaseExecutor, type RollFile } from "./roll-file.js";
import { makePaneFolder } from "./roll-folder.js";
import { runRoll } from "./run-roll.js";
import { createTmux } from "./tmux.js";

/** Names the pane's folder for the process that is started; nobody else has a use for it. */
const KEY_VARIABLE = "HANDOFF_ROLL";
/** So long an executor may take to start. */
export const STARTED_WITHIN_MS = 20_000;
const LOOK_MS = 25;

type Environment = Readonly<Record<string, string | undefined>>;

/** Starts it, and waits until it has the roll. Throws UsageError `rollover.not_started`. */
export async function startExecutor(root: string, key: string, env: Environment): Promise<void> {
  const [, main = ""] = process.argv;
  const child = spawn(process.execPath, [main, "rollover", "execute", "--root", root], {
    cwd: root,
    env: { ...env, [KEY_VARIABLE]: key },
    // A session of its own, and no stream of ours: what ends with the agent does not end it.
    detached: true,
    stdio: "ignore",
    windowsHide: true,
  });
  const failed = new Promise<string>((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("exit", (code) => resolve(`it ended with ${code ?? "a signal"}`));
  });
  child.unref();
  const until = performance.now() + STARTED_WITHIN_MS;
  const pause = async (): Promise<string | null> => Promise.race([failed, sleep(LOOK_MS).then(() => null)]);
  let why: string | null = null;
  // One that ends at once has lost to another, which is on record by then: its end counts only after one more look.
  while (!(await isTakenUp(root, key))) {
    if (why !== null || performance.now() >= until) throw notStarted(why);
    why = await pause();
  }
}

function notStarted(why: string | null): UsageError {
  return new UsageError(
    "rollover.not_started",
    `the process that carries the roll out did not start: ${why ?? "nothing was heard of it"}`,
    "nothing was cleared; open a new request and try again",
  );
}

/** An executor has the roll, or was so fast that it is over. */
async function isTakenUp(root: string, key: string): Promise<boolean> {
  if ((await readExecutor(root, key)) === "alive") return true;
  const roll = await readRoll(root, key);
  return roll !== null && hasEnded(roll);
}

/** Takes the pane's executor's place; false: another one has it. */
async function claim(root: string, key: string): Promise<boolean> {
  const folder = await makePaneFolder(root, key);
  return withStoreLock(folder, {}, async () => {
    if ((await readExecutor(root, key)) === "alive") return false;
    await claimExecutor(root, key);
    return true;
  });
}

/**
 * Leaves the place. False: another roll was accepted since this one ended, whose own executor found us here still and has left it to
 * us.
 */
async function leave(root: string, key: string, done: RollFile | null): Promise<boolean> {
  return withStoreLock(await makePaneFolder(root, key), {}, async () => {
    const next = await readRoll(root, key);
    if (next !== null && !hasEnded(next) && next.roll_id !== done?.roll_id) return false;
    await releaseExecutor(root, key);
    return true;
  });
}

/** Is it: runs the roll that the environment names to its end. null: there is none, or another process has it. */
export async function executeRoll(root: string, env: Environment): Promise<RollFile | null> {
  const key = env[KEY_VARIABLE] ?? "";
  if (!/^[0-9a-f]{16}$/u.test(key) || !(await claim(root, key))) return null;
  const ports = {
    terminal: createTmux(env),
    env,
    now: () => new Date(),
    elapsed: () => performance.now(),
    sleep,
  };
  try {
    for (;;) {
      const roll = await runRoll(root, key, ports);
      if (await leave(root, key, roll)) return roll;
    }
  } catch (error) {
    await releaseExecutor(root, key);
    throw error;
  }
}
