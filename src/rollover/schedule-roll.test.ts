// What a roll is scheduled from, and beside whom (L6, L11): real records, and hooks that tell something in between.
import { rmSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agentPaneOf } from "../agents/pane-registry.js";
import { emptyFolder } from "../cli/testing/sample-workbench.js";
import { readOwnIdentity } from "../io/process-identity.js";
import { changePaneFile, type PaneFile } from "../recorder/pane-file.js";
import type { FoundPane } from "./find-pane.js";
import { claimExecutor, readRoll, releaseExecutor, writeRoll } from "./roll-file.js";
import { newRoll, scheduleRoll } from "./schedule-roll.js";
import type { Scene } from "./take-action.js";
import { WATCHES } from "./watch-phases.js";

const found = agentPaneOf("claude-code");
if (found === null) throw new Error("no agent");
const agent = found;
const KEY = "0123456789abcdef";
const SETTINGS = {
  handover_path: "handover.md",
  require_operator_confirm: false,
  max_doc_age_seconds: 3600,
  turn_settle_seconds: 20,
  clear_settle_seconds: 20,
  bootstrap_text: "Read {path}.",
};
const PACKET = { packet_id: "hp_0123456789abcdef", packet_path: "outputs/handoff.md", session_id: "s-1" };

let root = "";
beforeEach(() => {
  root = emptyFolder();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function sceneOf(): Promise<{ scene: Scene; pane: FoundPane; file: PaneFile }> {
  const process = await readOwnIdentity();
  const server = { pid: process.pid, started: process.started };
  const pane: FoundPane = {
    key: KEY,
    pane: "%3",
    socket: "/tmp/s",
    server_pid: server.pid,
    server,
    agent,
    process,
    pane_pid: process.pid,
  };
  const file: PaneFile = {
    schema_version: 1,
    pane: "%3",
    server: { socket: "/tmp/s", ...server },
    agent: "claude-code",
    process: { ...process, serves_many: false },
    session_id: "s-1",
    state: "BUSY",
    event: "command",
    at: "2026-11-30T00:00:00.000Z",
    sequence: 7,
    began: null,
    prompt: { session_id: "s-1", sha256: "0", sequence: 5 },
    helpers: [],
  };
  const scene = {
    workbench: { root, env: {} },
    facts: { token_sha256: "a" },
    now: new Date("2026-11-30T00:00:01.000Z"),
    session_id: "s-1",
    sequence: file.sequence,
  } as Scene;
  return { scene, pane, file };
}

test("L6 a prompt that comes while confirm still publishes is newer than the handover: the roll is overtaken by it", async () => {
  const { scene, pane, file } = await sceneOf();
  const later = { ...file, sequence: 8, prompt: { session_id: "s-1", sha256: "1", sequence: 8 } };
  changePaneFile(root, KEY, () => later);
  const roll = newRoll(scene, pane, SETTINGS, PACKET);
  const look = { gone: null, file: later, typed: "", unsettled: null, isFresh: false };
  expect(WATCHES.watch_turn?.(roll, look, pane.agent)?.event).toBe("overtaken");
  // What was told before is none.
  expect(WATCHES.watch_turn?.(roll, { ...look, file }, pane.agent)?.event).toBe("settled");
});

test("L11 a roll that somebody has gone on with since the gates were looked at is left to them", async () => {
  const { scene, pane } = await sceneOf();
  const before = { ...newRoll(scene, pane, SETTINGS, PACKET), phase: "settling" } as const;
  await writeRoll(root, KEY, before);
  const next = newRoll(scene, pane, SETTINGS, { ...PACKET, packet_id: "hp_fedcba9876543210" });
  await claimExecutor(root, KEY);
  expect(await scheduleRoll(scene, KEY, next)).toBe(before.roll_id);
  expect(await readRoll(root, KEY)).toEqual(before);
  // Nobody has it, or it is over: the next one takes its place.
  await releaseExecutor(root, KEY);
  expect(await scheduleRoll(scene, KEY, next)).toBeNull();
  expect(await readRoll(root, KEY)).toEqual(next);
  await writeRoll(root, KEY, { ...next, phase: "bootstrapped" });
  await claimExecutor(root, KEY);
  expect(await scheduleRoll(scene, KEY, before)).toBeNull();
  expect(await readRoll(root, KEY)).toEqual(before);
});
