// Records as they lie on the disk, read back by the scanner that packets are made from.
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CommandFact } from "../agents/agent.js";
import { createRedactor } from "../redact/create-redactor.js";
import { feedbackRecordSchema } from "../model/feedback-record-schema.js";
import { loadSnapshot } from "../workbench/load-snapshot.js";
import { appendEdits } from "./append-edits.js";
import { appendRecord, type RecordContext } from "./append-record.js";
import { readSessionFile, updateSession } from "./session-file.js";

let root = "";
let folder = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "handoff-record-")));
  folder = path.join(root, ".handoff/sessions/s-1");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const NOW = new Date("2026-11-29T12:00:00.000Z");
const SECRET = ["ghp", "0123456789abcdefghijABCDEFGHIJ012345"].join("_");

const context = (env: Record<string, string> = {}): RecordContext => ({
  agent: "claude-code",
  session_id: "s-1",
  source: "hook",
  redactor: createRedactor({ env }),
  now: NOW,
});

const fact = (changes: Partial<CommandFact> = {}): CommandFact => ({
  command: "npm test",
  exit_code: 1,
  error: null,
  stdout: "",
  stderr: "",
  duration_ms: 1500,
  started_at: null,
  tool: "Bash",
  command_id: null,
  cwd: null,
  subagent: null,
  agent_note: null,
  ...changes,
});

const text = (): string => readFileSync(path.join(folder, "feedback.jsonl"), "utf8");
const lines = (): Record<string, unknown>[] =>
  text()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("A7 a record is what P3 asks for, and says who, with which tool and how it is known", () => {
  appendRecord(
    folder,
    fact({
      stdout: "ok\n",
      stderr: "bad\n",
      command_id: "toolu_1",
      cwd: path.join(root, "src"),
      agent_note: "run the tests",
      subagent: { id: "a1", type: "Explore" },
    }),
    context(),
  );
  const [line] = lines();
  expect(line).toEqual({
    command: "npm test",
    exit_code: 1,
    started_at: "2026-11-29T11:59:58.500Z",
    duration_ms: 1500,
    stdout_tail: "ok\n",
    stderr_tail: "bad\n",
    agent_note: "run the tests",
    command_id: "toolu_1",
    session_id: "s-1",
    agent: "claude-code",
    tool: "Bash",
    source: "hook",
    cwd: "src",
    subagent: { id: "a1", type: "Explore" },
  });
  expect(feedbackRecordSchema.safeParse(line).success).toBe(true);
  expect(readFileSync(path.join(root, ".handoff/sessions/.gitignore"), "utf8")).toBe("*\n");
});

test("A7 no secret reaches the disk, wherever it stood, and each is counted", () => {
  const pem = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEowIBAAKCAQEAxyz+\n".repeat(20)}-----END RSA PRIVATE KEY-----\n`;
  appendRecord(
    folder,
    fact({
      command: `curl -H "Authorization: Bearer ${SECRET}" https://example.org`,
      stdout: `token ${SECRET}\n${pem}`,
      stderr: `Zm9vYmFyYmF6-in-env\n`,
      error: `with ${SECRET}`,
      agent_note: `use ${SECRET}`,
    }),
    context({ API_TOKEN: "Zm9vYmFyYmF6-in-env" }),
  );
  for (const secret of [SECRET, "MIIEowIBAAKCAQEA", "Zm9vYmFyYmF6"]) expect(text()).not.toContain(secret);
  const { redactions } = lines()[0] ?? {};
  expect(redactions).toMatchObject({ "github-token": expect.any(Number) });
});

test("A7 a key that the cut would part is found before it is cut", () => {
  const body = Array.from(
    { length: 60 },
    (_, i) => `MIIEkeybody${String(i).padStart(3, "0")}${"Ab9+".repeat(12)}`,
  );
  const stdout = ["-----BEGIN PRIVATE KEY-----", ...body, "-----END PRIVATE KEY-----", "done", ""].join("\n");
  appendRecord(folder, fact({ stdout }), context());
  expect(text()).not.toContain("MIIEkeybody");
  expect(lines()[0]?.["stdout_tail"]).toContain("done");
});

test("A7 a token at the seam of what is looked at of a very long output is not written in part", () => {
  const filler = `${"x".repeat(99)}\n`;
  for (const shift of [0, 10, 20, 30, 40]) {
    const head = filler.repeat(327) + "y".repeat(shift);
    appendRecord(folder, fact({ stdout: `${head} ${SECRET} ${filler.repeat(8000)}` }), context());
  }
  expect(text()).not.toContain(SECRET.slice(4, 20));
});

test("A7 long outputs are cut and counted; a line stays below 64 KiB whatever its characters", () => {
  appendRecord(
    folder,
    fact({ stdout: `${"out\n".repeat(1000)}last\n`, stderr: "e".repeat(300_000) }),
    context(),
  );
  appendRecord(
    folder,
    fact({
      command: "\u0001".repeat(50_000),
      stdout: "\u0002".repeat(50_000),
      stderr: "\u0003".repeat(50_000),
    }),
    context(),
  );
  appendRecord(folder, fact({ command: ["node", "-e", "x".repeat(50_000), "tail"] }), context());
  const [first, second, third] = lines();
  expect(first?.["truncations"]).toMatchObject({ stdout: expect.any(Number), stderr: expect.any(Number) });
  const kept = Buffer.byteLength(String(first?.["stderr_tail"]));
  expect(kept).toBeLessThanOrEqual(4096);
  expect(JSON.parse(text().split("\n")[0] ?? "{}").truncations.stderr).toBeGreaterThan(300_000 - 4096);
  expect(String(first?.["stdout_tail"]).endsWith("last")).toBe(true);
  for (const line of text().trimEnd().split("\n")) expect(Buffer.byteLength(line)).toBeLessThan(64 * 1024);
  expect(second?.["truncations"]).toMatchObject({ command: 50_000 - 8192 });
  expect(third).toMatchObject({ command: ["node", "-e", expect.stringMatching(/^x{8000}/u)] });
  expect(third?.["truncations"]).toMatchObject({ command: expect.any(Number) });
});

test("A7 no field makes a line longer than 64 KiB, and a time that is none is counted back from now", () => {
  const long = "\u0001".repeat(200_000);
  const names = { tool: long, command_id: long, subagent: { id: long, type: long } };
  const texts = { command: long, stdout: long, stderr: long, error: long, agent_note: long, cwd: long };
  appendRecord(folder, fact({ ...names, ...texts, started_at: long }), context());
  appendRecord(folder, fact({ started_at: "9".repeat(1_000_000) }), context());
  appendRecord(folder, fact({ started_at: "2026-11-29T13:00:00+01:00" }), context());
  for (const line of text().trimEnd().split("\n")) expect(Buffer.byteLength(line)).toBeLessThan(64 * 1024);
  const [first, second, third] = lines();
  expect(first).toMatchObject({
    started_at: "2026-11-29T11:59:58.500Z",
    subagent: { id: names.tool.slice(0, 256) },
  });
  expect(second).toMatchObject({ started_at: "2026-11-29T11:59:58.500Z" });
  expect(third).toMatchObject({ started_at: "2026-11-29T13:00:00+01:00" });
});

test("A7 what the agent had cut is counted with what we cut", () => {
  appendRecord(folder, fact({ stdout: "end\n", stdout_cut: 5000 }), context());
  expect(lines()[0]?.["truncations"]).toEqual({ stdout: 5000 });
});

test("A7 a torn last line costs itself, not the record behind it", async () => {
  appendRecord(folder, fact({ command_id: "a" }), context());
  appendFileSync(path.join(folder, "feedback.jsonl"), '{"command":"torn","exit_co');
  appendRecord(folder, fact({ command_id: "b" }), context());
  const { feedback } = await loadSnapshot(root, { hookSessionId: "s-1", env: {} });
  expect(feedback).toMatchObject({ total: 2, nonzero: 2, skipped_lines: 1 });
});

test("P14 a command that is told twice counts once", async () => {
  for (const exit_code of [1, 1, 0])
    appendRecord(folder, fact({ command_id: "toolu_1", exit_code }), context());
  const { feedback } = await loadSnapshot(root, { hookSessionId: "s-1", env: {} });
  expect(feedback).toMatchObject({ total: 1, nonzero: 1 });
  expect(feedback.failures[0]?.resolved_at).toBeNull();
});

test("P43 a link that leads out of the workbench is not followed", () => {
  const outside = realpathSync(mkdtempSync(path.join(tmpdir(), "handoff-outside-")));
  try {
    symlinkSync(outside, path.join(root, ".handoff"));
    expect(() => appendRecord(folder, fact(), context())).toThrow(/leads out of the workbench/u);
    expect(existsSync(path.join(outside, "sessions"))).toBe(false);
    rmSync(path.join(root, ".handoff"));
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(outside, "log"), "");
    symlinkSync(path.join(outside, "log"), path.join(folder, "feedback.jsonl"));
    expect(() => appendRecord(folder, fact(), context())).toThrow(/ELOOP/u);
    expect(readFileSync(path.join(outside, "log"), "utf8")).toBe("");
  } finally {
    rmSync(outside, { recursive: true, force: true });
  }
});

test("A6 a FIFO in the log's place is no reason to wait", () => {
  mkdirSync(folder, { recursive: true });
  execFileSync("mkfifo", [path.join(folder, "feedback.jsonl")]);
  expect(() => appendRecord(folder, fact(), context())).toThrow(/not a regular file|ENXIO/u);
});

test("A8 edits name their files from the root; what lies outside keeps its whole path", async () => {
  const redactor = createRedactor();
  const edit = (paths: string[]) => ({ paths, tool: "Edit", command_id: "toolu_9" });
  appendEdits(folder, edit([path.join(root, "src/a.ts")]), { cwd: root, redactor, now: NOW });
  appendEdits(folder, edit(["b c.ts", "../up.ts", `${SECRET}.txt`]), {
    cwd: path.join(root, "src"),
    redactor,
    now: NOW,
  });
  appendEdits(folder, edit(["/etc/hosts", "", "x".repeat(5000)]), { cwd: root, redactor, now: NOW });
  const edits = readFileSync(path.join(folder, "touched_files.jsonl"), "utf8").trimEnd().split("\n");
  expect(edits.map((line) => JSON.parse(line).path)).toEqual([
    "src/a.ts",
    "src/b c.ts",
    "up.ts",
    "src/[redacted:github-token].txt",
    "/etc/hosts",
  ]);
  expect(JSON.parse(edits[0] ?? "")).toEqual({
    path: "src/a.ts",
    tool: "Edit",
    at: "2026-11-29T12:00:00.000Z",
    command_id: "toolu_9",
  });
});

test("A8 a text that is too long to name anything is none, so that session.json stays one that is read", async () => {
  const long = "x".repeat(2_000_000);
  const names = { model: long, branch: long, base_commit: long, source: long, end_reason: long };
  await updateSession(folder, { goal: "do it", agent: "codex" });
  await updateSession(folder, { ...names, transcript_path: `/${long}` });
  const nothing = Object.fromEntries(Object.keys(names).map((name) => [name, null]));
  expect(readSessionFile(folder)).toMatchObject({ goal: "do it", ...nothing, transcript_path: null });
  await updateSession(folder, { model: "m", transcript_path: `/${"x".repeat(3000)}` });
  expect(readSessionFile(folder)).toMatchObject({ model: "m", transcript_path: `/${"x".repeat(3000)}` });
});

test("A8 session.json is changed whole, keeps what it holds, and begins anew when it says nothing usable", async () => {
  await updateSession(folder, { agent: "codex", goal: "do it" });
  await updateSession(folder, { last_message: "done" });
  expect(readSessionFile(folder)).toMatchObject({
    schema_version: 1,
    session_id: "s-1",
    agent: "codex",
    goal: "do it",
    last_message: "done",
    ended_at: null,
  });
  const file = path.join(folder, "session.json");
  const before = lstatSync(file).ino;
  await updateSession(folder, { last_message: "done" });
  expect(lstatSync(file).ino).toBe(before);
  for (const broken of ["", "[1]", "{", '{"goal": 7, "transcript_bytes": "x"}']) {
    writeFileSync(file, broken);
    await updateSession(folder, { goal: "again" });
    expect(readSessionFile(folder)).toMatchObject({ goal: "again", transcript_bytes: 0 });
  }
});

test("A8 what several hooks note at once is all in session.json", async () => {
  await updateSession(folder, { agent: "codex" });
  const changes = [
    { goal: "do it" },
    { model: "m" },
    { branch: "main" },
    { last_message: "done" },
    { source: "clear" },
  ];
  await Promise.all(changes.map((change) => updateSession(folder, change)));
  expect(readSessionFile(folder)).toMatchObject(Object.assign({ agent: "codex" }, ...changes));
  expect(readdirSync(folder).toSorted()).toEqual(["session.json"]);
});

test("A8 the first of several hooks at once makes session.json, the others add to it", async () => {
  await Promise.all([updateSession(folder, { goal: "do it" }), updateSession(folder, { model: "m" })]);
  expect(readSessionFile(folder)).toMatchObject({ goal: "do it", model: "m" });
});
