// L4, L6: what a multiplexer does not say is not known; its program is a real one that answers, or does not.
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { emptyFolder } from "../cli/testing/sample-workbench.js";
import { readOwnIdentity } from "../io/process-identity.js";
import { readRoll, writeRoll } from "./roll-file.js";
import { runRoll } from "./run-roll.js";
import { SILENT } from "./terminal-multiplexer.js";
import { SAMPLE_ROLL } from "./testing/sample-roll.js";
import { createTmux } from "./tmux.js";

const KEY = "0123456789abcdef";
const PANE = { socket: "/nowhere", pane: "%3" };
const ANSWER_MS = 500;

let root = "";
beforeEach(() => {
  root = emptyFolder();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** tmux is a script from here on. */
function played(script: string) {
  const file = path.join(root, "tmux");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return createTmux({ PATH: `${root}:/usr/bin:/bin` }, ANSWER_MS);
}

describe("a pane", () => {
  test.each([
    ["is gone: its server says so, or there is none", "echo no server >&2; exit 1", null],
    ["is not known: no answer comes", "exec sleep 60", SILENT],
    ["is not known: it was killed before it answered", "kill -9 $$", SILENT],
  ])("L4 L6 %s", async (_, script, said) => {
    const tmux = played(script);
    expect(await tmux.look(PANE)).toBe(said);
    expect(await tmux.capture(PANE)).toBe(said);
    expect(await tmux.pressEnter(PANE)).toBe(false);
  });
});

test("L6 no answer does not end a roll: it is looked again, and what is said then counts", async () => {
  const own = { ...(await readOwnIdentity()), serves_many: false };
  const roll = {
    ...SAMPLE_ROLL,
    ...PANE,
    server: { pid: own.pid, started: own.started },
    process: own,
  };
  await writeRoll(root, KEY, roll);
  const asked = path.join(root, "asked");
  const terminal = played(`echo x >>${asked}; [ "$(wc -l <${asked})" -gt 2 ] || exec sleep 60; exit 1`);
  await runRoll(root, KEY, {
    terminal,
    env: {},
    now: () => new Date(),
    elapsed: () => performance.now(),
    sleep,
  });
  expect(readFileSync(asked, "utf8")).toBe("x\nx\nx\n");
  expect(await readRoll(root, KEY)).toMatchObject({ phase: "refused", ending: "PANE_GONE" });
});
