// The file of a pane as hooks that run side by side change it (L7): real files, the other hook's change put in between.
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changePaneFile, type PaneFile, readPaneFile } from "./pane-file.js";

const KEY = "0123456789abcdef";
let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "handoff-pane-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const PANE: PaneFile = {
  schema_version: 1,
  pane: "%1",
  server: { socket: "/tmp/tmux", pid: 7, started: "1" },
  agent: "claude-code",
  process: null,
  session_id: "s-1",
  state: "BUSY",
  event: "prompt",
  at: "2026-11-29T12:00:00.000Z",
  sequence: 0,
  began: null,
  prompt: null,
  helpers: [],
};

/** A hook that tells of a helper. */
const addHelper =
  (id: string) =>
  (found: PaneFile | null): PaneFile => ({
    ...(found ?? PANE),
    sequence: (found?.sequence ?? 0) + 1,
    helpers: [...(found?.helpers ?? []), { id, at: PANE.at }],
  });
const told = () => {
  const file = readPaneFile(root, KEY);
  return [file?.sequence, file?.helpers.map(({ id }) => id)];
};
const files = (): string[] => readdirSync(path.join(root, ".handoff/panes")).toSorted();

test.each([
  ["there was none", []],
  ["there was one", ["first"]],
])("L7 what another hook tells between the look and the change stays: %s", (_, before) => {
  for (const id of before) changePaneFile(root, KEY, addHelper(id));
  let looks = 0;
  changePaneFile(root, KEY, (found) => {
    looks += 1;
    if (looks === 1) changePaneFile(root, KEY, addHelper("theirs"));
    return addHelper("ours")(found);
  });
  expect(told()).toEqual([before.length + 2, [...before, "theirs", "ours"]]);
  expect(looks).toBe(2);
  expect(files()).toEqual([".gitignore", `${KEY}.json`]);
});

test("L7 a change that changes nothing leaves the file, and makes none", () => {
  changePaneFile(root, KEY, () => null);
  expect(readPaneFile(root, KEY)).toBeNull();
  changePaneFile(root, KEY, addHelper("a"));
  changePaneFile(root, KEY, () => null);
  expect(told()).toEqual([1, ["a"]]);
});

test("L7 where others change it all the time the last word is written all the same", () => {
  let looks = 0;
  changePaneFile(root, KEY, (found) => {
    looks += 1;
    if (looks < 1000) changePaneFile(root, KEY, addHelper(`theirs-${looks}`));
    return addHelper("ours")(found);
  });
  expect(told()[1]).toContain("ours");
  expect(files()).toEqual([".gitignore", `${KEY}.json`]);
});
