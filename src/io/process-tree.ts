// A process with everything it started. Agents start their tools in sessions of their own, so that neither a process group
// nor a session finds them (R27): descendants are collected by parent id before the parent is gone, each with its start,
// so that a reused id fools nobody. What outlived its parent is found by what stands in its environment.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { runProcess } from "./run-process.js";

/** A process of this machine. */
export interface TreeProcess {
  readonly pid: number;
  /** Its start in the system's own words. */
  readonly started: string;
}

interface Row extends TreeProcess {
  readonly parent: number;
}

const LISTING = { cwd: "/", timeoutMs: 5000, maxBytes: 64 * 1024 * 1024 } as const;
/** Rounds of stopping and looking again, should a process start others faster than we look. */
const ROUNDS = 5;
/** What is killed is gone once it had the processor again: on a busy machine that takes a moment, and so long we wait for it. */
const GONE_WITHIN_MS = 3000;
const LOOK_MS = 10;

/** Process ids from /proc; Linux only. */
function listPids(): string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/u.test(name));
}

function readLinuxRow(name: string): Row | null {
  try {
    const text = readFileSync(`/proc/${name}/stat`, "utf8");
    // The name in brackets may hold anything, brackets too: state, parent and (20th) start follow it.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state = "Z", parent = ""] = fields;
    const started = fields[19] ?? "";
    // Killed, and its parent has not looked yet.
    return state === "Z" || state === "X" ? null : { pid: Number(name), parent: Number(parent), started };
  } catch {
    // It ended while we looked.
    return null;
  }
}

/** All processes: on Linux from /proc, else from ps. Empty where neither tells. */
async function readRows(): Promise<readonly Row[]> {
  if (process.platform === "linux")
    return listPids()
      .map(readLinuxRow)
      .filter((row) => row !== null);
  if (process.platform === "win32") return [];
  const listed = await runProcess("ps", ["-axo", "pid=,ppid=,lstart="], LISTING);
  return listed.stdout
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      const [pid = "", parent = "", ...started] = line.trim().split(/\s+/u);
      return pid === "" ? [] : [{ pid: Number(pid), parent: Number(parent), started: started.join(" ") }];
    });
}

/** Everything below `pid`, nearest first; without `pid` itself. */
export async function readDescendants(pid: number): Promise<readonly TreeProcess[]> {
  const below = new Map<number, Row[]>();
  for (const row of await readRows()) below.set(row.parent, [...(below.get(row.parent) ?? []), row]);
  const found: Row[] = [...(below.get(pid) ?? [])];
  // What is added while the list is walked is walked, too.
  for (const row of found) found.push(...(below.get(row.pid) ?? []));
  return found;
}

/** Process ids above `pid`, nearest first; without `pid` itself. */
export async function readAncestors(pid: number): Promise<readonly number[]> {
  const parents = new Map((await readRows()).map((row) => [row.pid, row.parent]));
  const found: number[] = [];
  for (let at = parents.get(pid); at !== undefined && at > 0 && !found.includes(at); at = parents.get(at))
    found.push(at);
  return found;
}

/** Process ids whose environment holds `NAME=value` exactly. Our own processes' only, and none on Windows. */
export async function findByVariable(name: string, value: string): Promise<readonly number[]> {
  const marker = `${name}=${value}`;
  if (process.platform === "linux")
    return listPids().flatMap((pid) => {
      try {
        // A process that has ended has no environment any more.
        return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(marker)
          ? [Number(pid)]
          : [];
      } catch {
        // It ended, or belongs to somebody else.
        return [];
      }
    });
  if (process.platform === "win32") return [];
  const listed = await runProcess("ps", ["axeww", "-o", "pid=,command="], LISTING);
  return listed.stdout
    .toString("utf8")
    .split("\n")
    .filter((line) => line.split(/\s+/u).includes(marker))
    .map((line) => Number.parseInt(line, 10));
}

/** Sends a signal (0 merely asks); false: there is no such process (any more), or it is not ours to signal. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Which of these run, each as the process it is now. */
async function runningOf(pids: ReadonlySet<number>): Promise<readonly TreeProcess[]> {
  if (process.platform !== "linux") return (await readRows()).filter(({ pid }) => pids.has(pid));
  return [...pids].map((pid) => readLinuxRow(String(pid))).filter((row) => row !== null);
}

/** Signals all of these and waits until they are gone, for so long; those that are left. Who has one of their ids by then is another. */
async function signalAndWait(
  pids: ReadonlySet<number>,
  signal: NodeJS.Signals,
  waitMs: number,
): Promise<readonly TreeProcess[]> {
  const starts = new Map((await runningOf(pids)).map(({ pid, started }) => [pid, started]));
  for (const pid of pids) sendSignal(pid, signal);
  for (const until = performance.now() + waitMs; ; await delay(LOOK_MS)) {
    const running = await runningOf(new Set(starts.keys()));
    const left = running.filter(({ pid, started }) => starts.get(pid) === started);
    if (left.length === 0 || performance.now() >= until) return left;
  }
}

/** Kills all of these; they are gone when it resolves. */
async function killAndWait(pids: ReadonlySet<number>): Promise<void> {
  await signalAndWait(pids, "SIGKILL", GONE_WITHIN_MS);
}

/** Kills those of `processes` that are still the ones they were; they are gone when it resolves. */
export async function killSurvivors(processes: readonly TreeProcess[]): Promise<void> {
  if (processes.length === 0) return;
  const now = new Map((await readRows()).map((row) => [row.pid, row.started]));
  const same = processes.filter(({ pid, started }) => now.get(pid) === started);
  await killAndWait(new Set(same.map(({ pid }) => pid)));
}

/** Kills what has `NAME=value` in its environment ({@link findByVariable}); it is gone when it resolves. */
export async function killByVariable(name: string, value: string): Promise<void> {
  await killAndWait(new Set(await findByVariable(name, value)));
}

/**
 * Asks a process and everything below it to end, and kills what is left of them after `graceMs`. They are gone when it resolves.
 * Where nobody tells what is below, the process alone is asked.
 */
export async function endTree(pid: number, graceMs: number): Promise<void> {
  const below = await readDescendants(pid).catch((): readonly TreeProcess[] => []);
  const tree = new Set([pid, ...below.map((row) => row.pid)]);
  const left = await signalAndWait(tree, "SIGTERM", graceMs);
  if (left.length > 0) await killSurvivors(left);
}

/**
 * Kills a process and everything below it, which is gone when it resolves; stopped first, so that nothing new is started while
 * we look.
 */
export async function killTree(pid: number): Promise<void> {
  const stopped = new Set<number>();
  let fresh = [pid];
  for (let round = 0; fresh.length > 0 && round < ROUNDS; round += 1) {
    for (const one of fresh) {
      sendSignal(one, "SIGSTOP");
      stopped.add(one);
    }
    const below = await readDescendants(pid);
    fresh = below.map((row) => row.pid).filter((one) => !stopped.has(one));
  }
  await killAndWait(new Set([...stopped, ...fresh]));
}
