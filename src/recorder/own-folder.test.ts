// What handoff keeps for itself below .handoff/ is no news in the project's git (S12), whoever made the folder; what a person may want
// to share there is. The built command line and real repositories.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { git, put } from "../cli/testing/sample-workbench.js";
import { useHooks, type HookBench } from "../cli/testing/use-hooks.js";
import { OWN_IGNORE_TEXT } from "../io/handoff-folder.js";

const { bench } = useHooks();
const IGNORE = ".handoff/.gitignore";

const status = (b: HookBench): string[] =>
  git(b.root, "status", "--porcelain", "--untracked-files=all").split("\n").filter(Boolean);
const ignoreText = (b: HookBench): string => readFileSync(path.join(b.root, IGNORE), "utf8");

const MAKERS: readonly (readonly [string, (b: HookBench) => Promise<unknown>])[] = [
  ["a hook that records", (b) => b.hook("claude-code", "PostToolUse", { session_id: "s-1" })],
  ["a hook's fault", (b) => b.call(["claude-code", "PostToolUse"], { stdin: "{" })],
  ["a session's start", (b) => b.hook("claude-code", "SessionStart.startup", { session_id: "s-1" })],
  ["handoff note", (b) => b.command(["note", "next", "go on"], { env: { HANDOFF_SESSION_ID: "s-1" } })],
  ["handoff exec", (b) => b.handoff("exec", "--", "true")],
];

describe("S12 .handoff/.gitignore", () => {
  test.each(MAKERS)("S12 after %s git has nothing to tell", async (_, make) => {
    const b = bench();
    await make(b);
    expect(existsSync(path.join(b.root, ".handoff"))).toBe(true);
    expect(ignoreText(b)).toBe(OWN_IGNORE_TEXT);
    expect(status(b)).toEqual([]);
  });

  test("S12 of a whole session there is the packet, a state and a board, and nothing else", async () => {
    const b = bench();
    for (const [, make] of MAKERS) await make(b);
    await b.hook("claude-code", "Stop", { session_id: "s-1" });
    await b.handoff("generate");
    for (const name of [".lock/owner", "cache/windows.json", "recorder.log.1", "sessions/s-2/brief.hp_1"])
      put(b.root, `.handoff/${name}`, "x\n");
    for (const name of ["agent_state.json", "task_board.json"]) put(b.root, `.handoff/${name}`, {});
    expect(existsSync(path.join(b.root, ".handoff/recorder.log"))).toBe(true);
    expect(existsSync(path.join(b.root, ".handoff/cache"))).toBe(true);
    expect(status(b).filter((line) => !line.includes("outputs/handoff/"))).toEqual([
      "?? .handoff/agent_state.json",
      "?? .handoff/task_board.json",
    ]);
  });

  test("S12 a person's own is kept; what commands said is ignored all the same", async () => {
    const b = bench();
    put(b.root, IGNORE, "*.bak\n");
    for (const [, make] of MAKERS) await make(b);
    expect(ignoreText(b)).toBe("*.bak\n");
    expect(status(b).filter((line) => line.includes("sessions"))).toEqual([]);
  });

  test("S12 a folder that a repository brings along gets one too", async () => {
    const b = bench();
    put(b.root, ".handoff/agent_state.json", { next_action: "go on" });
    git(b.root, "add", ".");
    git(b.root, "commit", "--quiet", "-m", "state");
    await b.call(["claude-code", "PostToolUse"], { stdin: "{" });
    expect(b.log()).toHaveLength(1);
    expect(status(b)).toEqual([]);
  });

  test("P43 it is not written through links, and its lack is no fault", async () => {
    const b = bench();
    const outside = path.join(b.root, "..", `${path.basename(b.root)}-outside`);
    mkdirSync(outside);
    mkdirSync(path.join(b.root, ".handoff"));
    symlinkSync(path.join(outside, "stolen"), path.join(b.root, IGNORE));
    await b.hook("claude-code", "PostToolUse", { session_id: "s-1" });
    expect(b.records("s-1")).toHaveLength(1);
    expect(existsSync(path.join(outside, "stolen"))).toBe(false);

    rmSync(path.join(b.root, ".handoff"), { recursive: true });
    symlinkSync(outside, path.join(b.root, ".handoff"));
    await b.hook("claude-code", "PostToolUse", { session_id: "s-1" });
    expect(existsSync(path.join(outside, ".gitignore"))).toBe(false);

    rmSync(path.join(b.root, ".handoff"));
    mkdirSync(path.join(b.root, IGNORE), { recursive: true });
    writeFileSync(path.join(b.root, IGNORE, "x"), "");
    await b.hook("claude-code", "PostToolUse", { session_id: "s-2" });
    expect(b.records("s-2")).toHaveLength(1);
    rmSync(outside, { recursive: true });
  });
});
