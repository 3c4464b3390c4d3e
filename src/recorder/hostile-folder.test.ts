// What stands in the place of a session's small files may be anybody's link, FIFO or device: hooks neither write through it nor
// wait for it (P43, A6). With the built command line, and payloads that agents sent.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { CommandFact } from "../agents/agent.js";
import { emptyFolder, put } from "../cli/testing/sample-workbench.js";
import { useHooks, type HookBench, type HookRun } from "../cli/testing/use-hooks.js";

const { bench } = useHooks();
const S = { session_id: "s-1" };
const QUIET = { code: 0, stdout: "", stderr: "" };
const SESSIONS = ".handoff/sessions";

/** A file that is none of ours, what stands in the place of one that is, and what the other says afterwards. */
interface Stranger {
  readonly place: (at: string, outside: string) => void;
  readonly left: Readonly<Record<string, string>>;
}
const link = (to: string): Stranger["place"] => {
  return (at, outside) => symlinkSync(path.resolve(outside, to), at);
};
const STRANGERS: Readonly<Record<string, Stranger>> = {
  "a link to a file elsewhere": { place: link("theirs"), left: { theirs: "theirs" } },
  "a link to nothing": { place: link("new"), left: { theirs: "theirs" } },
  "a link to a folder elsewhere": { place: link("."), left: { theirs: "theirs" } },
  "a FIFO": { place: (at) => execFileSync("mkfifo", [at]), left: { theirs: "theirs" } },
  "a device without an end": { place: link("/dev/zero"), left: { theirs: "theirs" } },
};

function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(path.join(folder, name)).isFile(),
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(path.join(folder, name), "utf8")]));
}

/** Where it stands, the branch on which session o-1 left work behind, and a hook that comes by. */
interface Place {
  readonly name: string;
  readonly branch: string;
  readonly call: (b: HookBench) => Promise<HookRun>;
}
const PLACES: readonly Place[] = [
  {
    name: "s-1/pending/call_1.json",
    branch: "another",
    call: (b) => b.hook("codex", "PostToolUse", { ...S, tool_use_id: "call_1", transcript_path: null }),
  },
  { name: "s-1/brief.due", branch: "main", call: (b) => b.hook("gemini", "SessionStart.startup", S) },
  {
    name: "o-1/left_alone",
    branch: "another",
    call: (b) => b.hook("claude-code", "SessionStart.startup", S),
  },
  {
    name: "s-1/session.json",
    branch: "another",
    call: (b) => b.hook("claude-code", "UserPromptSubmit", S),
  },
  {
    name: "s-1/published.json",
    branch: "another",
    call: async (b) => {
      await b.hook("claude-code", "PostToolUse", S);
      return b.hook("claude-code", "Stop", S);
    },
  },
];

describe.each(PLACES)("in the place of $name", ({ name, branch, call }) => {
  test.each(Object.entries(STRANGERS))("P43 A6 %s", async (_, { place, left }) => {
    const b = bench();
    const outside = emptyFolder();
    try {
      put(outside, "theirs", "theirs");
      put(b.root, `${SESSIONS}/o-1/feedback.jsonl`, '{"command":"ls","exit_code":0}\n');
      put(b.root, `${SESSIONS}/o-1/session.json`, JSON.stringify({ branch }));
      const at = path.join(b.root, SESSIONS, name);
      mkdirSync(path.dirname(at), { recursive: true });
      rmSync(at, { force: true });
      place(at, outside);
      expect(await call(b)).toEqual(QUIET);
      expect(filesIn(outside)).toEqual(left);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });
});

test.each(["s-1", "s-1/pending"])(
  "P43 a link in the place of the folder %s that leads out of the workbench is not written through",
  async (name) => {
    const b = bench();
    const outside = emptyFolder();
    try {
      put(outside, "theirs", "theirs");
      const at = path.join(b.root, SESSIONS, name);
      mkdirSync(path.dirname(at), { recursive: true });
      symlinkSync(outside, at);
      for (const fixture of ["SessionStart.startup", "PostToolUse", "PostToolUse.patch", "Stop"])
        expect(
          await b.hook("codex", fixture, { ...S, tool_use_id: "call_1", transcript_path: null }),
        ).toEqual(QUIET);
      expect(filesIn(outside)).toEqual({ theirs: "theirs" });
      expect(b.log().join("\n")).toMatch(/leads out of the workbench|no folder of ours/u);
    } finally {
      rmSync(outside, { recursive: true });
    }
  },
);

test("P43 what lies behind a link in the place of pending/ is nobody's pending command", async () => {
  const b = bench();
  const outside = emptyFolder();
  try {
    // Word for word as one of ours would be.
    const fact: CommandFact = {
      command: "make",
      exit_code: null,
      error: null,
      stdout: "",
      stderr: "",
      duration_ms: null,
      started_at: "2026-11-29T12:00:00.000Z",
      tool: "Bash",
      command_id: "t-1",
      cwd: null,
      subagent: null,
      agent_note: null,
      awaits: { from: "background", task_id: null },
    };
    const theirs = JSON.stringify({ fact, transcript_path: null });
    put(outside, "t-1.json", theirs);
    mkdirSync(path.join(b.root, SESSIONS, "s-1"), { recursive: true });
    symlinkSync(outside, path.join(b.root, SESSIONS, "s-1/pending"));
    const prompt =
      "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>t-1</tool-use-id>\n<status>completed</status>\n" +
      "<summary>Background command completed (exit code 0)</summary>\n</task-notification>";
    expect(await b.hook("claude-code", "UserPromptSubmit", { ...S, prompt })).toEqual(QUIET);
    expect(readFileSync(path.join(outside, "t-1.json"), "utf8")).toBe(theirs);
    expect(existsSync(path.join(b.root, SESSIONS, "s-1/feedback.jsonl"))).toBe(false);
  } finally {
    rmSync(outside, { recursive: true });
  }
});
