// L7: how a pane stands, from payloads that agents really sent, by the real hook below a process that is called like the agent.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type HookBench, useHooks } from "../cli/testing/use-hooks.js";
import type { AgentProcess } from "../cli/testing/start-agent-process.js";
import { type PaneFile, readPaneFile } from "../recorder/pane-file.js";
import { namedPane, startOf } from "../recorder/pane-key.js";
import { helpersAtWork, readStanding } from "./pane-state.js";

const { bench, agent } = useHooks();
const S = { session_id: "s-1" };
const pane = (name = "%3") => ({ TMUX: `/tmp/tmux-0/default,${process.pid},0`, TMUX_PANE: name });
const key = (name = "%3"): string => namedPane(pane(name))?.key ?? "";
const fileOf = (b: HookBench, name = "%3"): PaneFile | null => readPaneFile(b.root, key(name));

interface Call {
  readonly event: string;
  readonly agent?: string;
  readonly changes?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

function caller(b: HookBench, by: AgentProcess) {
  return async ({
    event,
    agent: name = "claude-code",
    changes = {},
    env = {},
  }: Call): Promise<PaneFile | null> => {
    const said = await b.hook(name, event, { ...S, ...changes }, { by, env: { ...pane(), ...env } });
    expect(said.code).toBe(0);
    return fileOf(b);
  };
}

describe("a session in a pane", () => {
  test("L7 Claude Code: a prompt, a question, an answer, the end of the turn, of the session, and a clearing", async () => {
    const b = bench();
    const call = caller(b, agent("claude"));
    const states: string[] = [];
    for (const event of [
      "SessionStart.startup",
      "UserPromptSubmit",
      "PermissionRequest",
      "PostToolUse",
      "Stop",
      "UserPromptSubmit.background-failed",
      "Stop",
      "SessionEnd.clear",
    ])
      states.push((await call({ event }))?.state ?? "none");
    expect(states).toEqual(["IDLE", "BUSY", "BLOCKED", "BUSY", "IDLE", "BUSY", "IDLE", "DONE"]);
    const fresh = await call({ event: "SessionStart.clear", changes: { session_id: "s-2" } });
    expect(fresh).toMatchObject({
      state: "IDLE",
      session_id: "s-2",
      pane: "%3",
      agent: "claude-code",
      began: { session_id: "s-2", source: "clear", previous: "s-1" },
    });
    // Late words of the one before change nothing.
    expect(await call({ event: "Stop" })).toEqual(fresh);
    expect(JSON.stringify(fresh)).not.toContain(b.root);
  });

  test("L7 Codex: its questions are told, too", async () => {
    const b = bench();
    const call = caller(b, agent("codex"));
    const seen: string[] = [];
    for (const event of ["SessionStart.startup", "UserPromptSubmit", "PostToolUse", "Stop"])
      seen.push((await call({ event, agent: "codex" }))?.state ?? "none");
    await call({ event: "UserPromptSubmit", agent: "codex" });
    const changes = { hook_event_name: "PermissionRequest" };
    seen.push((await call({ event: "PreToolUse", agent: "codex", changes }))?.state ?? "none");
    expect(seen).toEqual(["IDLE", "BUSY", "BUSY", "IDLE", "BLOCKED"]);
  });

  test.each([
    ["permission_prompt", "BLOCKED"],
    ["elicitation_dialog", "BLOCKED"],
    ["idle_prompt", "IDLE"],
    ["auth_success", "IDLE"],
  ])("L7 a notification %s leaves it %s", async (notification_type, state) => {
    const b = bench();
    const call = caller(b, agent("claude"));
    await call({ event: "SessionStart.startup" });
    const changes = { hook_event_name: "Notification", notification_type, message: "x" };
    expect(await call({ event: "PermissionRequest", changes })).toMatchObject({ state });
  });

  test("L7 a compaction in the middle of a turn ends no turn", async () => {
    const b = bench();
    const call = caller(b, agent("claude"));
    await call({ event: "SessionStart.startup" });
    await call({ event: "UserPromptSubmit" });
    await call({ event: "PreCompact.auto" });
    expect(await call({ event: "SessionStart.compact" })).toMatchObject({ state: "BUSY" });
  });

  test("L3 L7 helpers are counted until they end, and change nothing about the turn", async () => {
    const b = bench();
    const call = caller(b, agent("claude"));
    await call({ event: "SessionStart.startup" });
    await call({ event: "SubagentStart" });
    const working = await call({ event: "PostToolUseFailure.subagent" });
    expect(working?.state).toBe("IDLE");
    const [id = ""] = helpersAtWork(working, Date.now());
    expect(id).not.toBe("");
    expect(helpersAtWork(working, Date.now() + 31 * 60_000)).toEqual([]);
    const ended = await call({ event: "SubagentStop", changes: { agent_id: id } });
    expect(helpersAtWork(ended, Date.now())).toEqual([]);
  });

  test("L7 of a prompt a digest is kept, and none of its words", async () => {
    const b = bench();
    const call = caller(b, agent("claude"));
    const prompt = "the secret plan of the whole thing";
    await call({ event: "UserPromptSubmit", changes: { prompt } });
    const text = readFileSync(path.join(b.root, ".handoff/panes", `${key()}.json`), "utf8");
    expect(text).not.toContain("secret plan");
    expect(readdirSync(path.join(b.root, ".handoff/panes"))).toContain(".gitignore");
  });
});

describe("what is none of the pane's", () => {
  test("L3 an agent that another agent started, one that serves many, one inside a run, one without a pane", async () => {
    const b = bench();
    const outer = agent("claude");
    await b.hook("codex", "UserPromptSubmit", S, { by: outer, env: pane() });
    await b.hook("codex", "UserPromptSubmit", S, { by: agent("codex", "app-server"), env: pane() });
    await b.hook("claude-code", "UserPromptSubmit", S, {
      by: outer,
      env: { ...pane(), HANDOFF_RUN: "run-1" },
    });
    await b.hook("claude-code", "UserPromptSubmit", S, { by: outer });
    await b.hook("claude-code", "UserPromptSubmit", S, { env: pane() });
    expect(existsSync(path.join(b.root, ".handoff/panes"))).toBe(false);
    expect(b.log()).toEqual([]);
  });
});

test("L3 what an agent left behind, and does not run below the pane's server, says nothing of the pane", async () => {
  const b = bench();
  const server = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  try {
    const env = { TMUX: `/tmp/tmux-0/default,${server.pid},0`, TMUX_PANE: "%3" };
    await b.hook("claude-code", "UserPromptSubmit", S, { by: agent("claude"), env });
    expect(existsSync(path.join(b.root, ".handoff/panes"))).toBe(false);
  } finally {
    server.kill();
  }
});

test("L7 L11 what is told of a pane is counted on, whichever of its agents tells it", async () => {
  const b = bench();
  const [first, second] = [caller(b, agent("claude")), caller(b, agent("claude"))];
  const told: (number | undefined)[] = [];
  for (const call of [first, first, second, first]) {
    const file = await call({ event: "UserPromptSubmit" });
    told.push(file?.sequence, file?.prompt?.sequence);
  }
  expect(told).toEqual([1, 1, 2, 2, 3, 3, 4, 4]);
});

describe("standing", () => {
  const file: PaneFile = {
    schema_version: 1,
    pane: "%3",
    server: { socket: "/tmp/s", pid: 5, started: "50" },
    agent: "claude-code",
    process: { pid: 9, host: "h", machine: "m", started: "90", serves_many: false },
    session_id: "s-1",
    state: "IDLE",
    event: "stop",
    at: "2026-11-29T10:00:00.000Z",
    sequence: 4,
    began: null,
    prompt: null,
    helpers: [],
  };
  const owner = { server: { pid: 5, started: "50" }, agent: { pid: 9, started: "90" } };

  test("L7 what this agent's hooks told counts", () => {
    for (const state of ["IDLE", "BUSY", "BLOCKED", "DONE"] as const)
      expect(readStanding({ ...file, state }, owner).standing).toBe(state);
  });

  test.each([
    ["nothing", null, owner],
    ["another server", file, { ...owner, server: { pid: 6, started: "50" } }],
    ["a server under the same number", file, { ...owner, server: { pid: 5, started: "51" } }],
    ["another process", file, { ...owner, agent: { pid: 10, started: "90" } }],
    ["a process under the same number, started later", file, { ...owner, agent: { pid: 9, started: "91" } }],
    ["no process", { ...file, process: null }, owner],
  ])("L7 %s is UNKNOWN", (_what, found, is) => {
    const { standing, why } = readStanding(found, is);
    expect(standing).toBe("UNKNOWN");
    expect(why).not.toBe("");
  });
});

test("L3 a pane is named by the environment alone, and never by half of it", () => {
  expect(namedPane({ TMUX: "/tmp/a,b/s,12,0", TMUX_PANE: "%4" })).toMatchObject({
    socket: "/tmp/a,b/s",
    server_pid: 12,
    pane: "%4",
  });
  for (const env of [
    {},
    { TMUX_PANE: "%4" },
    { TMUX: "/tmp/s,12,0" },
    { TMUX: "/tmp/s,12,0", TMUX_PANE: "4" },
    { TMUX: "s,12,0", TMUX_PANE: "%4" },
    { TMUX: "/tmp/s", TMUX_PANE: "%4" },
  ])
    expect(namedPane(env)).toBeNull();
  expect(new Set([key("%1"), key("%2")]).size).toBe(2);
  expect(startOf(process.pid)).toMatch(/^\d+$/u);
});
