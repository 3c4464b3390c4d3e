// S4 a writer that died while it took the lock over from a dead one: real lock files, as they are left.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { emptyFolder } from "../cli/testing/sample-workbench.js";
import { readOwnIdentity, type ProcessIdentity } from "../io/process-identity.js";
import { renderAnnouncement, renderOwner } from "./lock-text.js";
import { withStoreLock, type HeldLock, type LockOptions } from "./store-lock.js";

const TOKEN = "00112233445566aa";
const TAKER = "00112233445566bb";
let out = "";
let own: ProcessIdentity;
beforeEach(async () => {
  out = emptyFolder();
  own = await readOwnIdentity();
  mkdirSync(path.join(out, ".lock"));
});
afterEach(() => rmSync(out, { recursive: true, force: true }));

const leave = (name: string, text: string): void => writeFileSync(path.join(out, ".lock", name), text);
const lock = (options: LockOptions): Promise<readonly string[] | null> =>
  withStoreLock(out, options, async ({ abandoned }: HeldLock) => abandoned);
/** The lock of a writer of another machine, which had announced a folder. */
function leaveDead(): void {
  leave("owner", `${renderOwner(TOKEN, { ...own, machine: "elsewhere" })}${renderAnnouncement(["s-1"])}`);
}

describe("S4 a takeover that never ended", () => {
  test.each([
    ["of a process of another machine", () => renderOwner(TAKER, { ...own, machine: "elsewhere" })],
    ["that says nothing of who it was", () => ""],
  ])("%s does not block the lock for good", async (_, taker) => {
    leaveDead();
    leave(`takeover.${TOKEN}.0`, taker());
    await expect(lock({ waitMs: 300, staleMs: 60_000 })).rejects.toMatchObject({ code: "store.locked" });
    expect(await lock({ waitMs: 20_000, staleMs: 50 })).toEqual(["s-1"]);
  });

  test("one that is at it right now is left to it", async () => {
    leaveDead();
    leave(`takeover.${TOKEN}.0`, renderOwner(TAKER, own));
    await expect(lock({ waitMs: 900, staleMs: 50 })).rejects.toMatchObject({ code: "store.locked" });
  });
});
