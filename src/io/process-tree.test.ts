// R27: descendants are found by parent, outlivers by their environment; real processes.
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { identityOf, readLiveness, readOwnIdentity } from "./process-identity.js";
import {
  endTree,
  findByVariable,
  killByVariable,
  killSurvivors,
  killTree,
  readAncestors,
  readDescendants,
  sendSignal,
} from "./process-tree.js";

const started: ChildProcess[] = [];
afterEach(() => {
  for (const { pid } of started.splice(0)) if (pid !== undefined) sendSignal(-pid, "SIGKILL");
});

function shell(script: string, env: Record<string, string> = {}): number {
  const child = spawn("/bin/sh", ["-c", script], {
    detached: true,
    stdio: "ignore",
    env: { PATH: process.env["PATH"], ...env },
  });
  started.push(child);
  return child.pid ?? 0;
}
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(10);
}
async function isAlive(pid: number): Promise<boolean> {
  const own = await readOwnIdentity();
  return (await readLiveness({ ...own, pid, started: null }, own)) === "alive";
}
/** A process with a child and a grandchild in a session of its own. */
const FAMILY = "setsid sh -c 'sleep 600 & wait' & wait";

describe("a process and what it started", () => {
  test("descendants, nearest first, wherever their sessions are; ancestors of ours", async () => {
    const pid = shell(FAMILY);
    await until(async () => (await readDescendants(pid)).length >= 2);
    const [first, second] = await readDescendants(pid);
    expect(await readAncestors(second?.pid ?? 0)).toEqual(
      expect.arrayContaining([first?.pid, pid, process.pid, ...(await readAncestors(process.pid))]),
    );
    expect((await readDescendants(process.pid)).map((one) => one.pid)).toEqual(expect.arrayContaining([pid]));
  });

  test("killed as a whole, whatever they heed, and gone as soon as it is said", async () => {
    const pid = shell(`trap '' INT TERM HUP; ${FAMILY}`);
    await until(async () => (await readDescendants(pid)).length >= 2);
    const all = [pid, ...(await readDescendants(pid)).map((one) => one.pid)];
    await killTree(pid);
    for (const one of all) expect([one, await isAlive(one)]).toEqual([one, false]);
    expect(await readDescendants(pid)).toEqual([]);
  });

  test("asked to end as a whole; what does not heed it is killed, and nobody else", async () => {
    const willing = shell(FAMILY);
    const other = shell("sleep 600");
    await until(async () => (await readDescendants(willing)).length >= 2);
    const family = [willing, ...(await readDescendants(willing)).map((one) => one.pid)];
    // So long nobody waits: all of them heed it.
    await endTree(willing, 600_000);
    for (const one of family) expect([one, await isAlive(one)]).toEqual([one, false]);

    const stubborn = shell(`trap '' TERM; ${FAMILY}`);
    await until(async () => (await readDescendants(stubborn)).length >= 2);
    const all = [stubborn, ...(await readDescendants(stubborn)).map((one) => one.pid)];
    await endTree(stubborn, 100);
    for (const one of all) expect([one, await isAlive(one)]).toEqual([one, false]);
    expect(await isAlive(other)).toBe(true);
  });

  test("a survivor is killed as the process it was, not by its id alone", async () => {
    const pid = shell("sleep 600");
    const { started: start } = identityOf(pid, await readOwnIdentity());
    await killSurvivors([{ pid, started: "another start" }]);
    expect(await isAlive(pid)).toBe(true);
    await killSurvivors([{ pid, started: start ?? "" }]);
    expect(await isAlive(pid)).toBe(false);
  });

  test("found by what stands in its environment, exactly", async () => {
    const value = `run-${process.pid}`;
    const pid = shell("sleep 600 & wait", { HANDOFF_TEST: value });
    shell("sleep 600", { HANDOFF_TEST: `${value}0` });
    await until(async () => (await findByVariable("HANDOFF_TEST", value)).length === 2);
    const found = await findByVariable("HANDOFF_TEST", value);
    expect(found).toEqual(expect.arrayContaining([pid]));
    expect(found).not.toContain(started.at(-1)?.pid);
  });

  test("killed by what stands in its environment, and nobody else", async () => {
    const value = `kill-${process.pid}`;
    const pid = shell(FAMILY, { HANDOFF_TEST: value });
    const other = shell("sleep 600", { HANDOFF_TEST: `${value}0` });
    await until(async () => (await findByVariable("HANDOFF_TEST", value)).length >= 3);
    await killByVariable("HANDOFF_TEST", value);
    expect(await findByVariable("HANDOFF_TEST", value)).toEqual([]);
    expect([await isAlive(pid), await isAlive(other)]).toEqual([false, true]);
  });

  test("a process that is gone takes no signal, and has no start", async () => {
    const child = spawn(process.execPath, ["-e", "0"]);
    await new Promise((resolve) => child.once("close", resolve));
    expect(sendSignal(child.pid ?? 0, 0)).toBe(false);
    expect(identityOf(child.pid ?? 0, await readOwnIdentity()).started).toBeNull();
    await expect(killTree(child.pid ?? 0)).resolves.toBeUndefined();
    await expect(endTree(child.pid ?? 0, 600_000)).resolves.toBeUndefined();
  });
});
