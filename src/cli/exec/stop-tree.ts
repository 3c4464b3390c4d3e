// Ends a child and what it started: a test runner's own children would otherwise go on and hold its output open.
import { spawnSync, type ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { readLiveness, readOwnIdentity, type ProcessIdentity } from "../../io/process-identity.js";

/** Between the request and the end of all patience. */
const GRACE_MS = 2000;
const LOOK_EVERY_MS = 50;
const LISTING = ["-A", "-o", "pid=,ppid="];
const LISTING_MS = 5000;

/** The process and everything below it, as the system lists them; without a list, the process alone. */
function treeOf(root: number): number[] {
  const options = { encoding: "utf8", timeout: LISTING_MS, maxBuffer: 64 * 1024 * 1024 } as const;
  const listed = process.platform === "win32" ? null : spawnSync("ps", LISTING, options);
  const children = new Map<number, number[]>();
  for (const line of (listed?.stdout ?? "").split("\n")) {
    const [pid = Number.NaN, parent = Number.NaN] = line.trim().split(/\s+/u).map(Number);
    if (Number.isInteger(pid) && Number.isInteger(parent))
      children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const tree = new Set([root]);
  // A set gives what is added while it is walked, too.
  for (const pid of tree) for (const child of children.get(pid) ?? []) tree.add(child);
  return [...tree];
}

/** True when there was such a process. */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Those that still run; one that has ended and that nobody has looked after yet does not. */
async function runningOf(pids: readonly number[], own: ProcessIdentity): Promise<number[]> {
  const alive = await Promise.all(
    pids.map(async (pid) => (await readLiveness({ ...own, pid, started: null }, own)) === "alive"),
  );
  return pids.filter((_, i) => alive[i]);
}

/** Asks all of them to end, and ends what is left of them after a moment. Never rejects. */
export async function stopTree({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return;
  let left = treeOf(pid).filter((one) => send(one, "SIGTERM"));
  const own = await readOwnIdentity();
  for (const end = performance.now() + GRACE_MS; left.length > 0 && performance.now() < end;) {
    await delay(LOOK_EVERY_MS);
    left = await runningOf(left, own);
  }
  for (const one of left) send(one, "SIGKILL");
}
