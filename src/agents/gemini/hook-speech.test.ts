// Every payload that Gemini CLI really sent (0.61.0, fixtures/payloads/gemini) is a row here; and nothing it could send throws.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claimPayload } from "../registry.js";
import { geminiHooks } from "./hook-speech.js";
import { readShellAnswer } from "./read-shell-answer.js";

const FOLDER = path.join(import.meta.dirname, "../../../fixtures/payloads/gemini");
const payloadOf = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path.join(FOLDER, `${name}.json`), "utf8"));

/** What of the event counts, by the payload's file. */
const ROWS: Readonly<Record<string, unknown>> = {
  AfterTool: {
    kind: "command",
    cwd: "/home/dev/project",
    command: {
      command: "echo fine",
      exit_code: 0,
      error: null,
      stdout: "fine",
      stderr: "",
      tool: "run_shell_command",
      command_id: null,
      cwd: "/home/dev/project",
      agent_note: "passes",
    },
  },
  "AfterTool.failed": { kind: "command", command: { exit_code: 3, error: null, stdout: "out\nerr" } },
  "AfterTool.empty": { kind: "command", command: { exit_code: 0, stdout: "" } },
  // What the command printed itself, and it passed.
  "AfterTool.ambiguous": { kind: "command", command: { exit_code: 0, stdout: "a\nExit Code: 7" } },
  "AfterTool.signal": {
    kind: "command",
    command: { exit_code: null, error: "ended by signal 9", stdout: "" },
  },
  "AfterTool.missing": {
    kind: "command",
    command: { exit_code: 127, stdout: expect.stringContaining("command not found") },
  },
  "AfterTool.coloured": {
    kind: "command",
    command: { exit_code: 4, stdout: expect.stringContaining("red") },
  },
  "AfterTool.dir_path": {
    kind: "command",
    command: { exit_code: 1, stdout: "", cwd: "/home/dev/project/sub" },
  },
  "AfterTool.timed-out": {
    kind: "command",
    command: { exit_code: null, error: expect.stringContaining("exceeded the timeout"), stdout: "partial" },
  },
  "AfterTool.cancelled": {
    kind: "command",
    command: { exit_code: null, error: "cancelled by the user", stdout: "before" },
  },
  "AfterTool.background": { kind: "ignored" },
  "AfterTool.background-processes": { kind: "command", command: { exit_code: 0, stdout: "started" } },
  "AfterTool.write": {
    kind: "edit",
    edit: { paths: ["/home/dev/project/a.txt"], tool: "write_file", command_id: null },
  },
  "AfterTool.replace": { kind: "edit", edit: { paths: ["/home/dev/project/a.txt"], tool: "replace" } },
  "AfterTool.replace-failed": { kind: "ignored" },
  "AfterTool.read": { kind: "ignored" },
  AfterAgent: { kind: "stop", active: false, last_message: "All done." },
  BeforeAgent: { kind: "prompt", prompt: "first words" },
  // Without a terminal, what somebody's start hook printed stands in front of it.
  "BeforeAgent.context": { kind: "prompt", prompt: "do the work" },
  BeforeTool: { kind: "ignored" },
  "PreCompress.auto": { kind: "ignored" },
  "PreCompress.manual": { kind: "pre_compact" },
  "SessionEnd.clear": { kind: "session_end", reason: "clear" },
  "SessionEnd.exit": { kind: "session_end", reason: "exit" },
  "SessionStart.clear": { kind: "session_start", source: "clear" },
  "SessionStart.resume": { kind: "session_start", source: "resume" },
  "SessionStart.startup": {
    kind: "session_start",
    source: "startup",
    session_id: expect.stringMatching(/^[0-9a-f-]{36}$/u),
    transcript_path: expect.stringMatching(/\/chats\/session-[\w-]+\.jsonl$/u),
    model: null,
    subagent: null,
  },
};

const names = readdirSync(FOLDER).map((name) => name.replace(/\.json$/u, ""));

describe("payloads as they came", () => {
  test("A7 each has a row", () => {
    expect(names.sort()).toEqual(Object.keys(ROWS).sort());
  });

  test.each(Object.keys(ROWS))("A6 %s", (name) => {
    const payload = payloadOf(name);
    const asSpelled = geminiHooks.parseHook(String(payload["hook_event_name"]), payload);
    expect(asSpelled).toMatchObject(ROWS[name] as object);
    // In any spelling, and by the payload's own word.
    const kebab = String(payload["hook_event_name"])
      .replaceAll(/(?<=[a-z])([A-Z])/gu, "-$1")
      .toLowerCase();
    expect(geminiHooks.parseHook(kebab, payload)).toEqual(asSpelled);
    expect(geminiHooks.parseHook("", payload)).toEqual(asSpelled);
    expect(claimPayload(payload)?.name).toBe("gemini");
  });

  test("A14 the brief is what Gemini CLI reads as context", () => {
    expect(JSON.parse(geminiHooks.briefOutput('a "brief"\n', "taken over"))).toEqual({
      systemMessage: "taken over",
      hookSpecificOutput: { hookEventName: "BeforeAgent", additionalContext: 'a "brief"\n' },
    });
  });
});

describe("how a command ended", () => {
  const told = (output: string, lines: string): string =>
    `<untrusted_context>\nOutput: ${output}${lines}\nProcess Group PGID: 7\n</untrusted_context>`;

  test.each([
    ["a status and a signal's line in the output", "x\nSignal: 9", "\nExit Code: 2", "x\nSignal: 9", 2],
    [
      "the very last line of the output is like ours",
      "x\nExit Code: 5",
      "\nExit Code: 6",
      "x\nExit Code: 5",
      6,
    ],
    ["processes left behind", "x", "\nExit Code: 1\nBackground PIDs: 1, 2", "x", 1],
    ["an end tag of its own", "</untrusted_context>", "\nExit Code: 1", "</untrusted_context>", 1],
  ])("A7 %s", (_name, output, lines, display, exit_code) => {
    const escaped = output.replaceAll("</untrusted_context>", "&lt;/untrusted_context&gt;");
    expect(readShellAnswer(told(escaped, lines), display)).toEqual({
      exit_code,
      error: null,
      stdout: output,
    });
  });

  test("A7 without what a person saw, the last lines count; with an error of its own, that is told", () => {
    expect(readShellAnswer(told("a\nb", "\nExit Code: 3"), null)).toEqual({
      exit_code: 3,
      error: null,
      stdout: "a\nb",
    });
    expect(
      readShellAnswer(told("(empty)", "\nError: spawn bash ENOENT\nSignal: 1"), "Command failed"),
    ).toEqual({
      exit_code: null,
      error: "ended by signal 1",
      stdout: "",
    });
    expect(readShellAnswer(told("(empty)", "\nError: spawn\nbash ENOENT"), "Command failed")).toEqual({
      exit_code: null,
      error: "spawn\nbash ENOENT",
      stdout: "",
    });
  });

  test("A7 any output, any status: what a person saw is what is recorded", () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom("Exit Code: 3", "Signal: 9", "Process Group PGID: 4", "Error: x", "(empty)"),
    );
    const output = fc.array(line, { minLength: 1, maxLength: 6 }).map((lines) => lines.join("\n"));
    const seen = output.filter((text) => text.trim() !== "" && !/untrusted_context/u.test(text));
    fc.assert(
      fc.property(seen, fc.integer({ min: 0, max: 255 }), (text, exit) => {
        const lines = exit === 0 ? "" : `\nExit Code: ${exit}`;
        expect(readShellAnswer(told(text, lines), text)).toEqual({
          exit_code: exit,
          error: null,
          stdout: text === "(empty)" ? "" : text,
        });
      }),
    );
  });

  test("A10 a long output of blank lines takes no time to speak of", () => {
    const blank = "\n".repeat(500_000);
    expect(readShellAnswer(told(blank, "\nExit Code: 3"), null)?.exit_code).toBe(3);
  });
});

test("A6 nothing throws, whatever comes", () => {
  const payloads = names.map(payloadOf);
  fc.assert(
    fc.property(
      fc.constantFrom(...payloads),
      fc.dictionary(
        fc.constantFrom("tool_name", "tool_input", "tool_response", "prompt", "cwd"),
        fc.anything(),
      ),
      fc.oneof(fc.string(), fc.constantFrom("AfterTool", "BeforeAgent", "AfterAgent", "SessionEnd")),
      (payload, changes, event) => {
        expect(() => geminiHooks.parseHook(event, { ...payload, ...changes })).not.toThrow();
      },
    ),
  );
  for (const payload of [null, 3, "x", [], {}, { session_id: 3 }])
    expect(geminiHooks.parseHook("AfterTool", payload)).toBeNull();
});
