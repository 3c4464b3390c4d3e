// The hooks that only record, as the agents call them: the built command line, real payloads, real repositories.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { git, put } from "../cli/testing/sample-workbench.js";
import { feedbackRecordSchema } from "../model/feedback-record-schema.js";
import { loadSnapshot } from "../workbench/load-snapshot.js";
import { payloadOf, useHooks, type HookBench } from "../cli/testing/use-hooks.js";

const { bench } = useHooks();
const S = { session_id: "s-1" };
const SECRET = ["ghp", "0123456789abcdefghijABCDEFGHIJ012345"].join("_");
/** Exit 0, nothing said, nothing to complain about. */
const QUIET = { code: 0, stdout: "", stderr: "" };

/** A rollout of the session `01a2…`, as Codex keeps it, in a folder of its own. */
function rolloutOf(b: HookBench, session: string, text: string): string {
  const folder = path.join(b.root, "..", `${path.basename(b.root)}-codex`);
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `rollout-2026-11-29T13-45-49-${session}.jsonl`);
  writeFileSync(file, text);
  return file;
}

const commandItem = (id: string, exit: number, output: string, command = "npm test"): string =>
  `${JSON.stringify({
    timestamp: "2026-11-29T13:46:00.000Z",
    type: "event_msg",
    payload: {
      type: "item_completed",
      item: {
        type: "CommandExecution",
        id,
        command: ["/bin/bash", "-lc", command],
        cwd: "file:///home/dev/project",
        status: exit === 0 ? "completed" : "failed",
        aggregated_output: output,
        exit_code: exit,
        duration: { secs: 1, nanos: 500_000_000 },
      },
      started_at_ms: 1_795_960_000_000,
      completed_at_ms: 1_795_960_001_500,
    },
  })}\n`;

describe("Claude Code", () => {
  test("A7 a session's commands are in its log, as they were and how they ended; nothing is said", async () => {
    const b = bench();
    for (const fixture of [
      "PostToolUse",
      "PostToolUseFailure",
      "PostToolUseFailure.subagent",
      "PostToolUse.read",
    ])
      expect(await b.hook("claude-code", fixture, S)).toEqual(QUIET);
    const records = b.records("s-1");
    expect(records).toMatchObject([
      { command: "echo fine; echo warn >&2", exit_code: 0, agent_note: "run a good command", cwd: "." },
      { command: "echo hello && exit 3", exit_code: 3, stdout_tail: "hello", duration_ms: 80 },
      { exit_code: 7, subagent: { id: "a8efd486164394e74", type: "general-purpose" } },
    ]);
    for (const record of records) {
      expect(record).toMatchObject({ session_id: "s-1", agent: "claude-code", tool: "Bash", source: "hook" });
      expect(feedbackRecordSchema.safeParse(record).success).toBe(true);
    }
    expect(b.log()).toEqual([]);
    expect(git(b.root, "status", "--porcelain")).toBe("");
  });

  test("A7 an interrupt, a time-out and a denial have no exit status, and say which it was", async () => {
    const b = bench();
    await b.hook("claude-code", "PostToolUseFailure.timed-out", S);
    await b.hook("claude-code", "PostToolUseFailure", {
      ...S,
      tool_use_id: "t1",
      error: "Exit code 137\nhalf",
      is_interrupt: true,
    });
    await b.hook("claude-code", "PostToolUseFailure", {
      ...S,
      tool_use_id: "t2",
      error: "Permission to use Bash has been denied.",
    });
    expect(b.records("s-1")).toMatchObject([
      { exit_code: null, error: "timeout: Command timed out after 1s", stdout_tail: "RES-A" },
      { exit_code: null, error: "interrupted", stdout_tail: "half" },
      { exit_code: null, error: "denied: Permission to use Bash has been denied." },
    ]);
    const { feedback } = await loadSnapshot(b.root, { hookSessionId: "s-1", env: {} });
    expect(feedback).toMatchObject({ total: 3, nonzero: 3 });
  });

  test("A7 a command in the background is a record once its end is told, with all that it said", async () => {
    const b = bench();
    const { tool_use_id, tool_response } = payloadOf("claude-code", "PostToolUse.background", b.root);
    const task = String((tool_response as Record<string, unknown>)["backgroundTaskId"]);
    expect(await b.hook("claude-code", "PostToolUse.background", S)).toEqual(QUIET);
    expect(b.records("s-1")).toEqual([]);
    const output = put(
      b.root,
      `../${path.basename(b.root)}-tasks/s-1/tasks/${task}.output`,
      `started\n${SECRET}\nboom\n\n[exited with code 5]\n`,
    );
    const told = (file: string): string =>
      `<task-notification>\n<tool-use-id>${String(tool_use_id)}</tool-use-id>\n<output-file>${file}</output-file>\n<status>failed</status>\n<summary>Background command "bg" failed with exit code 5</summary>\n</task-notification>`;
    await b.hook("claude-code", "UserPromptSubmit", { ...S, prompt: told(path.resolve(output)) });
    expect(b.records("s-1")).toMatchObject([
      {
        command: "sleep 2; exit 5",
        exit_code: 5,
        command_id: tool_use_id,
        stdout_tail: "started\n[redacted:github-token]\nboom\n",
      },
    ]);
    // Told again, it is nothing new; and nobody's prompt makes a record or a goal of it.
    await b.hook("claude-code", "UserPromptSubmit", { ...S, prompt: told(path.resolve(output)) });
    expect(b.records("s-1")).toHaveLength(1);
    expect(existsSync(path.join(b.sessionFolder("s-1"), "session.json"))).toBe(false);
    rmSync(path.join(b.root, "..", `${path.basename(b.root)}-tasks`), { recursive: true });
  });

  test("A7 an output file that is not the task's own is not read", async () => {
    const b = bench();
    const { tool_use_id } = payloadOf("claude-code", "PostToolUse.background", b.root);
    await b.hook("claude-code", "PostToolUse.background", S);
    const prompt = `<task-notification><tool-use-id>${String(tool_use_id)}</tool-use-id><output-file>${path.join(b.root, "README.md")}</output-file><summary>x failed with exit code 1</summary></task-notification>`;
    await b.hook("claude-code", "UserPromptSubmit", { ...S, prompt });
    expect(b.records("s-1")).toMatchObject([{ exit_code: 1 }]);
    expect(JSON.stringify(b.records("s-1"))).not.toContain("a project");
  });

  test("A7 a command that somebody stopped in the background failed nothing", async () => {
    const b = bench();
    const { tool_use_id } = payloadOf("claude-code", "PostToolUse.timed-out", b.root);
    await b.hook("claude-code", "PostToolUse.timed-out", S);
    const prompt = `<task-notification><tool-use-id>${String(tool_use_id)}</tool-use-id><status>killed</status><summary>Background command "x" was stopped</summary></task-notification>`;
    expect(await b.hook("claude-code", "UserPromptSubmit", { ...S, prompt })).toEqual(QUIET);
    expect(b.records("s-1")).toEqual([]);
  });

  test("A8 edits are touched files, named from the root; those that failed are none", async () => {
    const b = bench();
    for (const fixture of [
      "PostToolUse.write",
      "PostToolUse.edit",
      "PostToolUse.notebook",
      "PostToolUseFailure.write",
    ])
      expect(await b.hook("claude-code", fixture, S)).toEqual(QUIET);
    expect(b.edits("s-1")).toMatchObject([
      {
        path: "a.txt",
        tool: "Write",
        at: expect.stringMatching(/Z$/u),
        command_id: expect.stringMatching(/^toolu_/u),
      },
      { path: "a.txt", tool: "Edit" },
      { path: "sub/n.ipynb", tool: "NotebookEdit" },
    ]);
    expect(b.records("s-1")).toEqual([]);
  });

  test("A8 the first prompt is the goal: bounded, without secrets; later ones change nothing", async () => {
    const b = bench();
    await b.hook("claude-code", "UserPromptSubmit", { ...S, prompt: "/clear" });
    await b.hook("claude-code", "UserPromptSubmit", { ...S, prompt: "  " });
    expect(existsSync(path.join(b.sessionFolder("s-1"), "session.json"))).toBe(false);
    const prompt = `Make \u001b[31msign-up\u001b[0m work with ${SECRET}\nand ${"x".repeat(5000)}`;
    expect(await b.hook("claude-code", "UserPromptSubmit", { ...S, prompt })).toEqual(QUIET);
    await b.hook("claude-code", "UserPromptSubmit", { ...S, prompt: "something else" });
    const goal = String(b.session("s-1")["goal"]);
    expect(goal.startsWith("Make sign-up work with [redacted:github-token]\nand xxx")).toBe(true);
    expect(goal).toHaveLength(2000);
    expect(b.session("s-1")).toMatchObject({ agent: "claude-code", session_id: "s-1" });
  });

  test("A8 a prompt that begins with a path is a goal", async () => {
    const b = bench();
    await b.hook("claude-code", "UserPromptSubmit", { ...S, prompt: "/src/a.ts throws, mend it" });
    expect(b.session("s-1")["goal"]).toBe("/src/a.ts throws, mend it");
  });

  test("A7 the project's own redaction rules count, and a broken one leaves ours", async () => {
    const b = bench();
    const stdout = `ticket ACME-12345 and ${SECRET}`;
    const response = { tool_response: { stdout, stderr: "" } };
    put(b.root, "handoff.config.json", { redaction: { patterns: { ticket: "ACME-[0-9]+" } } });
    await b.hook("claude-code", "PostToolUse", { ...S, ...response });
    put(b.root, "handoff.config.json", { redaction: { patterns: { ticket: "(" } } });
    await b.hook("claude-code", "PostToolUse", { ...S, ...response });
    expect(b.records("s-1").map((record) => record["stdout_tail"])).toEqual([
      "ticket [redacted:ticket] and [redacted:github-token]",
      "ticket ACME-12345 and [redacted:github-token]",
    ]);
    expect(b.log()).toHaveLength(1);
  });

  test("A7 secrets of the agent's environment do not reach the log", async () => {
    const b = bench();
    const value = "Zm9vYmFyYmF6cXV4MTIz";
    const response = { tool_response: { stdout: `key=${value}`, stderr: "" } };
    await b.hook("claude-code", "PostToolUse", { ...S, ...response }, { env: { DEPLOY_TOKEN: value } });
    expect(JSON.stringify(b.records("s-1"))).not.toContain(value);
  });
});

describe("Codex", () => {
  const session_id = "01a2278e-098f-76f0-9cf8-724a6deb5e67";
  const id = "call_d074203ff8d646ebb74549bc";

  test("A7 the exit status comes from the rollout, where it stands when the hook is called", async () => {
    const b = bench();
    const transcript_path = rolloutOf(
      b,
      session_id,
      commandItem("call_0", 0, "") + commandItem(id, 3, "hello\nerr\n"),
    );
    expect(await b.hook("codex", "PostToolUse", { transcript_path })).toEqual(QUIET);
    expect(b.records(session_id)).toMatchObject([
      {
        command: "echo hello; echo err >&2; exit 3",
        exit_code: 3,
        stdout_tail: "hello\nerr\n",
        duration_ms: 1500,
        started_at: "2026-11-29T13:46:40.000Z",
        command_id: id,
        agent: "codex",
        source: "hook",
        cwd: ".",
      },
    ]);
    rmSync(path.dirname(transcript_path), { recursive: true });
  });

  test("A7 what the rollout does not tell yet is filled in when the turn ends, once", async () => {
    const b = bench();
    const transcript_path = rolloutOf(b, session_id, commandItem("call_0", 0, ""));
    await b.hook("codex", "PostToolUse", { transcript_path });
    expect(b.records(session_id)).toEqual([]);
    rolloutOf(
      b,
      session_id,
      commandItem("call_0", 0, "") + commandItem(id, 3, "hello\nerr\n", "echo hello; echo err >&2; exit 3"),
    );
    for (const _ of [1, 2]) expect(await b.hook("codex", "Stop", { transcript_path })).toEqual(QUIET);
    const records = b.records(session_id).filter(({ command_id }) => command_id === id);
    expect(records).toMatchObject([{ exit_code: 3, source: "transcript" }]);
    rmSync(path.dirname(transcript_path), { recursive: true });
  });

  test("A7 a subagent's command is found in the subagent's own rollout, and is marked", async () => {
    const b = bench();
    const own = "call_acb7ca9dbb4049adb6578282";
    const transcript_path = rolloutOf(
      b,
      "01a2279b-0224-71d2-90c3-c19246b19f28",
      commandItem(own, 9, "CHILD-OUT\n"),
    );
    await b.hook("codex", "PostToolUse.subagent", { transcript_path });
    expect(b.records("01a2279b-005e-7aa1-8b5a-57037d0b6152")).toMatchObject([
      { exit_code: 9, subagent: { id: "01a2279b-0224-71d2-90c3-c19246b19f28", type: "default" } },
    ]);
    rmSync(path.dirname(transcript_path), { recursive: true });
  });

  test("A8 a patch's files are touched; a command elsewhere is still this project's", async () => {
    const b = bench();
    await b.hook("codex", "PostToolUse.patch", S);
    await b.hook("codex", "PostToolUse.patch-move", S);
    expect(b.edits("s-1").map((edit) => edit["path"])).toEqual([
      "cx.txt",
      "sub/with space.txt",
      "cx.txt",
      "cy.txt",
      "sub/with space.txt",
    ]);
    const { tool_use_id } = payloadOf("codex", "PostToolUse.workdir", b.root);
    const transcript_path = rolloutOf(b, "s-1", commandItem(String(tool_use_id), 0, "par\n"));
    await b.hook("codex", "PostToolUse.workdir", { ...S, transcript_path });
    expect(b.records("s-1")).toMatchObject([{ command: "echo par; sleep 1", cwd: "/tmp" }]);
    rmSync(path.dirname(transcript_path), { recursive: true });
  });
});

describe("side by side", () => {
  test("A7 50 hooks, always ten at once: each line whole, none lost", async () => {
    const b = bench();
    const stdout = "x".repeat(3000);
    const left = Array.from({ length: 50 }, (_, i) => `t-${i}`);
    // More at once, and on a busy machine none of them has enough of it to be done within its time.
    const lane = async (): Promise<void> => {
      for (let id = left.shift(); id !== undefined; id = left.shift()) {
        const changes = { ...S, tool_use_id: id, tool_response: { stdout, stderr: "" } };
        expect(await b.hook("claude-code", "PostToolUse", changes)).toEqual(QUIET);
      }
    };
    await Promise.all(Array.from({ length: 10 }, lane));
    const ids = b.records("s-1").map((record) => record["command_id"]);
    expect(new Set(ids).size).toBe(50);
    expect(ids).toHaveLength(50);
  });

  test("A6 one hooks file for all agents: the payload says whose it is", async () => {
    const b = bench();
    const transcript_path = rolloutOf(b, "s-cx", commandItem("call_d074203ff8d646ebb74549bc", 3, "hello\n"));
    const call = (payload: unknown) => b.call(["auto", "PostToolUse"], { stdin: JSON.stringify(payload) });
    await call({ ...payloadOf("codex", "PostToolUse", b.root), session_id: "s-cx", transcript_path });
    await call({ ...payloadOf("claude-code", "PostToolUse", b.root), session_id: "s-cc" });
    expect(b.records("s-cx")).toMatchObject([{ agent: "codex", exit_code: 3 }]);
    expect(b.records("s-cc")).toMatchObject([{ agent: "claude-code", exit_code: 0 }]);
    rmSync(path.dirname(transcript_path), { recursive: true });
  });

  test("A8 a session's folder is that of the workbench above the folder it works in", async () => {
    const b = bench();
    const folder = path.join(b.root, "packages/deep");
    mkdirSync(folder, { recursive: true });
    const payload = { ...payloadOf("claude-code", "PostToolUse", b.root), ...S, cwd: folder };
    await b.call(["claude-code", "PostToolUse"], { stdin: JSON.stringify(payload), cwd: folder });
    expect(b.records("s-1")).toMatchObject([{ cwd: "packages/deep" }]);
  });

  test("A6 in the home folder itself nothing is recorded and nothing is written", async () => {
    const home = realpathSync(mkdtempSync(path.join(tmpdir(), "handoff-home-")));
    const b = bench(home);
    git(home, "init", "--quiet");
    const start = { env: { HOME: home } };
    expect(await b.hook("claude-code", "PostToolUse", S, start)).toEqual(QUIET);
    expect(await b.hook("claude-code", "SessionStart.startup", S, start)).toEqual(QUIET);
    expect(await b.call(["claude-code", "PostToolUse"], { stdin: "{", ...start })).toEqual(QUIET);
    expect(existsSync(path.join(home, ".handoff"))).toBe(false);
    // A project below it is one.
    const project = path.join(home, "project");
    mkdirSync(project);
    git(project, "init", "--quiet");
    const payload = { ...payloadOf("claude-code", "PostToolUse", project), ...S };
    await b.call(["claude-code", "PostToolUse"], { stdin: JSON.stringify(payload), cwd: project, ...start });
    expect(readFileSync(path.join(project, ".handoff/sessions/s-1/feedback.jsonl"), "utf8")).toContain(
      "fine",
    );
  });
});
