// R27: a turn is ended also where the system has nothing left to look with.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { afterEach, expect, test } from "vitest";
import { readLiveness, readOwnIdentity } from "../io/process-identity.js";
import { endingOf } from "./end-turn.js";

const PATIENCE = { interruptMs: 100, terminateMs: 100, drainMs: 100 };
const canLimit = process.platform === "linux" && spawnSync("prlimit", ["--version"]).error === undefined;

/** No file can be opened in this process any more; the returned function ends that. */
function shortOfFiles(): () => Promise<void> {
  const own = `--pid=${process.pid}`;
  const listed = execFileSync("prlimit", [own, "--nofile", "--output=SOFT", "--noheadings", "--raw"]);
  // Started while something can be started.
  const script = `read line; exec prlimit ${own} --nofile=${listed.toString("utf8").trim()}:`;
  const helper = spawn("sh", ["-c", script], { stdio: ["pipe", "ignore", "inherit"] });
  const done = new Promise((resolve) => helper.once("exit", resolve));
  execFileSync("prlimit", [own, "--nofile=3:"]);
  return async () => {
    if (helper.exitCode === null) helper.stdin.end("\n");
    await done;
  };
}

let restore: () => Promise<void> = async () => undefined;
afterEach(() => restore());

test.runIf(canLimit).each([
  ["asked to end", "process.on('SIGINT', () => {});", "SIGTERM"],
  ["killed", "process.on('SIGINT', () => {}); process.on('SIGTERM', () => {});", "SIGKILL"],
])(
  "R27 without a file to look for what it started with, an agent is %s all the same",
  async (_, heeds, by) => {
    const script = `${heeds} process.stdout.write("ready"); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["-e", script], {
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    const pid = child.pid ?? 0;
    await new Promise((resolve) => child.stdout.once("data", resolve));
    const exit = new Promise((resolve) => child.once("exit", (_code, signal) => resolve(signal)));
    const ending = endingOf(child, { pid, mark: "none" }, PATIENCE);
    restore = shortOfFiles();
    ending.interrupt();
    expect(await exit).toBe(by);
    // What it may have started is not known, and that is told.
    await expect(ending.settle()).rejects.toMatchObject({ code: "EMFILE" });
    await restore();
    const own = await readOwnIdentity();
    expect(await readLiveness({ ...own, pid, started: null }, own)).toBe("dead");
  },
);
