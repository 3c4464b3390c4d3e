// Every payload that Codex really sent (fixtures/payloads/codex) is a row here; how commands ended comes from the rollout.
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { claimPayload } from "../registry.js";
import { codexHooks } from "./hook-speech.js";
import { patchPaths } from "./patch-paths.js";
import { findRolloutEnd } from "./read-exit-code.js";
import { sweepRollout } from "./sweep-rollout.js";

const FOLDER = path.join(import.meta.dirname, "../../../fixtures/payloads/codex");
const ROLLOUT = path.join(FOLDER, "rollout.jsonl");
const payloadOf = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path.join(FOLDER, `${name}.json`), "utf8"));

const awaits = { from: "transcript", task_id: null };
const ROWS: Readonly<Record<string, unknown>> = {
  Interrupt: { kind: "stop", active: false, last_message: null },
  "PostCompact.auto": { kind: "ignored" },
  PostToolUse: {
    kind: "command",
    model: "gpt-5.5",
    command: {
      command: "echo hello; echo err >&2; exit 3",
      exit_code: null,
      stdout: "hello\nerr\n",
      tool: "Bash",
      command_id: "call_d074203ff8d646ebb74549bc",
      cwd: "/home/dev/project",
      awaits,
    },
  },
  "PostToolUse.workdir": { kind: "command", cwd: "/tmp", command: { cwd: "/tmp", awaits } },
  "PostToolUse.subagent": {
    kind: "command",
    session_id: "01a2279b-005e-7aa1-8b5a-57037d0b6152",
    subagent: { id: "01a2279b-0224-71d2-90c3-c19246b19f28", type: "default" },
    command: { command: "echo CHILD-OUT; exit 9", awaits },
  },
  "PostToolUse.patch": {
    kind: "edit",
    edit: {
      paths: ["cx.txt", "sub/with space.txt"],
      tool: "apply_patch",
      command_id: expect.stringMatching(/^call_/u),
    },
  },
  "PostToolUse.patch-move": { kind: "edit", edit: { paths: ["cx.txt", "cy.txt", "sub/with space.txt"] } },
  "PreCompact.auto": { kind: "pre_compact" },
  "PreCompact.manual": { kind: "pre_compact" },
  PreToolUse: { kind: "ignored" },
  "SessionEnd.other": { kind: "session_end", reason: "other" },
  "SessionStart.clear": { kind: "session_start", source: "clear", model: "gpt-5.5" },
  "SessionStart.compact": { kind: "session_start", source: "compact" },
  "SessionStart.fork": { kind: "session_start", source: "fork" },
  "SessionStart.resume": { kind: "session_start", source: "resume" },
  "SessionStart.startup": { kind: "session_start", source: "startup" },
  Stop: { kind: "stop", active: false, last_message: "codex done" },
  "SubagentStart.subagent": { kind: "helper", running: true },
  "SubagentStop.subagent": { kind: "helper", running: false },
  UserPromptSubmit: { kind: "prompt", prompt: "TASK-CX" },
};

describe("payloads as they came", () => {
  test("A7 each has a row", () => {
    const names = readdirSync(FOLDER).flatMap((name) => /^(.+)\.json$/u.exec(name)?.[1] ?? []);
    expect(names.sort()).toEqual(Object.keys(ROWS).sort());
  });

  test.each(Object.keys(ROWS))("A6 %s", (name) => {
    const payload = payloadOf(name);
    const event = codexHooks.parseHook(String(payload["hook_event_name"]), payload);
    expect(event).toMatchObject(ROWS[name] as object);
    expect(codexHooks.parseHook("", payload)).toEqual(event);
    expect(claimPayload(payload)?.name).toBe("codex");
  });

  test("A6 nothing it could be given throws", () => {
    const base = payloadOf("PostToolUse");
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(base)),
        fc.jsonValue(),
        fc.constantFrom(...Object.keys(ROWS)),
        (key, value, name) => {
          const event = codexHooks.parseHook(name.split(".")[0] ?? "", { ...base, [key]: value });
          expect(event === null || typeof event.session_id === "string").toBe(true);
        },
      ),
    );
  });
});

test("A8 a patch names its files, each once", () => {
  const patch =
    "*** Begin Patch\n*** Update File: a b.ts\n@@\n-*** Add File: no.ts\n+x\n*** Move to: c.ts\n*** Delete File: d.ts\n*** Update File: d.ts\n*** End Patch\n";
  expect(patchPaths(patch)).toEqual(["a b.ts", "c.ts", "d.ts"]);
  expect(patchPaths("no patch at all")).toEqual([]);
});

describe("the rollout", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "handoff-rollout-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const lines = readFileSync(ROLLOUT, "utf8").trimEnd().split("\n");
  const items = lines
    .map((line) => JSON.parse(line).payload)
    .filter((payload) => payload.type === "item_completed" && payload.item.type === "CommandExecution");
  const put = (name: string, text: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const idOf = (part: string): string =>
    items.find(({ item }) => item.command[2].includes(part))?.item.id ?? "missing";

  test("A7 tells how a command ended, by its call's id", () => {
    expect(findRolloutEnd(ROLLOUT, idOf("RES-A"))).toMatchObject({
      exit_code: 3,
      error: null,
      output: "RES-A\n",
      duration_ms: 0,
      started_at: expect.stringMatching(/^2026-11-29T20:16:02\.\d{3}Z$/u),
    });
    expect(findRolloutEnd(ROLLOUT, idOf("kill -9"))).toMatchObject({ exit_code: 137 });
    // It outlived its call, and ended after three others.
    expect(findRolloutEnd(ROLLOUT, idOf("late"))).toMatchObject({ exit_code: 6, output: "start\nlate\n" });
  });

  test("A7 a command that Codex stopped has no exit status", () => {
    const stopped = lines
      .find((line) => line.includes(`"id":"${idOf("par")}"`) && line.includes("CommandExecution"))
      ?.replace('"exit_code":0', '"exit_code":-1')
      .replace('"status":"completed"', '"status":"failed"');
    const file = put("stopped.jsonl", `${stopped}\n`);
    expect(findRolloutEnd(file, idOf("par"))).toMatchObject({
      exit_code: null,
      error: "stopped before it ended (failed)",
    });
  });

  test("A7 what is not there, torn or no file tells nothing", () => {
    expect(findRolloutEnd(ROLLOUT, "call_0")).toBeNull();
    expect(findRolloutEnd(path.join(folder, "none.jsonl"), "call_0")).toBeNull();
    expect(findRolloutEnd(folder, "call_0")).toBeNull();
    const last = lines.findLast((line) => line.includes("CommandExecution")) ?? "";
    const torn = put("torn.jsonl", last.slice(0, -20));
    expect(findRolloutEnd(torn, items.at(-1)?.item.id)).toBeNull();
  });

  test("A7 is read from its end, however long it is", () => {
    const filler = `${JSON.stringify({ type: "event_msg", payload: { type: "agent_reasoning", text: "x".repeat(1000) } })}\n`;
    const item = lines.find(
      (line) => line.includes(`"id":"${idOf("RES-A")}"`) && line.includes("CommandExecution"),
    );
    const file = put("long.jsonl", filler.repeat(6000));
    appendFileSync(file, `${item}\n${filler.repeat(1000)}`);
    expect(findRolloutEnd(file, idOf("RES-A"))).toMatchObject({ exit_code: 3 });
    appendFileSync(file, filler.repeat(4000));
    expect(findRolloutEnd(file, idOf("RES-A"))).toBeNull();
  });

  test("A7 a line is looked at once, however often it has an id, and so is the rollout for all that was stopped", () => {
    const mention = JSON.stringify({ id: "call_x", call_id: "call_x" });
    const many = `{"payload":{"type":"other","a":[${Array.from({ length: 80_000 }, () => mention).join(",")}]}}\n`;
    const ended = (id: string, exit_code: number): string =>
      `${JSON.stringify({ type: "event_msg", payload: { type: "item_completed", item: { type: "CommandExecution", id, command: ["ls"], exit_code, status: "failed" } } })}\n`;
    const answer = (call_id: string, output: string): string =>
      `${JSON.stringify({ type: "response_item", payload: { type: "function_call_output", call_id, output } })}\n`;
    const file = put("often.jsonl", many);
    expect(findRolloutEnd(file, "call_x")).toBeNull();
    appendFileSync(file, ended("call_x", 3) + many);
    expect(findRolloutEnd(file, "call_x")).toMatchObject({ exit_code: 3 });
    const stopped = Array.from({ length: 3000 }, (_, i) => ended(`call_${i}`, -1)).join("");
    appendFileSync(file, answer("call_7", "Process running with session ID 1\nOutput:\n"));
    const from = readFileSync(file).length;
    appendFileSync(file, stopped);
    const told = sweepRollout(file, from).commands.map(({ command_id }) => command_id);
    expect(told).toHaveLength(2999);
    expect(told).not.toContain("call_7");
  });

  test("A7 a stretch of it tells of every command, those without a hook too; a line that is not whole waits", () => {
    const all = sweepRollout(ROLLOUT, 0);
    expect(all.next).toBe(readFileSync(ROLLOUT).length);
    const exits = all.commands.map(({ command, exit_code }) => [command, exit_code]);
    expect(exits).toHaveLength(items.length);
    expect(exits).toContainEqual(["echo start; sleep 4; echo late; exit 6", 6]);
    expect(exits).toContainEqual(["echo par; sleep 1", 0]);
    const half = Buffer.byteLength(lines.slice(0, 20).join("\n")) + 10;
    const file = put("growing.jsonl", readFileSync(ROLLOUT).subarray(0, half).toString());
    const first = sweepRollout(file, 0);
    appendFileSync(file, readFileSync(ROLLOUT).subarray(half));
    const second = sweepRollout(file, first.next);
    expect(second.next).toBe(all.next);
    const ids = [...first.commands, ...second.commands].map(({ command_id }) => command_id);
    expect(ids).toEqual(all.commands.map(({ command_id }) => command_id));
    expect(sweepRollout(file, second.next)).toEqual({ commands: [], next: second.next });
  });
});
