import { describe, expect, it } from "vitest";
import { fixtureFile, readSession } from "../../../fixtures/transcripts/tell-items.js";
import { createCodexReader } from "./read-transcript.js";

const P = "/home/dev/project";

/** Each situation and everything it tells, in order. */
const SITUATIONS: Readonly<Record<string, readonly string[]>> = {
  "failing-and-passing": [
    "prompt please fix the limiter",
    "3 echo hello; echo oops >&2; exit 3",
    "0 echo fine; echo warn >&2",
    "0 seq 1 20000",
    `edit apply_patch ${P}/a.txt`,
    `edit apply_patch ${P}/a.txt ${P}/README.md ${P}/sub/b.txt`,
    // By the shell, which Codex takes over: an edit, and no command.
    `edit apply_patch ${P}/viashell.txt`,
    "127 nosuchcommand --x",
  ],
  "code-mode": [
    "prompt codemode",
    "4 echo CM-OUT; exit 4",
    "5 echo p2; exit 5",
    "0 echo p1; sleep 0.3",
    `edit apply_patch ${P}/c.txt`,
  ],
  // Two more went on and were stopped with the session, which says nothing about them; unknown tools ran nothing.
  "outlived-its-call": ["prompt timeouts", "0 echo other", "137 kill -9 $$"],
  "ended-in-the-background": [
    "prompt stdin",
    "6 echo started; sleep 2; echo ended; exit 6",
    "0 sleep 3; echo waited",
  ],
  // Only the answer to its call tells of it.
  "read-only-sandbox": ["prompt denied", "1 touch /tmp/elsewhere/zzz"],
  rejected: [
    "prompt rejected",
    "- touch /tmp/elsewhere/zzz (denied: approval policy is Never; reject command — you cannot ask for escalated permissions if the approval policy is Never)",
    "4 ls /tmp/elsewhere | head -1; exit 4",
    "1 cat /nonexistent",
  ],
  "interrupted-and-resumed": [
    "prompt interrupt me",
    "- echo begun; sleep 30; echo end (interrupted)",
    "prompt go on after",
  ],
  killed: [
    "prompt kill me",
    "2 echo first; exit 2",
    "- echo begun; sleep 30; echo end (no result in the transcript: it may have been running when the session stopped)",
  ],
  "compacted-and-resumed": [
    "prompt first",
    "1 echo one; exit 1",
    "0 echo fill",
    "prompt second",
    "8 echo after-compact; exit 8",
  ],
  "overflow-at-the-end": ["prompt first", "1 echo one; exit 1"],
};

const row = (type: string, payload: unknown, timestamp = "2026-05-20T10:00:03.000Z"): string =>
  JSON.stringify({ timestamp, type, payload });

describe("Codex's rollout", () => {
  it.each(Object.entries(SITUATIONS))("A12 tells what happened: %s", async (situation, expected) => {
    expect((await readSession("codex", fixtureFile("codex", situation))).told).toEqual(expected);
  });

  it("A12 a subagent's rollout is read with its session's, or by itself", async () => {
    const main = fixtureFile("codex", "subagent", "8668");
    const both = await readSession("codex", main);
    expect(both.told).toEqual([
      "prompt start-sub",
      "4 echo sub-out; exit 4 @default",
      `edit apply_patch ${P}/sub.txt @default`,
      "0 sleep 3; echo main-after",
    ]);
    expect([both.stream.context(), both.stream.facts().last_message]).toEqual([
      { used_tokens: 5300, window: 258_400 },
      "main done",
    ]);
    const alone = await readSession("codex", fixtureFile("codex", "subagent", "86dd"));
    expect(alone.told).toEqual(["4 echo sub-out; exit 4 @default", `edit apply_patch ${P}/sub.txt @default`]);
    expect([alone.stream.context(), alone.stream.facts().session_id, alone.stream.facts().goal]).toEqual([
      null,
      "01a228e4-8668-7070-aa1d-3427ef947188",
      null,
    ]);
  });

  it("A12 a forked session tells its own work only", async () => {
    const forked = await readSession("codex", fixtureFile("codex", "resumed-and-forked", "ccf7"));
    expect(forked.told).toEqual(["prompt forked", "3 echo three; exit 3"]);
    const resumed = await readSession("codex", fixtureFile("codex", "resumed-and-forked", "cb2a"));
    expect(resumed.told).toEqual(["prompt first", "1 echo one; exit 1", "0 echo two", "prompt second"]);
  });

  it("A12 a command has everything a record needs", async () => {
    const { items } = await readSession("codex", fixtureFile("codex", "ended-in-the-background"));
    expect(items[1]).toEqual({
      kind: "command",
      at: "2026-11-29T20:00:23.992Z",
      command: {
        command: "echo started; sleep 2; echo ended; exit 6",
        exit_code: 6,
        error: null,
        stdout: "started\nended\n",
        stderr: "",
        duration_ms: 1852,
        started_at: "2026-11-29T20:00:22.139Z",
        tool: "Bash",
        command_id: "call_3fd062bed5f74f37a75a8015",
        cwd: P,
        subagent: null,
        agent_note: null,
      },
    });
  });

  it("A12 the facts of the session", async () => {
    const { stream } = await readSession("codex", fixtureFile("codex", "failing-and-passing"));
    expect(stream.facts()).toEqual({
      session_id: "01a228e3-664d-7782-a817-2f3168431f40",
      cwd: P,
      model: "gpt-5.5",
      branch: "main",
      base_commit: "2b39d7644cc95946eeabbd6530510126f5990151",
      started_at: "2026-11-29T19:58:41.241Z",
      goal: "please fix the limiter",
      last_message: "All done.",
    });
  });

  it.each([
    ["failing-and-passing", 1500, 258_400],
    // 90,000 before the compaction; the window was configured as 100,000.
    ["compacted-and-resumed", 4100, 95_000],
    // Codex's own word for full.
    ["overflow-at-the-end", 257_380, 258_400],
  ])("A12 reads the context and its window: %s", async (situation, used_tokens, window) => {
    const { stream } = await readSession("codex", fixtureFile("codex", situation));
    expect(stream.context()).toEqual({ used_tokens, window });
  });

  it("A12 the context is known while a turn goes on", () => {
    const reader = createCodexReader();
    reader.push(row("event_msg", { type: "task_started", model_context_window: 258_400 }));
    expect(reader.context()).toBeNull();
    const usage = { input_tokens: 1000, cached_input_tokens: 500, output_tokens: 20, total_tokens: 1020 };
    reader.push(row("token_usage_record", { usage }));
    expect(reader.context()).toEqual({ used_tokens: 1000, window: 258_400 });
    // Right after a compaction there is an estimate of the whole, and nothing else.
    const last_token_usage = { input_tokens: 0, total_tokens: 6854 };
    reader.push(
      row("event_msg", { type: "token_count", info: { last_token_usage, model_context_window: 95_000 } }),
    );
    expect(reader.context()).toEqual({ used_tokens: 6854, window: 95_000 });
  });

  it("A12 earlier versions tell the same in events of their own, or in the answers alone", () => {
    const reader = createCodexReader();
    const items = [
      row("session_meta", { id: "s-1", cwd: "/home/dev/project", timestamp: "2026-05-20T10:00:00.000Z" }),
      row("event_msg", { type: "user_message", message: "old prompt" }),
      row("response_item", {
        type: "function_call",
        name: "shell",
        call_id: "c1",
        arguments: JSON.stringify({ command: ["bash", "-lc", "npm test"], workdir: "/home/dev/project/a" }),
      }),
      row("response_item", {
        type: "function_call_output",
        call_id: "c1",
        output: JSON.stringify({ output: "1 failing", metadata: { exit_code: 1, duration_seconds: 0.2 } }),
      }),
      row("event_msg", {
        type: "exec_command_end",
        call_id: "c2",
        command: ["/bin/zsh", "-lc", "cat docs/a.md"],
        cwd: "/home/dev/project",
        aggregated_output: "cat: no such file\n",
        exit_code: 1,
        status: "failed",
        duration: { secs: 1, nanos: 5_000_000 },
      }),
      row("event_msg", {
        type: "patch_apply_end",
        call_id: "c3",
        success: true,
        changes: { "src/a.ts": { type: "update", move_path: "src/b.ts" } },
      }),
      row("event_msg", {
        type: "patch_apply_end",
        call_id: "c4",
        success: false,
        changes: { "src/c.ts": {} },
      }),
      row("event_msg", { type: "agent_message", message: "old words" }),
    ].flatMap((line) => reader.push(line));
    expect(items).toMatchObject([
      { kind: "prompt", prompt: "old prompt" },
      {
        command: {
          command: "npm test",
          exit_code: 1,
          stdout: "1 failing",
          cwd: "/home/dev/project/a",
          duration_ms: 0,
        },
      },
      {
        command: {
          command: "cat docs/a.md",
          exit_code: 1,
          command_id: "c2",
          started_at: "2026-05-20T10:00:01.995Z",
          duration_ms: 1005,
        },
      },
      { edit: { paths: ["src/a.ts", "src/b.ts"], command_id: "c3" } },
    ]);
    expect(items).toHaveLength(4);
    expect(reader.facts()).toMatchObject({
      session_id: "s-1",
      last_message: "old words",
      goal: "old prompt",
    });
  });

  it("A12 a command is told once, whatever comes first: its item or the answer to its call", () => {
    const call = row("response_item", {
      type: "function_call",
      name: "exec_command",
      call_id: "c1",
      arguments: '{"cmd":"npm test"}',
    });
    const answer = row("response_item", {
      type: "function_call_output",
      call_id: "c1",
      output: "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 4\nOutput:\nbad\n",
    });
    const item = row("event_msg", {
      type: "item_completed",
      item: { type: "CommandExecution", id: "c1", command: ["/bin/bash", "-lc", "npm test"], exit_code: 4 },
    });
    for (const order of [
      [call, item, answer],
      [call, answer, item],
      [item, answer],
    ]) {
      const reader = createCodexReader();
      const told = order.flatMap((line) => reader.push(line));
      expect(told).toMatchObject([{ command: { command: "npm test", exit_code: 4, command_id: "c1" } }]);
      expect([told.length, reader.end()]).toEqual([1, []]);
    }
  });
});
