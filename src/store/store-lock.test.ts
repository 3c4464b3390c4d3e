import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { emptyFolder } from "../cli/testing/sample-workbench.js";
import { readOwnIdentity } from "../io/process-identity.js";
import { UsageError } from "../model/errors.js";
import { readLock } from "./lock-claims.js";
import { renderAnnouncement, renderOwner } from "./lock-text.js";
import { withStoreLock, type HeldLock, type LockWait } from "./store-lock.js";

let out = "";
beforeEach(() => {
  out = emptyFolder();
});
afterEach(() => rmSync(out, { recursive: true, force: true }));

const TOKEN = "00112233445566aa";
const owner = (): string => path.join(out, ".lock/owner");
function leaveLock(text: string): void {
  mkdirSync(path.join(out, ".lock"), { recursive: true });
  writeFileSync(owner(), text);
}
/** The id of a process that is gone. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", "0"]);
  await new Promise((resolve) => child.on("close", resolve));
  return child.pid ?? 0;
}
async function failureOf(work: Promise<unknown>): Promise<UsageError> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UsageError);
  return error as UsageError;
}
const lock = (options = {}): Promise<readonly string[] | null> =>
  withStoreLock(out, options, async ({ abandoned }: HeldLock) => abandoned);

describe("S4 one at a time", () => {
  test("never two at once, everyone in the end, and nothing is left", async () => {
    let inside = 0;
    let most = 0;
    let done = 0;
    await Promise.all(
      Array.from({ length: 20 }, () =>
        withStoreLock(out, {}, async () => {
          inside += 1;
          most = Math.max(most, inside);
          await new Promise((resolve) => setTimeout(resolve, 3));
          inside -= 1;
          done += 1;
        }),
      ),
    );
    expect([most, done]).toEqual([1, 20]);
    expect(readdirSync(path.join(out, ".lock"))).toEqual([]);
  });

  test("given back when the work fails", async () => {
    await expect(withStoreLock(out, {}, () => Promise.reject(new Error("the work failed")))).rejects.toThrow(
      "the work failed",
    );
    expect(readdirSync(path.join(out, ".lock"))).toEqual([]);
    expect(await lock()).toBeNull();
  });

  test("the owner and what it touches can be read", async () => {
    await withStoreLock(out, {}, async ({ announce }) => {
      await announce(["s-1", "s-2/docs"]);
      const [first = "", second] = readFileSync(owner(), "utf8").split("\n");
      expect(JSON.parse(first)).toMatchObject({ pid: process.pid, host: hostname() });
      expect(second).toBe('["s-1","s-2/docs"]');
    });
  });
});

describe("S4 a lock held too long", () => {
  test("a waiter says so after a second, and gives up after its bound with the owner's name", async () => {
    const told: LockWait[] = [];
    await withStoreLock(out, {}, async () => {
      const error = await failureOf(lock({ waitMs: 4000, onWait: (wait: LockWait) => told.push(wait) }));
      expect([error.code, error.exitCode]).toEqual(["store.locked", 2]);
      expect(error.message).toContain(`process ${process.pid} on ${hostname()}`);
      expect(error.place).toEqual({ path: owner() });
      expect(error.hint).toContain("run it again later");
    });
    expect(told).toEqual([{ owner: `process ${process.pid} on ${hostname()}`, waitMs: 4000 }]);
    expect(readdirSync(path.join(out, ".lock"))).toEqual([]);
  });

  test("a process that is merely stopped still owns it", async () => {
    const script = "setInterval(() => undefined, 1000)";
    const child = spawn(process.execPath, ["-e", script]);
    try {
      const own = await readOwnIdentity();
      const started = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ")[19] ?? null;
      child.kill("SIGSTOP");
      leaveLock(renderOwner(TOKEN, { ...own, pid: child.pid ?? 0, started }));
      expect((await failureOf(lock({ waitMs: 150, staleMs: 50 }))).code).toBe("store.locked");
    } finally {
      child.kill("SIGKILL");
    }
  });
});

describe("S4 a stale lock", () => {
  test("of a process that died: taken over at once, with what it had announced", async () => {
    const own = await readOwnIdentity();
    const text = renderOwner(TOKEN, { ...own, pid: await deadPid() });
    leaveLock(`${text}${renderAnnouncement(["s-1"])}\n${renderAnnouncement(["s-2"])}["half`);
    expect(await lock({ waitMs: 0 })).toEqual(["s-1", "s-2"]);
    expect(readdirSync(path.join(out, ".lock"))).toEqual([]);
  });

  test("of a process whose id another one has now", async () => {
    const own = await readOwnIdentity();
    leaveLock(renderOwner(TOKEN, { ...own, started: "1" }));
    expect(await lock({ waitMs: 0 })).toEqual([]);
  });

  test("of another machine: only after it gave no sign of life for a while", async () => {
    const own = await readOwnIdentity();
    leaveLock(renderOwner(TOKEN, { ...own, host: "elsewhere", machine: "elsewhere" }));
    const error = await failureOf(lock({ waitMs: 100, staleMs: 60_000 }));
    expect(error.message).toContain(`process ${own.pid} on elsewhere`);
    expect(existsSync(owner())).toBe(true);
    expect(await lock({ waitMs: 60_000, staleMs: 100 })).toEqual([]);
  });

  test("of another machine, with signs of life: not taken over", async () => {
    const own = await readOwnIdentity();
    leaveLock(renderOwner(TOKEN, { ...own, machine: "elsewhere" }));
    const beat = setInterval(() => writeFileSync(owner(), "\n", { flag: "a" }), 10);
    const error = await failureOf(lock({ waitMs: 6000, staleMs: 3000 }));
    clearInterval(beat);
    expect(error.code).toBe("store.locked");
  });

  test.each([
    ["empty", ""],
    ["no lock of ours", "hello\n"],
    ["half a line", '{"token":"0011'],
  ])("that says nothing of its owner (%s): after the same while", async (_, text) => {
    leaveLock(text);
    expect((await failureOf(lock({ waitMs: 50, staleMs: 60_000 }))).message).toContain("an unknown process");
    expect(await lock({ waitMs: 60_000, staleMs: 50 })).toEqual([]);
  });

  test("many find it at once: one takes it over, the others wait their turn", async () => {
    const own = await readOwnIdentity();
    leaveLock(`${renderOwner(TOKEN, { ...own, pid: await deadPid() })}${renderAnnouncement(["s-1"])}`);
    let inside = 0;
    const seen = await Promise.all(
      Array.from({ length: 12 }, () =>
        withStoreLock(out, {}, async ({ abandoned }) => {
          inside += 1;
          expect(inside).toBe(1);
          await new Promise((resolve) => setTimeout(resolve, 2));
          inside -= 1;
          return abandoned;
        }),
      ),
    );
    expect(seen.filter((abandoned) => abandoned !== null)).toEqual([["s-1"]]);
    expect(readdirSync(path.join(out, ".lock"))).toEqual([]);
  });

  test("what a dead owner had announced stays announced until it is done, should the next one die over it", async () => {
    const own = await readOwnIdentity();
    leaveLock(`${renderOwner(TOKEN, { ...own, pid: await deadPid() })}${renderAnnouncement(["s-1", "s-2"])}`);
    const inherited = await withStoreLock(out, {}, async ({ announce }) => {
      await announce(["s-3"]);
      return readLock(owner());
    });
    expect(inherited?.announced).toEqual(["s-1", "s-2", "s-3"]);
    expect(inherited?.owner?.pid).toBe(process.pid);
  });

  test("a takeover that died in the middle does not block the next one", async () => {
    const own = await readOwnIdentity();
    const dead = { ...own, pid: await deadPid() };
    leaveLock(renderOwner(TOKEN, dead));
    writeFileSync(path.join(out, `.lock/takeover.${TOKEN}.0`), renderOwner("00112233445566bb", dead));
    writeFileSync(path.join(out, ".lock/claim.00112233445566bb"), renderOwner("00112233445566bb", dead));
    writeFileSync(path.join(out, ".lock/claim.00112233445566cc"), "");
    expect(await lock({ waitMs: 0 })).toEqual([]);
    expect(readdirSync(path.join(out, ".lock"))).toEqual([]);
  });
});

describe("S4 a lock that was lost", () => {
  test("is noticed before a commit, and the new owner's lock stays", async () => {
    const own = await readOwnIdentity();
    const error = await failureOf(
      withStoreLock(out, {}, async ({ announce, assertHeld }) => {
        await assertHeld();
        rmSync(owner());
        leaveLock(renderOwner(TOKEN, { ...own, machine: "elsewhere" }));
        await announce(["s-1"]);
        await assertHeld();
      }),
    );
    expect([error.code, error.exitCode]).toEqual(["store.lock_lost", 2]);
    expect(readFileSync(owner(), "utf8")).toBe(renderOwner(TOKEN, { ...own, machine: "elsewhere" }));
  });
});
