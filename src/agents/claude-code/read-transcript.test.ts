import { describe, expect, it } from "vitest";
import { fixtureFile, readSession } from "../../../fixtures/transcripts/tell-items.js";
import type { TranscriptItem } from "../transcript.js";
import { createClaudeReader } from "./read-transcript.js";

const P = "/home/dev/project";
const told = async (situation: string, part?: string) =>
  (await readSession("claude-code", fixtureFile("claude-code", situation, part))).told;

/** Each situation and everything it tells, in order. */
const SITUATIONS: Readonly<Record<string, readonly string[]>> = {
  "failing-and-passing": [
    "prompt please fix the limiter",
    "3 echo hello; echo oops >&2; exit 3",
    "0 seq 1 200",
    "0 echo fine; echo warn >&2",
    `edit Write ${P}/a.txt`,
    `edit Edit ${P}/a.txt`,
  ],
  "exits-that-mean-no": [
    "prompt quiet",
    "1 grep zzz README.md (No matches found)",
    "1 diff README.md /dev/null (Files differ)",
    "1 test -f nope (Condition is false)",
    "1 false",
    "2 grep x /nonexistent",
    String.raw`0 printf "Exit code 3\nhi\n"`,
    "1 cat big | grep zz; find . -name zz; [ 1 = 2 ] (Condition is false)",
    String.raw`2 printf "out\r\nx"; printf "\033[31mred\033[0m" >&2; exit 2`,
    "3 exit 3",
    "0 echo second",
    `edit Write ${P}/p.txt`,
  ],
  "time-limit": [
    "prompt timeouts",
    "7 curl -s http://127.0.0.1:1/ | head -1; (exit 7)",
    "5 echo bg; sleep 1; echo bg-end; exit 5",
    "0 sleep 2; echo waited",
    "1 kill -9 $$",
    "127 nosuchcommand --x",
    "0 seq 1 20000",
    "9 seq 1 20000; exit 9",
    "0 echo started; sleep 20",
  ],
  // `sleep 60` was stopped with the session, which says nothing about it.
  background: ["prompt bg", "5 cat < /dev/null; exit 5", "0 sleep 1.5; echo waited"],
  "interrupted-and-resumed": [
    "prompt interrupt me",
    "- echo begun; sleep 30; echo end (interrupted, or rejected before it ran)",
    "prompt go on after the interrupt",
  ],
  "rejected-at-the-terminal": [
    "prompt reject job",
    "- touch /tmp/elsewhere/never (denied: rejected before it ran)",
    "prompt last words",
  ],
  // The person's own `!echo mine` is none of the agent's commands, and the summary is nobody's prompt.
  "at-the-terminal": [
    "prompt fails then go",
    "3 echo f; exit 3",
    "prompt long job please",
    "- echo begun; sleep 30; echo end (interrupted, or rejected before it ran)",
    "prompt last words",
  ],
  killed: [
    "prompt kill me",
    "2 echo first; exit 2",
    "- echo begun; sleep 30; echo end (no result in the transcript: it may have been running when the session stopped)",
  ],
  subagent: [
    "prompt start-sub",
    "4 echo sub-out; exit 4 @general-purpose",
    `edit Write ${P}/sub.txt @general-purpose`,
    "0 echo main-after",
  ],
  "parallel-subagents": [
    "prompt start-sub",
    "0 echo b-out1 @Explore",
    "4 echo a-out; exit 4 @general-purpose",
    "0 echo beside",
    "6 echo b-out2; exit 6 @Explore",
  ],
  "compacted-by-hand": [
    "prompt first",
    "1 echo one; exit 1",
    "prompt second",
    "8 echo after-compact; exit 8",
  ],
  "compacted-by-overflow": ["prompt first", "1 echo one; exit 1", "0 seq 1 3000", "8 echo after-x; exit 8"],
  "overflow-at-the-end": ["prompt first", "1 echo one; exit 1"],
  notebook: [
    "prompt notebook",
    `edit Write ${P}/n.ipynb`,
    `edit NotebookEdit ${P}/n.ipynb`,
    "edit Edit rel.txt",
  ],
};

describe("Claude Code's transcript", () => {
  it.each(Object.entries(SITUATIONS))("A12 tells what happened: %s", async (situation, expected) => {
    expect(await told(situation)).toEqual(expected);
  });

  it("A12 a refused command has no exit, and says why", async () => {
    const [, refused] = await told("denied");
    expect(refused).toMatch(/^- rm -rf \/tmp\/elsewhere\/zzz \(denied: rm in .* needs approval/u);
    expect(await told("denied")).toHaveLength(2);
  });

  it("A12 what a forked session copied is the other one's work, a resumed one goes on in its file", async () => {
    const forked = await readSession("claude-code", fixtureFile("claude-code", "resumed-and-forked", "bb52"));
    expect(forked.told).toEqual(["prompt forked", "3 echo three; exit 3"]);
    expect(forked.stream.facts()).toMatchObject({
      session_id: "bb52af92-11ff-4afb-9b62-edde9b6586dc",
      goal: "forked",
      started_at: "2026-11-29T19:54:09.338Z",
      last_message: "ok",
    });
    expect(await told("resumed-and-forked", "d4a7")).toEqual([
      "prompt first",
      "1 echo one; exit 1",
      "prompt second",
      "0 echo two",
    ]);
  });

  it("A12 slash commands are prompts when the agent got them, and nothing when the program answered", async () => {
    expect(await told("slash-commands", "666b")).toEqual([
      "prompt /mycmd alpha beta",
      "prompt long job please",
      "- echo begun; sleep 30; echo end (interrupted, or rejected before it ran)",
      "prompt steer this way",
    ]);
    expect(await told("slash-commands", "b8f6")).toEqual(["prompt anew"]);
  });

  it("A12 a command has everything a record needs", async () => {
    const { items } = await readSession("claude-code", fixtureFile("claude-code", "failing-and-passing"));
    expect(items[1]).toEqual({
      kind: "command",
      at: "2026-11-29T19:53:36.350Z",
      command: {
        command: "echo hello; echo oops >&2; exit 3",
        exit_code: 3,
        error: null,
        stdout: "hello\noops",
        stderr: "",
        duration_ms: 40,
        started_at: "2026-11-29T19:53:36.310Z",
        tool: "Bash",
        command_id: "toolu_d8f27211635b4513973570b0",
        cwd: P,
        subagent: null,
        agent_note: "run echo hello; echo oop",
      },
    });
    const { items: branched } = await readSession(
      "claude-code",
      fixtureFile("claude-code", "exits-that-mean-no"),
    );
    const [, , differ] = branched;
    expect(differ).toMatchObject({ command: { stdout: "1d0\n< hi", duration_ms: 16 } });
  });

  it("A12 output that Claude Code left out is counted", async () => {
    const { items } = await readSession("claude-code", fixtureFile("claude-code", "time-limit"));
    const long = items.find((item) => item.kind === "command" && item.command.command === "seq 1 20000");
    expect(long).toMatchObject({ command: { stdout_cut: 108_894 - 300 } });
  });

  it("A12 the facts of the session", async () => {
    const { stream } = await readSession("claude-code", fixtureFile("claude-code", "failing-and-passing"));
    expect(stream.facts()).toEqual({
      session_id: "480b4205-6266-4960-b4a8-e96e9f568cc6",
      cwd: P,
      model: "claude-sonnet-4-5-20250929",
      branch: "main",
      base_commit: "971577c",
      started_at: "2026-11-29T19:53:36.209Z",
      goal: "please fix the limiter",
      last_message: "All done.",
    });
  });

  it.each([
    // Input 10, read from the cache 1,400, written to it 50: the last message's, not a sum over its rows.
    ["failing-and-passing", 1460],
    // 150,000 before; then what the newest message sent.
    ["compacted-by-overflow", 950],
    // The subagents' messages have 300 to 320.
    ["parallel-subagents", 5300],
    // The message about the overflow is the program's own, and counts nothing.
    ["overflow-at-the-end", 3000],
  ])("A12 reads the context of the main thread: %s", async (situation, used_tokens) => {
    const { stream } = await readSession("claude-code", fixtureFile("claude-code", situation));
    expect(stream.context()).toEqual({ used_tokens, window: null });
  });

  it("A12 what the program says itself is nobody's last word", async () => {
    const { stream } = await readSession("claude-code", fixtureFile("claude-code", "overflow-at-the-end"));
    expect(stream.facts()).toMatchObject({ last_message: null, model: "claude-sonnet-4-5-20250929" });
  });

  it("A12 after a compaction the context is what is left of it", () => {
    const reader = createClaudeReader();
    const usage = { input_tokens: 150_000, cache_read_input_tokens: 5000, cache_creation_input_tokens: 1000 };
    reader.push(JSON.stringify({ type: "assistant", message: { id: "m", model: "x", content: [], usage } }));
    expect(reader.context()).toEqual({ used_tokens: 156_000, window: null });
    const compactMetadata = { trigger: "auto", preTokens: 153_515, postTokens: 6179 };
    reader.push(JSON.stringify({ type: "system", subtype: "compact_boundary", compactMetadata }));
    expect(reader.context()).toEqual({ used_tokens: 6179, window: null });
  });

  it("A12 sidechain rows in the main file are a subagent's, and read no context", () => {
    const reader = createClaudeReader();
    const row = { isSidechain: true, agentId: "a1", attributionAgent: "Explore", sessionId: "s" };
    const use = { type: "tool_use", id: "t1", name: "Bash", input: { command: "npm test" } };
    const usage = { input_tokens: 7 };
    reader.push(
      JSON.stringify({ ...row, type: "assistant", message: { id: "m", model: "x", content: [use], usage } }),
    );
    const result = { type: "tool_result", tool_use_id: "t1", content: "Exit code 1", is_error: true };
    const items = reader.push(JSON.stringify({ ...row, type: "user", message: { content: [result] } }));
    expect(items).toMatchObject([{ command: { exit_code: 1, subagent: { id: "a1", type: "Explore" } } }]);
    expect([reader.context(), reader.facts().last_message, reader.facts().model]).toEqual([null, null, null]);
  });

  it("A12 a subagent's rows have no result of their own: the text tells", () => {
    const reader = createClaudeReader({ id: "a1", type: "Explore" });
    const items: TranscriptItem[] = [];
    const call = (id: string, content: unknown, is_error = false): void => {
      const use = { type: "tool_use", id, name: "Bash", input: { command: id } };
      reader.push(JSON.stringify({ type: "assistant", message: { id: "m", content: [use] } }));
      const result = { type: "tool_result", tool_use_id: id, content, is_error };
      items.push(...reader.push(JSON.stringify({ type: "user", message: { content: [result] } })));
    };
    call("silent", "(Bash completed with no output)");
    call("blocks", [{ type: "text", text: "one" }, { type: "image" }, { type: "text", text: "two" }]);
    call("later", "Command running in background with ID: bjm. Output is being written to: /tmp/x.output.");
    call("cut", "<tool_use_error>Cancelled: parallel tool call failed</tool_use_error>", true);
    expect(
      items.map((item) => item.kind === "command" && [item.command.stdout, item.command.exit_code]),
    ).toEqual([
      ["", 0],
      ["one\ntwo", 0],
      ["", null],
    ]);
    expect(reader.end()).toMatchObject([
      { command: { command: "later", exit_code: null, awaits: { from: "background", task_id: "bjm" } } },
    ]);
  });

  it("A12 a call without a result is lost as soon as the agent goes on", () => {
    const reader = createClaudeReader();
    const use = { type: "tool_use", id: "t1", name: "Bash", input: { command: "deploy" } };
    const row = (id: string, content: unknown) =>
      JSON.stringify({ type: "assistant", message: { id, content } });
    expect(reader.push(row("m1", [use]))).toEqual([]);
    // Another block of the same message.
    expect(reader.push(row("m1", [{ type: "text", text: "…" }]))).toEqual([]);
    expect(reader.push(row("m2", [{ type: "text", text: "again" }]))).toMatchObject([
      {
        command: {
          command: "deploy",
          exit_code: null,
          error: "no result in the transcript: it may have been running when the session stopped",
        },
      },
    ]);
    expect(reader.end()).toEqual([]);
  });
});
