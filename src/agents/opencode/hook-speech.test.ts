// Every payload that our plugin really sent from OpenCode 1.18.33 (fixtures/payloads/opencode) is a row here; and nothing it
// could send throws.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claimPayload } from "../registry.js";
import { openCodeHooks } from "./hook-speech.js";

const FOLDER = path.join(import.meta.dirname, "../../../fixtures/payloads/opencode");
const payloadOf = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path.join(FOLDER, `${name}.json`), "utf8"));
const helper = { id: expect.stringMatching(/^ses_\w+$/u), type: "general" };

/** What of the event counts, by the payload's file. */
const ROWS: Readonly<Record<string, unknown>> = {
  PostToolUse: {
    kind: "command",
    model: "fake-model",
    cwd: "/home/dev/project",
    command: {
      command: "env | grep -iE 'opencode|handoff|session' ; echo fine",
      exit_code: 0,
      error: null,
      // The plugin gives the agent's own commands the session's id.
      stdout: expect.stringMatching(/^HANDOFF_SESSION_ID=ses_\w+\n[^]*\nfine\n$/u),
      stderr: "",
      duration_ms: expect.any(Number),
      started_at: expect.stringMatching(/^2026-\d\d-\d\dT.*Z$/u),
      tool: "bash",
      command_id: expect.stringMatching(/^call_/u),
      cwd: "/home/dev/project",
      subagent: null,
      agent_note: "passes",
    },
  },
  "PostToolUse.failed": { kind: "command", command: { exit_code: 3, error: null, stdout: "out\nerr\n" } },
  "PostToolUse.missing": {
    kind: "command",
    command: { exit_code: 127, stdout: expect.stringContaining("no-such-x: command not found") },
  },
  "PostToolUse.workdir": { kind: "command", command: { exit_code: 0, stdout: "", cwd: "/tmp" } },
  "PostToolUse.timed-out": {
    kind: "command",
    command: {
      exit_code: null,
      error: "shell tool terminated command after exceeding timeout 1000 ms.",
      stdout: "",
    },
  },
  "PostToolUse.truncated": {
    kind: "command",
    command: {
      exit_code: 0,
      stdout: expect.stringMatching(/^\.\.\.output truncated\.\.\.\n[^]*\n30000\n$/u),
    },
  },
  "PostToolUse.subagent": {
    kind: "command",
    subagent: helper,
    command: { exit_code: 5, stdout: "from-sub\n", subagent: helper },
  },
  "PostToolUse.subagent-write": {
    kind: "edit",
    subagent: helper,
    edit: { paths: ["/home/dev/project/s.txt"], tool: "write" },
  },
  "PostToolUse.write": {
    kind: "edit",
    subagent: null,
    edit: {
      paths: ["/home/dev/project/a.txt"],
      tool: "write",
      command_id: expect.stringMatching(/^call_/u),
    },
  },
  "PostToolUse.edit": { kind: "edit", edit: { paths: ["/home/dev/project/a.txt"], tool: "edit" } },
  "PostToolUse.patch": {
    kind: "edit",
    edit: { paths: ["/home/dev/project/new.txt", "/home/dev/project/a.txt"], tool: "apply_patch" },
  },
  PreCompact: { kind: "pre_compact" },
  SessionEnd: { kind: "session_end", reason: "exit" },
  "SessionStart.resume": { kind: "session_start", source: "resume" },
  "SessionStart.startup": {
    kind: "session_start",
    source: "startup",
    session_id: expect.stringMatching(/^ses_\w+$/u),
    transcript_path: null,
  },
  Stop: { kind: "stop", active: false, last_message: "All done." },
  UserPromptSubmit: { kind: "prompt", prompt: '"do the work"' },
};

const names = readdirSync(FOLDER).map((name) => name.replace(/\.json$/u, ""));

describe("payloads as they came", () => {
  test("A7 each has a row", () => {
    expect(names.sort()).toEqual(Object.keys(ROWS).sort());
  });

  test.each(Object.keys(ROWS))("A6 %s", (name) => {
    const payload = payloadOf(name);
    const asSpelled = openCodeHooks.parseHook(String(payload["hook_event_name"]), payload);
    expect(asSpelled).toMatchObject(ROWS[name] as object);
    expect(openCodeHooks.parseHook("", payload)).toEqual(asSpelled);
    expect(claimPayload(payload)?.name).toBe("opencode");
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
      fc.oneof(fc.string(), fc.constantFrom("PostToolUse", "Stop", "SessionEnd")),
      (payload, changes, event) => {
        expect(() => openCodeHooks.parseHook(event, { ...payload, ...changes })).not.toThrow();
      },
    ),
  );
  for (const payload of [null, 3, "x", [], {}, { session_id: 3 }])
    expect(openCodeHooks.parseHook("PostToolUse", payload)).toBeNull();
});
