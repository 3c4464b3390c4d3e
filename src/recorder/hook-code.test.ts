// A10: what makes hooks start fast (V8's code beside theirs, flags, git begun early) changes nothing about what they say.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { plainEnvironment } from "../cli/testing/built-cli.js";
import { git, put } from "../cli/testing/sample-workbench.js";
import { useHooks, type HookBench } from "../cli/testing/use-hooks.js";
import { openWorkbench } from "../session/open-workbench.js";
import { publishSession } from "../session/publish-session.js";

const { bench, cli } = useHooks();
const S = { session_id: "s-1" };
const QUIET = { code: 0, stdout: "", stderr: "" };
const FILES = ["handoff.json", "handoff.md"];

async function publish(b: HookBench): Promise<string[]> {
  rmSync(path.join(b.root, "outputs"), { recursive: true, force: true });
  rmSync(path.join(b.sessionFolder("s-1"), "published.json"), { force: true });
  expect(await b.hook("claude-code", "Stop", S)).toEqual(QUIET);
  expect(b.log()).toEqual([]);
  return FILES.map((name) => readFileSync(path.join(b.root, "outputs/handoff/s-1", name), "utf8"));
}

async function makeSession(): Promise<HookBench> {
  const b = bench();
  await b.hook("claude-code", "SessionStart.startup", S);
  await b.hook("claude-code", "UserPromptSubmit", S);
  await b.hook("claude-code", "PostToolUse", { ...S, tool_use_id: "t-1" });
  await b.hook("claude-code", "PostToolUse.write", { ...S, tool_use_id: "t-2" });
  return b;
}

/** What may have happened to the working tree since the session began. */
const STATES: Readonly<Record<string, (root: string) => void>> = {
  "nothing changed": () => undefined,
  "a tracked file changed": (root) => put(root, "README.md", "# another\n"),
  "a new file": (root) => put(root, "new.txt", "new\n"),
  "a commit, and more": (root) => {
    put(root, "README.md", "# committed\n");
    git(root, "commit", "--quiet", "--all", "-m", "second");
    put(root, "README.md", "# and changed\n");
  },
  "HEAD went back": (root) => git(root, "checkout", "--quiet", "--orphan", "elsewhere"),
};

describe("the code of hooks", () => {
  test.each(Object.keys(STATES))(
    "A10 %s: a Stop publishes what any other call does, byte for byte",
    async (name) => {
      const b = await makeSession();
      STATES[name]?.(b.root);
      const published = await publish(b);
      const workbench = await openWorkbench({ cwd: b.root, root: b.root, env: plainEnvironment() });
      const made = await publishSession(workbench, {
        hookSessionId: "s-1",
        allowDegraded: true,
        reason: "session_end",
      });
      expect([made.json, made.markdown]).toEqual(published);
      expect(made.changed).toBe(false);
    },
  );

  test.each([
    ["is missing", (file: string) => rmSync(file)],
    ["is empty", (file: string) => writeFileSync(file, "")],
    ["is cut off", (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 4000))],
    ["is another file's", (file: string) => writeFileSync(file, readFileSync(cli().main))],
  ])("A10 V8's code for it %s: it is compiled, and the packet is the same", async (_, spoil) => {
    const b = await makeSession();
    const before = await publish(b);
    const folder = path.dirname(cli().main);
    const caches = readdirSync(folder).filter((name) => name.endsWith(".cache"));
    expect(caches.length).toBeGreaterThan(2);
    const kept = caches.map(
      (name) => [path.join(folder, name), readFileSync(path.join(folder, name))] as const,
    );
    try {
      for (const [file] of kept) spoil(file);
      expect(await publish(b)).toEqual(before);
    } finally {
      for (const [file, bytes] of kept) writeFileSync(file, bytes);
    }
  });
});
