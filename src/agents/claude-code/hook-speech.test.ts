// Every payload that Claude Code really sent (fixtures/payloads/claude-code) is a row here; and nothing it could send throws.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claimPayload } from "../registry.js";
import { claudeCodeHooks } from "./hook-speech.js";
import { readFailure } from "./read-failure.js";

const FOLDER = path.join(import.meta.dirname, "../../../fixtures/payloads/claude-code");
const payloadOf = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path.join(FOLDER, `${name}.json`), "utf8"));

const ended = { exit_code: 0, error: null };
/** What of the event counts, by the payload's file. */
const ROWS: Readonly<Record<string, unknown>> = {
  PermissionRequest: { kind: "blocked" },
  "PostCompact.auto": { kind: "ignored" },
  PostToolUse: {
    kind: "command",
    cwd: "/home/dev/project",
    subagent: null,
    command: {
      ...ended,
      command: "echo fine; echo warn >&2",
      stdout: "fine\nwarn",
      stderr: "",
      duration_ms: 30,
      started_at: null,
      tool: "Bash",
      command_id: "toolu_7fde0430989b467195205892",
      cwd: "/home/dev/project",
      agent_note: "run a good command",
    },
  },
  "PostToolUse.background": {
    kind: "command",
    command: { exit_code: null, error: null, awaits: { from: "background", task_id: "b7ac9lhit" } },
  },
  "PostToolUse.timed-out": {
    kind: "command",
    command: {
      exit_code: null,
      stdout: "RES-A",
      awaits: { from: "background", task_id: "b4tydats9" },
    },
  },
  "PostToolUse.no-match": { kind: "command", command: { exit_code: 1, error: "No matches found" } },
  "PostToolUse.persisted": {
    kind: "command",
    command: { ...ended, stdout_cut: 108_894 - 300 },
  },
  "PostToolUse.write": {
    kind: "edit",
    edit: {
      paths: ["/home/dev/project/a.txt"],
      tool: "Write",
      command_id: expect.stringMatching(/^toolu_/u),
    },
  },
  "PostToolUse.edit": { kind: "edit", edit: { paths: ["/home/dev/project/a.txt"], tool: "Edit" } },
  "PostToolUse.notebook": {
    kind: "edit",
    edit: { paths: ["/home/dev/project/sub/n.ipynb"], tool: "NotebookEdit" },
  },
  "PostToolUse.read": { kind: "ignored" },
  PostToolUseFailure: {
    kind: "command",
    command: { exit_code: 3, error: null, stdout: "hello", command: "echo hello && exit 3", duration_ms: 80 },
  },
  "PostToolUseFailure.missing": {
    kind: "command",
    command: { exit_code: 127, stdout: "/bin/bash: line 1: nosuchcommand_zz: command not found" },
  },
  "PostToolUseFailure.timed-out": {
    kind: "command",
    command: { exit_code: null, error: "timeout: Command timed out after 1s", stdout: "RES-A" },
  },
  "PostToolUseFailure.write": { kind: "ignored" },
  "PostToolUseFailure.subagent": {
    kind: "command",
    subagent: { id: "a8efd486164394e74", type: "general-purpose" },
    command: { exit_code: 7, subagent: { id: "a8efd486164394e74", type: "general-purpose" } },
  },
  "PreCompact.auto": { kind: "pre_compact" },
  "PreCompact.manual": { kind: "pre_compact" },
  PreToolUse: { kind: "ignored" },
  "PreToolUse.subagent": { kind: "ignored" },
  "SessionEnd.clear": { kind: "session_end", reason: "clear" },
  "SessionEnd.other": { kind: "session_end", reason: "other" },
  "SessionEnd.prompt_input_exit": { kind: "session_end", reason: "prompt_input_exit" },
  "SessionEnd.resume": { kind: "session_end", reason: "resume" },
  "SessionStart.clear": { kind: "session_start", source: "clear", model: null },
  "SessionStart.compact": { kind: "session_start", source: "compact", model: "claude-sonnet-4-5" },
  "SessionStart.fork": { kind: "session_start", source: "fork" },
  "SessionStart.resume": { kind: "session_start", source: "resume" },
  "SessionStart.startup": {
    kind: "session_start",
    source: "startup",
    session_id: "d934b546-4065-4b8b-9fd0-45a442ac06c4",
    transcript_path:
      "/home/dev/.claude/projects/-home-dev-project/d934b546-4065-4b8b-9fd0-45a442ac06c4.jsonl",
  },
  Stop: { kind: "stop", active: false, last_message: "Done with TASK ONE." },
  "StopFailure.billing_error": { kind: "stop", active: false, last_message: null },
  "StopFailure.invalid_request": { kind: "stop", active: false, last_message: null },
  SubagentStart: { kind: "helper", running: true },
  SubagentStop: { kind: "helper", running: false },
  "SubagentStop.compaction-fork": { kind: "helper", running: false },
  UserPromptSubmit: { kind: "prompt", prompt: "TASK-ONE please" },
  "UserPromptSubmit.background-failed": {
    kind: "command_end",
    end: {
      command_id: expect.stringMatching(/^toolu_/u),
      exit_code: 5,
      output_file: expect.stringMatching(/\/tasks\/\w+\.output$/u),
    },
  },
};

const names = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".json"))
  .map((name) => name.slice(0, -".json".length));

describe("payloads as they came", () => {
  test("A7 each has a row", () => {
    expect(names.filter((name) => name !== "statusline").sort()).toEqual(Object.keys(ROWS).sort());
  });

  test.each(Object.keys(ROWS))("A6 %s", (name) => {
    const payload = payloadOf(name);
    const asSpelled = claudeCodeHooks.parseHook(String(payload["hook_event_name"]), payload);
    expect(asSpelled).toMatchObject(ROWS[name] as object);
    // In any spelling, and by the payload's own word.
    const kebab = String(payload["hook_event_name"])
      .replaceAll(/(?<=[a-z])([A-Z])/gu, "-$1")
      .toLowerCase();
    expect(claudeCodeHooks.parseHook(kebab, payload)).toEqual(asSpelled);
    expect(claudeCodeHooks.parseHook("", payload)).toEqual(asSpelled);
    expect(claimPayload(payload)?.name).toBe("claude-code");
  });

  test("A6 a status line is no hook", () => {
    expect(claudeCodeHooks.parseHook("", payloadOf("statusline"))).toBeNull();
  });
});

describe("how a failed command ended", () => {
  test.each([
    ["Exit code 3\nout\nerr", false, { exit_code: 3, error: null, output: "out\nerr" }],
    ["Exit code 1", false, { exit_code: 1, error: null, output: "" }],
    [
      "Exit code 143\nCommand timed out after 2m 0s\nPART",
      false,
      { exit_code: null, error: "timeout: Command timed out after 2m 0s", output: "PART" },
    ],
    [
      "Command timed out after 5s",
      false,
      { exit_code: null, error: "timeout: Command timed out after 5s", output: "" },
    ],
    // A program's own words behind its own exit code are no time-out.
    [
      "Exit code 2\nCommand timed out after 5s",
      false,
      { exit_code: 2, error: null, output: "Command timed out after 5s" },
    ],
    [
      "Exit code 137\n[Request interrupted by user for tool use]",
      true,
      { exit_code: null, error: "interrupted" },
    ],
    ["[Request interrupted by user for tool use]", true, { exit_code: null, error: "interrupted" }],
    [
      "Permission to use Bash with command rm -rf / has been denied.",
      false,
      { exit_code: null, error: "denied: Permission to use Bash with command rm -rf / has been denied." },
    ],
    ["Error: spawn ENOENT\n    at x", false, { exit_code: null, error: "Error: spawn ENOENT" }],
    ["", false, { exit_code: null, error: "it ended without an exit status" }],
    ["Exit code 99999999999999999", false, { exit_code: null }],
  ])("A7 %j", (text, isInterrupt, expected) => {
    expect(readFailure(text, isInterrupt)).toMatchObject(expected);
  });
});

test("A6 nothing it could be given throws, and what is no payload is none", () => {
  const base = payloadOf("PostToolUse");
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(base), "error", "prompt"),
      fc.jsonValue(),
      fc.constantFrom(...Object.keys(ROWS)),
      (key, value, name) => {
        const event = claudeCodeHooks.parseHook(name.split(".")[0] ?? "", { ...base, [key]: value });
        expect(event === null || typeof event.session_id === "string").toBe(true);
      },
    ),
  );
  for (const payload of [null, 1, "x", [], {}, { session_id: 7 }, { session_id: " " }])
    expect(claudeCodeHooks.parseHook("Stop", payload)).toBeNull();
  expect(claudeCodeHooks.parseHook("NoSuchEvent", base)).toBeNull();
});

test("A8 the session's folder is the project's, wherever the agent has changed to", () => {
  const event = claudeCodeHooks.parseHook("PostToolUse", { ...payloadOf("PostToolUse"), cwd: "/elsewhere" });
  if (event === null) throw new Error("no event");
  const place = { env: { CLAUDE_PROJECT_DIR: "/home/dev/project" }, cwd: "/x" };
  expect(claudeCodeHooks.sessionFolder(event, place)).toBe("/home/dev/project");
  expect(claudeCodeHooks.sessionFolder(event, { env: {}, cwd: "/x" })).toBe("/elsewhere");
});
