// On real folders: where the workbench begins, and what must not capture it (P43).
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { addFiles, tempBench } from "../../fixtures/artifacts/temp-bench.js";
import { findRoot } from "./find-root.js";

const STATE = { active_task_id: null, next_action: "go on" };
const FAR_HOME = "/nonexistent-home";

function folder(root: string, name: string): string {
  const made = path.join(root, name);
  mkdirSync(made, { recursive: true });
  return made;
}
const gitInit = (where: string) => execFileSync("git", ["init", "-q", where]);

describe("P43 --root", () => {
  test("P43 an existing folder, relative to the current one, wins over everything", async () => {
    const base = tempBench({ "agent_state.json": STATE });
    const wanted = folder(base, "a/b");
    expect(await findRoot(base, "a/b")).toBe(wanted);
    expect(await findRoot("/", wanted)).toBe(wanted);
  });

  test("P43 through a link: the real folder", async () => {
    const base = tempBench();
    const real = folder(base, "real");
    symlinkSync("real", path.join(base, "link"));
    expect(await findRoot(base, "link")).toBe(real);
  });

  test.each([
    ["nowhere", "--root nowhere does not exist"],
    ["a.txt", "--root a.txt is not a folder"],
  ])("P43 %s is a usage error", async (option, message) => {
    const base = tempBench({ "a.txt": "" });
    await expect(findRoot(base, option)).rejects.toMatchObject({ name: "UsageError", exitCode: 2, message });
  });
});

describe("P43 the nearest marked folder upwards", () => {
  test.each([
    ["a .handoff folder", { ".handoff/x": "" }],
    ["a configuration", { "handoff.config.json": {} }],
    ["a state file", { "agent_state.json": STATE }],
    ["a state file under .handoff", { ".handoff/agent_state.json": STATE }],
  ])("P43 %s marks", async (_name, files) => {
    const base = tempBench();
    const root = folder(base, "p");
    addFiles(root, files);
    expect(await findRoot(folder(root, "a/b/c"), null, FAR_HOME)).toBe(root);
    expect(await findRoot(root, null, FAR_HOME)).toBe(root);
  });

  test.each([
    ["somebody else's agent_state.json", { "agent_state.json": { messages: [] } }],
    ["a broken agent_state.json", { "agent_state.json": "{" }],
    ["a file called .handoff", { ".handoff": "" }],
    ["a folder called handoff.config.json", { "handoff.config.json/x": "" }],
  ])("P43 %s does not", async (_name, files) => {
    const base = tempBench(files);
    const start = folder(base, "a/b");
    expect(await findRoot(start, null, FAR_HOME)).toBe(start);
  });

  test("P43 the nearest of two", async () => {
    const outer = tempBench({ ".handoff/x": "" });
    const inner = folder(outer, "packages/a");
    addFiles(inner, { "handoff.config.json": {} });
    expect(await findRoot(folder(inner, "src"), null, FAR_HOME)).toBe(inner);
  });
});

describe("P43 git", () => {
  test("P43 without a mark the top level; a mark below it wins", async () => {
    const top = tempBench();
    gitInit(top);
    const below = folder(top, "packages/a/src");
    expect(await findRoot(below, null, FAR_HOME)).toBe(top);
    folder(top, "packages/a/.handoff");
    expect(await findRoot(below, null, FAR_HOME)).toBe(path.join(top, "packages/a"));
  });

  test("P43 never above the top level", async () => {
    const outer = tempBench({ ".handoff/x": "", "agent_state.json": STATE });
    const top = folder(outer, "project");
    gitInit(top);
    expect(await findRoot(folder(top, "src"), null, FAR_HOME)).toBe(top);
  });

  test("P43 a linked worktree is its own top level; an empty .git folder is none", async () => {
    const top = tempBench();
    gitInit(top);
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", top, "-c", "user.name=n", "-c", "user.email=e@example.invalid", ...args]);
    git("commit", "-q", "--allow-empty", "-m", "first");
    git("worktree", "add", "-q", path.join(top, "trees/w"), "-b", "w");
    expect(await findRoot(folder(top, "trees/w/src"), null, FAR_HOME)).toBe(path.join(top, "trees/w"));
    folder(top, "vendor/.git");
    expect(await findRoot(folder(top, "vendor/src"), null, FAR_HOME)).toBe(top);
  });
});

describe("P43 strays do not capture", () => {
  test("P43 a mark in the home folder does not capture what lies below, but counts in the home itself", async () => {
    const home = tempBench({ "agent_state.json": STATE, ".handoff/x": "" });
    const start = folder(home, "notes/today");
    expect(await findRoot(start, null, home)).toBe(start);
    expect(await findRoot(home, null, home)).toBe(home);
  });

  test("P43 the home folder by another name is still the home", async () => {
    const base = tempBench({ "home/.handoff/x": "" });
    symlinkSync("home", path.join(base, "link"));
    const start = folder(base, "home/notes");
    expect(await findRoot(start, null, path.join(base, "link"))).toBe(start);
  });

  test("P43 a folder that everybody may write to is not asked, except as the current one", async () => {
    const shared = tempBench({ ".handoff/x": "" });
    chmodSync(shared, 0o1777);
    const start = folder(shared, "mine");
    expect(await findRoot(start, null, FAR_HOME)).toBe(start);
    expect(await findRoot(shared, null, FAR_HOME)).toBe(shared);
  });
});
