// Gemini CLI and OpenCode (A5): the built command line as their hooks and our plugin call it, with payloads that they really
// sent (fixtures/payloads/gemini with 0.61.0, fixtures/payloads/opencode with 1.18.33), in real repositories.
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { git, put } from "../cli/testing/sample-workbench.js";
import { feedbackRecordSchema } from "../model/feedback-record-schema.js";
import { useHooks, type HookBench, type HookRun } from "../cli/testing/use-hooks.js";

const { bench } = useHooks();
const S = { session_id: "s-1" };
/** Exit 0, nothing said, nothing to complain about. */
const QUIET = { code: 0, stdout: "", stderr: "" };

/** How each agent says what this file tests: fixtures of its own. */
const AGENTS = [
  {
    agent: "gemini",
    start: "SessionStart.startup",
    prompt: "BeforeAgent",
    goal: "first words",
    commands: ["AfterTool", "AfterTool.failed", "AfterTool.timed-out"],
    tool: "run_shell_command",
    edits: ["AfterTool.write", "AfterTool.replace"],
    nothing: [
      "BeforeTool",
      "AfterTool.read",
      "AfterTool.background",
      "AfterTool.replace-failed",
      "PreCompress.auto",
    ],
    stop: "AfterAgent",
    compact: "PreCompress.manual",
    end: "SessionEnd.exit",
    /** The hook that gives the brief. */
    briefed: "BeforeAgent",
    briefOf: ({ stdout }: HookRun): string =>
      (JSON.parse(stdout) as { hookSpecificOutput: { additionalContext: string } }).hookSpecificOutput
        .additionalContext,
  },
  {
    agent: "opencode",
    start: "SessionStart.startup",
    prompt: "UserPromptSubmit",
    goal: '"do the work"',
    commands: ["PostToolUse", "PostToolUse.failed", "PostToolUse.timed-out"],
    tool: "bash",
    edits: ["PostToolUse.write", "PostToolUse.edit"],
    nothing: [],
    stop: "Stop",
    compact: "PreCompact",
    end: "SessionEnd",
    briefed: "SessionStart.startup",
    briefOf: ({ stdout }: HookRun): string => (JSON.parse(stdout) as { brief: string }).brief,
  },
] as const;

type AgentRow = (typeof AGENTS)[number];

/** A session up to the end of its turn: three commands, of which one passes, and an edit. */
async function work(b: HookBench, row: AgentRow, session_id: string): Promise<void> {
  const { agent, start, prompt, commands, edits, stop } = row;
  await b.hook(agent, start, { session_id });
  await b.hook(agent, prompt, { session_id });
  for (const fixture of commands) await b.hook(agent, fixture, { session_id });
  put(b.root, "a.txt", `${session_id}\n`);
  await b.hook(agent, edits[0], { session_id });
  await b.hook(agent, stop, { session_id });
}

describe.each(AGENTS)("$agent", (row) => {
  const { agent } = row;

  test("A7 A8 commands and edits are in the session's log, as they were and how they ended", async () => {
    const b = bench();
    for (const fixture of [...row.commands, ...row.edits, ...row.nothing])
      expect([fixture, await b.hook(agent, fixture, S)]).toEqual([fixture, QUIET]);
    const records = b.records("s-1");
    expect(records).toMatchObject([
      { exit_code: 0, cwd: ".", stdout_tail: expect.stringContaining("fine") },
      {
        command: "echo out; echo err >&2; exit 3",
        exit_code: 3,
        stdout_tail: expect.stringContaining("out\nerr"),
      },
      { exit_code: null, error: expect.stringMatching(/time/u) },
    ]);
    for (const record of records) {
      expect(record).toMatchObject({ session_id: "s-1", agent, tool: row.tool, source: "hook" });
      expect(feedbackRecordSchema.safeParse(record).success).toBe(true);
    }
    expect(b.edits("s-1")).toMatchObject(row.edits.map(() => ({ path: "a.txt" })));
    expect(b.log()).toEqual([]);
    expect(git(b.root, "status", "--porcelain")).toBe("");
  });

  test("A8 A9 from start to end: the goal, the packet of each turn, the last words", async () => {
    const b = bench();
    const base = git(b.root, "rev-parse", "HEAD").trim();
    await work(b, row, "s-1");
    expect(b.packet("s-1")).toMatchObject({
      session_id: "s-1",
      status: "active",
      git: { base_commit: base },
      changed_files: [expect.objectContaining({ path: "a.txt", seen_by: ["git", "state"] })],
      feedback: { total: 3, nonzero: 2 },
    });
    expect(await b.hook(agent, row.compact, S)).toEqual(QUIET);
    expect(await b.hook(agent, row.end, S)).toEqual(QUIET);
    expect(b.session("s-1")).toMatchObject({
      agent,
      goal: row.goal,
      source: "startup",
      base_commit: base,
      end_reason: "exit",
      last_message: "All done.",
    });
    expect(b.log()).toEqual([]);
  });

  test("A14 A15 takes a packet of Claude Code's over, and hands one over to it", async () => {
    const b = bench();
    const claude = { session_id: "s-claude" };
    await b.hook("claude-code", "SessionStart.startup", claude);
    await b.hook("claude-code", "UserPromptSubmit", claude);
    await b.hook("claude-code", "PostToolUseFailure", claude);
    await b.hook("claude-code", "Stop", claude);
    const started = await b.hook(agent, row.start, S);
    const brief = row.briefOf(row.briefed === row.start ? started : await b.hook(agent, row.briefed, S));
    expect(brief).toMatch(/^You are taking over/u);
    expect(brief).toContain("exit 3");
    // What is taken is taken once.
    expect(await b.hook(agent, row.start, S)).toEqual(QUIET);
    expect(await b.hook(agent, row.prompt, S)).toEqual(QUIET);

    await work(b, row, "s-1");
    const back = await b.hook("claude-code", "SessionStart.startup", { session_id: "s-2" });
    expect(back.stdout).toContain("You are taking over");
    expect(back.stdout).toContain("s-1");
    expect(b.log()).toEqual([]);
  });

  test("A6 nested in a run of ours it records, publishes nothing and says nothing", async () => {
    const b = bench();
    await b.hook("claude-code", "PostToolUseFailure", { session_id: "s-claude" });
    await b.hook("claude-code", "Stop", { session_id: "s-claude" });
    const nested = { env: { HANDOFF_RUN: "run-1" } };
    expect(await b.hook(agent, row.start, S, nested)).toEqual(QUIET);
    await b.hook(agent, row.commands[1], S, nested);
    expect(await b.hook(agent, row.stop, S, nested)).toEqual(QUIET);
    expect(b.records("s-1")).toHaveLength(1);
    expect(b.packet("s-1")).toBeNull();
  });

  test("A6 an event that nobody knows is a line in the log, and nothing else", async () => {
    const b = bench();
    const stdin = JSON.stringify({ session_id: "s-1", cwd: b.root });
    expect(await b.call([agent, "NoSuchEvent"], { stdin })).toEqual(QUIET);
    expect(b.log()).toHaveLength(1);
    expect(existsSync(path.join(b.root, "outputs"))).toBe(false);
  });
});

test("A7 Gemini CLI's folder of a command, and OpenCode's helpers", async () => {
  const b = bench();
  await b.hook("gemini", "AfterTool.dir_path", S);
  await b.hook("opencode", "PostToolUse.subagent", S);
  await b.hook("opencode", "PostToolUse.patch", S);
  expect(b.records("s-1")).toMatchObject([
    { exit_code: 1, cwd: "sub" },
    { exit_code: 5, subagent: { id: expect.stringMatching(/^ses_/u), type: "general" } },
  ]);
  expect(b.edits("s-1")).toMatchObject([{ path: "new.txt" }, { path: "a.txt" }]);
});
