import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { claudeDriver } from "./claude-code/drive.js";
import { codexDriver } from "./codex/drive.js";
import { commandDriver } from "./command/drive.js";
import type { AgentDriver, AgentSignal, TurnRequest } from "./driver.js";
import { DRIVERS, driverOf } from "./drivers.js";

const NEW = "11111111-2222-4333-8444-555555555555";
const request = (extra: Partial<TurnRequest> = {}): TurnRequest => ({
  bin: null,
  args: [],
  prompt: "do it",
  resume: null,
  newSession: NEW,
  compact: "no_summary",
  writing: false,
  ...extra,
});

/** All that a recorded stream tells (Claude Code 2.1.332, Codex 0.171.0). */
function signalsOf(driver: AgentDriver, file: string, code = 0): AgentSignal[] {
  const reader = driver.createReader(request());
  const lines = readFileSync(`fixtures/streams/${driver.name}/${file}.jsonl`, "utf8").split("\n");
  return [...lines.flatMap((line) => reader.stdout(line)), ...reader.end({ code, signal: null, cut: false })];
}
const ofKind = <K extends AgentSignal["kind"]>(signals: readonly AgentSignal[], kind: K) =>
  signals.filter((one): one is Extract<AgentSignal, { kind: K }> => one.kind === kind);
const resultOf = (signals: readonly AgentSignal[]) => ofKind(signals, "result").at(-1);

describe("Claude Code's stream", () => {
  test("R29 commands with exit codes and call ids, edits, the session, no line unknown", () => {
    const signals = signalsOf(claudeDriver, "cc-run1");
    expect(ofKind(signals, "command").map(({ command }) => [command.command, command.exit_code])).toEqual([
      ["echo hello && exit 3", 3],
      ["echo fine; echo warn >&2", 0],
    ]);
    expect(ofKind(signals, "command")[0]?.command.command_id).toBe("toolu_30cb52f90797468b83f2edb7");
    expect(ofKind(signals, "edit").map(({ edit }) => edit.paths)).toEqual([["/home/dev/project/a.txt"]]);
    expect(ofKind(signals, "session")[0]).toMatchObject({
      session_id: "d934b546-4065-4b8b-9fd0-45a442ac06c4",
      model: "claude-opus-5-5",
    });
    expect(resultOf(signals)).toMatchObject({ outcome: "done", text: "Done with TASK ONE.", error: null });
    expect(ofKind(signals, "window").at(-1)?.window).toBe(1_000_000);
    expect(ofKind(signals, "unknown")).toEqual([]);
    expect(ofKind(signals, "torn")).toEqual([]);
  });

  test("R5 a reading is the input side of the main thread's newest message; told when its calls are answered", () => {
    const signals = signalsOf(claudeDriver, "cc-run1");
    expect(ofKind(signals, "reading").map(({ used_tokens }) => used_tokens)).toEqual([
      1200, 2500, 1700, 3477,
    ]);
    expect(ofKind(signals, "reading").map(({ final }) => final)).toEqual([false, false, false, true]);
    const calls = signals.flatMap(({ kind }) => (kind === "reading" || kind === "command" ? [kind] : []));
    expect(calls).toEqual(["command", "reading", "command", "reading", "reading", "reading"]);
  });

  test("R5 a subagent's messages give no reading, its commands are marked", () => {
    const signals = signalsOf(claudeDriver, "sub");
    expect(ofKind(signals, "reading").map(({ used_tokens }) => used_tokens)).toEqual([3000, 4000]);
    expect(ofKind(signals, "command")).toHaveLength(1);
    expect(ofKind(signals, "command")[0]?.command).toMatchObject({
      exit_code: 7,
      subagent: { id: "a8efd486164394e74" },
    });
  });

  test("R13 an overflow on the first turn calls itself a success and is none", () => {
    const result = resultOf(signalsOf(claudeDriver, "err-OVERFLOW", 1));
    expect(result).toMatchObject({ outcome: "failed", error: { overflow: true, status: 400 } });
  });

  test("R13 near the limit with compaction off the session is blocked, which is an overflow", () => {
    const signals = signalsOf(claudeDriver, "fill-noauto", 1);
    expect(resultOf(signals)).toMatchObject({ outcome: "failed", error: { overflow: true, status: null } });
    expect(ofKind(signals, "reading").at(-1)?.used_tokens).toBe(196_000);
    expect(ofKind(signals, "window").at(-1)?.window).toBe(200_000);
  });

  test("R8 its own compaction is told", () => {
    const signals = signalsOf(claudeDriver, "midoverflow");
    expect(ofKind(signals, "compacted")).toHaveLength(1);
    expect(resultOf(signals)).toMatchObject({ outcome: "done", text: "after all" });
  });

  test("R14 an interrupted turn is no failure", () => {
    const reader = claudeDriver.createReader(request());
    const row = { type: "result", is_error: true, terminal_reason: "aborted_tools", session_id: NEW };
    expect(resultOf(reader.stdout(JSON.stringify(row)))).toMatchObject({
      outcome: "interrupted",
      error: null,
    });
  });

  test("R4 the answer to the control request names the window", () => {
    const reader = claudeDriver.createReader(request());
    const row = {
      type: "control_response",
      response: { subtype: "success", request_id: "handoff-window", response: { maxTokens: 200_000 } },
    };
    expect(reader.stdout(JSON.stringify(row))).toEqual([{ kind: "window", window: 200_000 }]);
  });

  test("R28 the prompt is never an argument; R8 compaction is switched off by variables", () => {
    const turn = claudeDriver.turn(request({ prompt: 'say "hi"\nplease', args: ["--model", "m"] }));
    expect(turn.args).not.toContain('say "hi"\nplease');
    expect(turn.args.slice(-4)).toEqual(["--session-id", NEW, "--model", "m"]);
    expect(turn.env).toEqual({ DISABLE_AUTO_COMPACT: "1" });
    const rows = turn.input
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, never>);
    expect(rows[1]).toEqual({
      type: "user",
      message: { role: "user", content: [{ type: "text", text: 'say "hi"\nplease' }] },
    });
    expect(claudeDriver.turn(request({ compact: "auto" })).env).toEqual({});
    expect(claudeDriver.turn(request({ compact: "off" })).env).toEqual({
      DISABLE_AUTO_COMPACT: "1",
      DISABLE_COMPACT: "1",
    });
    expect(claudeDriver.turn(request({ resume: "abc" })).args.slice(-2)).toEqual(["--resume", "abc"]);
  });

  test("R15 the writing turn has no cap of turns or money", () => {
    const args = ["--max-turns", "3", "--model", "m", "--max-budget-usd=2", "--max-budget-usd", "1"];
    expect(claudeDriver.turn(request({ args })).args.slice(-7)).toEqual(args);
    const written = claudeDriver.turn(request({ args, writing: true })).args;
    expect(written.slice(-4)).toEqual(["--session-id", NEW, "--model", "m"]);
  });

  test("R12 a message that reached its limit with nothing in it is empty, and its tokens are known", () => {
    const reader = claudeDriver.createReader(request());
    const row = {
      type: "result",
      is_error: false,
      terminal_reason: "completed",
      stop_reason: "max_tokens",
      num_turns: 1,
      session_id: NEW,
      usage: { input_tokens: 199_500, output_tokens: 0 },
    };
    const signals = reader.stdout(JSON.stringify(row));
    expect(ofKind(signals, "reading")).toEqual([{ kind: "reading", used_tokens: 199_500, final: true }]);
    expect(resultOf(signals)).toMatchObject({ outcome: "done", stop_reason: "max_tokens", is_empty: true });
    expect(resultOf(signalsOf(claudeDriver, "cc-run1"))?.is_empty).toBe(false);
  });

  test("R27 it says when it does not know a session", () => {
    const reader = claudeDriver.createReader(request({ resume: NEW }));
    const said = `No conversation found with session ID: ${NEW}`;
    const row = { type: "result", subtype: "error_during_execution", is_error: true, errors: [said] };
    expect(
      claudeDriver.isUnknownSession(resultOf(reader.stdout(JSON.stringify(row)))?.error?.text ?? ""),
    ).toBe(true);
    expect(claudeDriver.isUnknownSession("Prompt is too long")).toBe(false);
  });

  test("R14 R26 cut in the middle of a call there is no result: interrupted all the same, its calls counted", () => {
    const reader = claudeDriver.createReader(request());
    const lines = readFileSync("fixtures/streams/claude-code/cc-run1.jsonl", "utf8").split("\n");
    for (const line of lines) if (!line.includes('"type":"result"')) reader.stdout(line);
    expect(resultOf(reader.end({ code: 0, signal: null, cut: true }))).toMatchObject({
      outcome: "interrupted",
      error: null,
      turns: 4,
    });
    expect(resultOf(signalsOf(claudeDriver, "cc-run1"))?.turns).toBe(4);
  });

  test("unknown rows and torn lines are counted, an end without a result is a failure with the last words", () => {
    const reader = claudeDriver.createReader(request());
    expect(reader.stdout('{"type":"brand_new"}')).toEqual([{ kind: "unknown", type: "brand_new" }]);
    expect(reader.stdout('{"type":"assis')).toEqual([{ kind: "torn" }]);
    reader.stderr("API key is not valid");
    expect(resultOf(reader.end({ code: 1, signal: null, cut: false }))).toMatchObject({
      outcome: "failed",
      error: { text: "API key is not valid" },
    });
  });
});

describe("Codex's stream", () => {
  test("R29 commands, edits, words, the session", () => {
    const signals = signalsOf(codexDriver, "cx-run55");
    expect(ofKind(signals, "session")[0]?.session_id).toBe("01a2278e-098f-76f0-9cf8-724a6deb5e67");
    expect(ofKind(signals, "command").map(({ command }) => [command.command, command.exit_code])).toEqual([
      ["echo hello; echo err >&2; exit 3", 3],
      ["echo fine", 0],
    ]);
    expect(ofKind(signals, "edit").map(({ edit }) => edit.paths)).toEqual([["/home/dev/project/b.txt"]]);
    expect(resultOf(signals)).toMatchObject({ outcome: "done", text: "codex done" });
    // Summed over the turn: no context size.
    expect(ofKind(signals, "reading")).toEqual([]);
  });

  test("R13 its overflow", () => {
    expect(resultOf(signalsOf(codexDriver, "cxerr-OVER400", 1))).toMatchObject({
      outcome: "failed",
      error: { overflow: true },
    });
  });

  test("R5 R14 its rollout tells a reading when the calls are answered, and the window", () => {
    const rollout = readFileSync(
      "fixtures/transcripts/codex/failing-and-passing/rollout-2026-11-29T19-58-41-01a228e3-664d-7782-a817-2f3168431f40.jsonl",
      "utf8",
    );
    const reader = codexDriver.sideFile?.createReader();
    const told = rollout
      .split("\n")
      .filter(Boolean)
      .flatMap((line) => {
        const { payload } = JSON.parse(line) as { payload: { type?: string } };
        return (reader?.stdout(line) ?? []).map((signal) => [payload.type ?? "", signal] as const);
      });
    const readings = told.filter(([, { kind }]) => kind === "reading").map(([row]) => row);
    expect(new Set(readings.slice(0, -1))).toEqual(
      new Set(["function_call_output", "custom_tool_call_output"]),
    );
    expect(readings.at(-1)).toBe("task_complete");
    expect(
      told.flatMap(([, one]) => (one.kind === "reading" ? [[one.used_tokens, one.final]] : [])).slice(-2),
    ).toEqual([
      [1400, false],
      [1500, true],
    ]);
    expect(told.filter(([, { kind }]) => kind === "window").map(([, signal]) => signal)).toEqual([
      { kind: "window", window: 258_400 },
    ]);
  });

  test("R14 interrupted it ends without a word; R27 it says when it does not know a session", () => {
    const reader = codexDriver.createReader(request());
    reader.stdout(JSON.stringify({ type: "thread.started", thread_id: "t-1" }));
    expect(resultOf(reader.end({ code: 1, signal: null, cut: true }))).toMatchObject({
      outcome: "interrupted",
      error: null,
    });
    const lost = codexDriver.createReader(request({ resume: NEW }));
    lost.stderr(
      `Error: thread/resume: thread/resume failed: no rollout found for thread id ${NEW} (code -32600)`,
    );
    const text = resultOf(lost.end({ code: 1, signal: null, cut: false }))?.error?.text ?? "";
    expect(codexDriver.isUnknownSession(text)).toBe(true);
  });

  test("R28 the prompt goes to stdin, a resumed session is named", () => {
    const turn = codexDriver.turn(request({ resume: "t-1", args: ["-m", "gpt-5.5"] }));
    expect(turn.args).toEqual(["exec", "-m", "gpt-5.5", "--json", "resume", "t-1", "-"]);
    expect(turn.input).toBe("do it");
  });

  test.each([
    ["unexpected status 429 Too Many Requests: slow down", 429],
    ["stream disconnected before completion", null],
  ])("R22 the status in %s", (text, status) => {
    const reader = codexDriver.createReader(request());
    reader.stdout(JSON.stringify({ type: "turn.failed", error: { message: text } }));
    expect(resultOf(reader.end({ code: 1, signal: null, cut: false }))?.error).toEqual({
      text,
      status,
      overflow: false,
    });
  });
});

describe("any program", () => {
  test("words on stdout, usage on stderr, the session is ours", () => {
    const reader = commandDriver.createReader(request());
    expect(reader.stdout("hello")).toEqual([
      { kind: "session", session_id: NEW, model: null },
      { kind: "text", text: "hello" },
    ]);
    expect(reader.stderr('HANDOFF_USAGE {"context":1200,"window":40000}')).toEqual([
      { kind: "window", window: 40_000 },
      { kind: "reading", used_tokens: 1200, final: false },
    ]);
    expect(reader.stderr("HANDOFF_USAGE {oops}")).toEqual([{ kind: "torn" }]);
    expect(resultOf(reader.end({ code: 0, signal: null, cut: false }))).toMatchObject({
      outcome: "done",
      text: "hello",
    });
  });

  test("R14 cut, it was interrupted, whatever its exit code says", () => {
    for (const code of [0, 1, 130]) {
      const reader = commandDriver.createReader(request());
      reader.stdout("half a sentence");
      expect(resultOf(reader.end({ code, signal: null, cut: true }))).toMatchObject({
        outcome: "interrupted",
        text: "half a sentence",
        error: null,
      });
    }
  });

  test("a failure carries what it said on stderr", () => {
    const reader = commandDriver.createReader(request());
    reader.stderr("prompt is too long: 210000 tokens > 200000 maximum");
    expect(resultOf(reader.end({ code: 1, signal: null, cut: false }))).toMatchObject({
      outcome: "failed",
      error: { text: "prompt is too long: 210000 tokens > 200000 maximum" },
    });
  });
});

test("every driver is found by its name", () => {
  for (const driver of DRIVERS) expect(driverOf(driver.name)).toBe(driver);
  expect(driverOf("nobody")).toBeNull();
});

describe("numbers that are none", () => {
  const hostile = ["1e308", "-5", "12000.75", "null", '"9"', "9007199254740993", "[]", "1e999"];
  const isWhole = (value: number | null): boolean =>
    value === null || (Number.isSafeInteger(value) && value >= 0);

  test.each(hostile)("R26 a count of %s is told as a whole number or not at all", (n) => {
    const claude = claudeDriver.createReader(request());
    const id = '"session_id":"s-1"';
    const rows = [
      `{"type":"control_response","response":{"request_id":"handoff-window","response":{"maxTokens":${n}}}}`,
      `{"type":"assistant",${id},"message":{"id":"m","model":"x","content":[],"usage":{"input_tokens":${n},"cache_read_input_tokens":${n},"cache_creation_input_tokens":${n}}}}`,
      `{"type":"result",${id},"is_error":true,"num_turns":${n},"api_error_status":${n},"modelUsage":{"x":{"contextWindow":${n}}}}`,
    ];
    const codex = codexDriver.sideFile?.createReader();
    const event = (payload: string): string => `{"type":"event_msg","payload":${payload}}`;
    const rollout = [
      event(`{"type":"task_started","model_context_window":${n}}`),
      event(`{"type":"token_count","info":{"last_token_usage":{"input_tokens":${n},"total_tokens":${n}}}}`),
      event('{"type":"task_complete"}'),
    ];
    const program = commandDriver.createReader(request());
    const signals = [
      ...rows.flatMap((row) => claude.stdout(row)),
      ...rollout.flatMap((row) => codex?.stdout(row) ?? []),
      ...program.stderr(`HANDOFF_USAGE {"context":${n},"window":${n}}`),
    ];
    const told = signals.flatMap((one): (number | null)[] => {
      if (one.kind === "window") return [one.window];
      if (one.kind === "reading") return [one.used_tokens];
      return one.kind === "result" ? [one.turns, one.error?.status ?? null] : [];
    });
    expect(told.filter((value) => !isWhole(value))).toEqual([]);
    expect(ofKind(signals, "result")).toHaveLength(1);
    expect(ofKind(signals, "reading").map(({ used_tokens }) => used_tokens)).toEqual(
      n === "12000.75" ? [36_000, 12_000, 12_000] : [],
    );
  });

  test("R27 a program says that it does not know a session", () => {
    const { isUnknownSession } = commandDriver;
    expect(isUnknownSession("HANDOFF_UNKNOWN_SESSION cmd-run-1")).toBe(true);
    expect(isUnknownSession("starting up\nHANDOFF_UNKNOWN_SESSION\n")).toBe(true);
    expect(isUnknownSession("it said HANDOFF_UNKNOWN_SESSION once")).toBe(false);
  });
});
