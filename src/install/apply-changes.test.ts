// A1 on disk: all files or none, links stay links, folders that were made go again, nothing is written that was not looked at.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { applyChanges, lookAtFolders, type FileChange } from "./apply-changes.js";
import { readText } from "./read-text.js";

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "handoff-apply-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => path.join(folder, name);
const put = (name: string, text: string): string => {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
  return at(name);
};
const change = (name: string, before: string | null, after: string | null, folders = 1): FileChange => ({
  path: at(name),
  before,
  after,
  folders,
});
const all = (): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();

test("A1 files are made with their folders, changed with their mode, removed with folders that are empty then", async () => {
  put("a/settings.json", "old");
  chmodSync(at("a/settings.json"), 0o600);
  await applyChanges([change("a/settings.json", "old", "new"), change("x/y/z.json", null, "made")]);
  expect([readFileSync(at("a/settings.json"), "utf8"), statSync(at("a/settings.json")).mode & 0o777]).toEqual(
    ["new", 0o600],
  );
  expect(readFileSync(at("x/y/z.json"), "utf8")).toBe("made");
  await applyChanges([change("x/y/z.json", "made", null, 2), change("a/settings.json", "new", null)]);
  expect(all()).toEqual([]);
});

test("A1 a folder that holds anything else stays", async () => {
  put(".claude/settings.json", "ours");
  put(".claude/CLAUDE.md", "theirs");
  await applyChanges([change(".claude/settings.json", "ours", null, 3)]);
  expect(all()).toEqual([".claude", ".claude/CLAUDE.md"]);
});

test("A1 a link is followed and stays a link", async () => {
  put("dotfiles/claude.json", "old");
  mkdirSync(at(".claude"));
  symlinkSync("../dotfiles/claude.json", at(".claude/settings.json"));
  await applyChanges([change(".claude/settings.json", "old", "new")]);
  expect(lstatSync(at(".claude/settings.json")).isSymbolicLink()).toBe(true);
  expect(readFileSync(at("dotfiles/claude.json"), "utf8")).toBe("new");
  symlinkSync("dotfiles", at("linked"));
  await applyChanges([change("linked/new.json", null, "made")]);
  expect(readFileSync(at("dotfiles/new.json"), "utf8")).toBe("made");
});

test("A1 somebody else's change in between is never overwritten, and the files before it are not touched", async () => {
  put("one.json", "1");
  put("two.json", "changed meanwhile");
  await expect(
    applyChanges([change("one.json", "1", "1!"), change("two.json", "2", "2!")]),
  ).rejects.toMatchObject({
    code: "settings.changed",
    place: { path: at("two.json") },
  });
  expect(readFileSync(at("one.json"), "utf8")).toBe("1");
  put("three.json", "appeared");
  await expect(applyChanges([change("three.json", null, "3")])).rejects.toMatchObject({
    code: "settings.changed",
  });
});

test("A1 a change that somebody makes while ours are being prepared is not overwritten either", async () => {
  put("one.json", "1");
  put("two.json", "2");
  const isPrepared = (): boolean => all().some((name) => name.endsWith(".tmp"));
  const late: FileChange = {
    ...change("two.json", "2", null),
    // Read again when it is this file's turn: the first is prepared by then.
    get after() {
      if (isPrepared()) put("one.json", "theirs");
      return "2!";
    },
  };
  await expect(applyChanges([change("one.json", "1", "1!"), late])).rejects.toMatchObject({
    code: "settings.changed",
    place: { path: at("one.json") },
  });
  expect(readFileSync(at("one.json"), "utf8")).toBe("theirs");
  expect(all()).toEqual(["one.json", "two.json"]);
  expect(readFileSync(at("two.json"), "utf8")).toBe("2");
});

test("A1 where one file cannot be written none is, and no folder is left behind", async () => {
  put("one.json", "1");
  put("blocked", "a file where a folder should be");
  await expect(
    applyChanges([
      change("one.json", "1", "1!"),
      change("new/deep/two.json", null, "2"),
      change("blocked/x/three.json", null, "3"),
    ]),
  ).rejects.toMatchObject({ code: "write.not_a_folder" });
  expect(all()).toEqual(["blocked", "one.json"]);
  expect(readFileSync(at("one.json"), "utf8")).toBe("1");
});

test("A1 what is not a readable text file is refused", async () => {
  put("binary", "");
  writeFileSync(at("binary"), Buffer.from([0x7b, 0xff, 0xfe, 0x7d]));
  mkdirSync(at("folder.json"));
  symlinkSync("nowhere", at("dangling"));
  for (const [name, words] of [
    ["binary", /not UTF-8/u],
    ["folder.json", /folder/u],
    ["dangling", /dangling link/u],
  ] as const)
    await expect(readText(at(name))).rejects.toMatchObject({
      code: "settings.unreadable",
      exitCode: 2,
      message: expect.stringMatching(words),
    });
  expect(await readText(at("missing"))).toBeNull();
  writeFileSync(at("bom"), "\ufeffx\r\n");
  expect(await readText(at("bom"))).toBe("\ufeffx\r\n");
});

test("A1 folders are looked at before they are made", async () => {
  mkdirSync(at("empty"));
  put("full/x", "");
  expect(await lookAtFolders(at("empty/a"))).toEqual({ missing: 0, isEmpty: true });
  expect(await lookAtFolders(at("full/a"))).toEqual({ missing: 0, isEmpty: false });
  expect(await lookAtFolders(at("x/y/z/a"))).toEqual({ missing: 3, isEmpty: false });
  expect(existsSync(at("x"))).toBe(false);
});
