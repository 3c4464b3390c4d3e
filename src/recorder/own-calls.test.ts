// Agents that call handoff while hooks watch (A7): a command is one record, whoever tells of it; and what is ours is none. The built
// command line, hooks and commands started by processes that are called like agents.
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { AgentProcess } from "../cli/testing/start-agent-process.js";
import { useHooks, type HookBench, type HookStart, type Payload } from "../cli/testing/use-hooks.js";

const { agent, bench, cli } = useHooks();
const QUIET = { code: 0, stdout: "", stderr: "" };

/** A call of the agent's shell, as a hook tells it when it is over. */
const told = (b: HookBench, command: string, id: string, start: HookStart = {}, changes: Payload = {}) =>
  b.hook(
    "claude-code",
    "PostToolUse",
    { session_id: "s-1", tool_use_id: id, tool_input: { command }, ...changes },
    start,
  );
const linesOf = (b: HookBench): unknown[] =>
  b.records("s-1").map(({ command, source, command_id = null }) => [command, source, command_id]);

describe("A7 Claude Code", () => {
  test("A7 what exec records, the hook does not; chains stay as they are", async () => {
    const b = bench();
    const env = { CLAUDE_CODE_SESSION_ID: "s-1" };
    await b.hook("claude-code", "SessionStart.startup", { session_id: "s-1" });
    const run = await b.command(["exec", "--", "sh", "-c", "echo out; exit 3"], { env });
    expect([run.code, run.stdout]).toEqual([3, "out\n"]);
    await b.hook("claude-code", "PostToolUseFailure", {
      session_id: "s-1",
      tool_use_id: "t-1",
      tool_input: { command: "handoff exec -- sh -c 'echo out; exit 3' 2>&1 | tail -5" },
    });
    await told(b, "handoff note next 'mend it'", "t-2");
    await told(b, "handoff brief | head -20", "t-3");
    await told(b, "handoff exec -- true && npm run lint", "t-4");
    expect(linesOf(b)).toEqual([
      [["sh", "-c", "echo out; exit 3"], "exec", null],
      ["handoff exec -- true && npm run lint", "hook", "t-4"],
    ]);
    expect(b.records("s-1")[0]).toMatchObject({ agent: "claude-code", session_id: "s-1", exit_code: 3 });
    expect(b.log()).toEqual([]);
  });

  test("A7 a call of ours in the background leaves nothing behind", async () => {
    const b = bench();
    const start = await b.hook("claude-code", "PostToolUse.background", {
      session_id: "s-1",
      tool_input: { command: "handoff exec -- npm run build" },
    });
    expect(start).toEqual(QUIET);
    const { tool_use_id } = JSON.parse(
      readFileSync(
        path.join(import.meta.dirname, "../../fixtures/payloads/claude-code/PostToolUse.background.json"),
        "utf8",
      ),
    ) as { tool_use_id: string };
    const prompt = `<task-notification>\n<tool-use-id>${tool_use_id}</tool-use-id>\n<status>completed</status>\n<summary>Background command "x" failed with exit code 2</summary>\n</task-notification>`;
    await b.hook("claude-code", "UserPromptSubmit", { session_id: "s-1", prompt });
    expect(b.records("s-1")).toEqual([]);
    expect(readdirSync(path.join(b.sessionFolder("s-1"), "pending"))).toEqual([]);
    expect(b.log()).toEqual([]);
  });
});

describe("A7 Codex", () => {
  const ID = "call_1";
  const OWN_ID = /^call_1:\d+$/u;
  const env = { CODEX_THREAD_ID: "s-1", CODEX_SESSION_ID: "s-1", CODEX_TOOL_CALL_ID: ID };

  /** A rollout of the session in which a command ended. */
  function rolloutOf(b: HookBench, command: string, exit_code: number): string {
    const folder = path.join(b.root, "..", `${path.basename(b.root)}-codex`);
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, "rollout-2026-11-29T13-45-49-s-1.jsonl");
    const item = {
      type: "CommandExecution",
      id: ID,
      command: ["/bin/bash", "-lc", command],
      status: exit_code === 0 ? "completed" : "failed",
      aggregated_output: "",
      exit_code,
    };
    writeFileSync(file, "");
    appendFileSync(
      file,
      `${JSON.stringify({ type: "event_msg", payload: { type: "item_completed", item } })}\n`,
    );
    return file;
  }

  /** A session in which Codex's shell ran `command`; hooks and rollout tell of it. */
  async function session(
    b: HookBench,
    by: AgentProcess,
    command: string,
    exit: number,
    ran: () => Promise<unknown>,
  ) {
    await b.hook("codex", "SessionStart.startup", { session_id: "s-1" }, { by });
    await ran();
    const transcript_path = rolloutOf(b, command, exit);
    const changes = { session_id: "s-1", transcript_path };
    await b.hook("codex", "PostToolUse", { ...changes, tool_use_id: ID, tool_input: { command } }, { by });
    for (const event of ["Stop", "SessionEnd.other"]) await b.hook("codex", event, changes, { by });
    rmSync(path.dirname(transcript_path), { recursive: true });
  }

  test("A7 what exec ran as the whole of a call is one record, with the call's id; hook and rollout add nothing", async () => {
    const b = bench();
    const codex = agent("codex");
    const ran = () => b.command(["exec", "--", "sh", "-c", "exit 3"], { env, by: codex });
    await session(b, codex, "handoff exec -- sh -c 'exit 3'", 3, ran);
    expect(linesOf(b)).toEqual([[["sh", "-c", "exit 3"], "exec", expect.stringMatching(OWN_ID)]]);
    expect(b.packet("s-1")).toMatchObject({ feedback: { total: 1, nonzero: 1 } });
  });

  test("A7 P14 in a call that does more, every command of exec is a record of its own, and so is the call", async () => {
    const b = bench();
    const codex = agent("codex");
    const exec = `"${process.execPath}" "${cli().main}" exec --`;
    const line = `${exec} sh -c 'exit 3'; ${exec} sh -c 'exit 4'; exit 5`;
    const start = { program: "sh", args: ["-c", line], cwd: b.root, stdin: "" };
    const ran = () =>
      codex.run({ ...start, env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", ...env } });
    await session(b, codex, "make all", 5, ran);
    expect(linesOf(b)).toEqual([
      [["sh", "-c", "exit 3"], "exec", expect.stringMatching(OWN_ID)],
      [["sh", "-c", "exit 4"], "exec", expect.stringMatching(OWN_ID)],
      ["make all", "hook", ID],
    ]);
    expect(b.packet("s-1")).toMatchObject({ feedback: { total: 3, nonzero: 3 } });
  });

  test("A7 what another agent's environment says is none of exec's", async () => {
    const b = bench();
    const claude = agent("claude");
    await b.hook("claude-code", "SessionStart.startup", { session_id: "s-1" }, { by: claude });
    // Claude Code, started by Codex: the outer one's call is not this one.
    const inner = { CODEX_TOOL_CALL_ID: ID, CLAUDE_CODE_SESSION_ID: "s-1" };
    await b.command(["exec", "--", "true"], { env: inner, by: claude });
    expect(linesOf(b)).toEqual([[["true"], "exec", null]]);
  });

  test("A11 the agent is known by its variable where hooks told nothing", async () => {
    const b = bench();
    await b.command(["exec", "--", "true"], { env });
    expect(b.records("s-1")).toMatchObject([{ agent: "codex", command_id: expect.stringMatching(OWN_ID) }]);
  });
});
