import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { fixtureFile, type FixtureAgent } from "../../fixtures/transcripts/tell-items.js";
import type { CommandFact } from "../agents/agent.js";
import { findTranscript } from "../agents/find-transcript.js";
import { createRedactor } from "../redact/create-redactor.js";
import { appendEdits } from "./append-edits.js";
import { appendRecord } from "./append-record.js";
import { rebuildSession, type RebuildOptions, type RebuiltSession } from "./rebuild-session.js";
import { readSessionFile, updateSession } from "./session-file.js";
import { sessionFolderOf } from "./session-folder.js";

const CLAUDE = "480b4205-6266-4960-b4a8-e96e9f568cc6";
const redactor = createRedactor({ env: {} });
const now = new Date("2026-12-01T00:00:00.000Z");

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "handoff-rebuild-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

async function rebuild(
  file: string,
  options: Partial<RebuildOptions> = {},
): Promise<RebuiltSession & { folder: string }> {
  const transcript = await findTranscript(file, { cwd: root, env: {} });
  const rebuilt = await rebuildSession({ root, transcript, redactor, now, isLive: false, ...options });
  return { ...rebuilt, folder: sessionFolderOf(root, rebuilt.session_id) };
}
const rebuildFixture = (
  agent: FixtureAgent,
  situation: string,
  options: Partial<RebuildOptions> = {},
  part = "",
) => rebuild(fixtureFile(agent, situation, part), options);

type Line = Readonly<Record<string, unknown>>;
function linesOf(folder: string, name: string): Line[] {
  const file = path.join(folder, name);
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Line => JSON.parse(line));
}
const records = (folder: string): Line[] => linesOf(folder, "feedback.jsonl");
const brief = (folder: string): unknown[] =>
  records(folder).map(({ command, exit_code, source }) => [exit_code, command, source]);

/** A record as a hook would have made it. */
function hookRecord(folder: string, change: Partial<CommandFact>): void {
  const fact: CommandFact = {
    command: "echo hello; echo oops >&2; exit 3",
    exit_code: 3,
    error: null,
    stdout: "from the hook",
    stderr: "",
    duration_ms: 39,
    started_at: "2026-11-29T19:53:36.311Z",
    tool: "Bash",
    command_id: "toolu_d8f27211635b4513973570b0",
    cwd: null,
    subagent: null,
    agent_note: "run echo hello; echo oop",
    ...change,
  };
  const session_id = path.basename(folder);
  appendRecord(folder, fact, { agent: "claude-code", session_id, source: "hook", redactor, now });
}

describe("rebuilding a session", () => {
  it("A12 writes records, edits and the session from Claude Code's transcript", async () => {
    const { folder, ...rebuilt } = await rebuildFixture("claude-code", "failing-and-passing");
    expect(rebuilt).toMatchObject({
      session_id: CLAUDE,
      agent: "claude-code",
      commands: { told: 3, added: 3, filled: 0 },
      edits: { told: 2, added: 2 },
      context: { used_tokens: 1460, window: null },
    });
    expect(records(folder)[0]).toEqual({
      command: "echo hello; echo oops >&2; exit 3",
      exit_code: 3,
      started_at: "2026-11-29T19:53:36.310Z",
      duration_ms: 40,
      stdout_tail: "hello\noops",
      agent_note: "run echo hello; echo oop",
      command_id: "toolu_d8f27211635b4513973570b0",
      session_id: CLAUDE,
      agent: "claude-code",
      tool: "Bash",
      source: "transcript",
      cwd: ".",
    });
    expect(
      linesOf(folder, "touched_files.jsonl").map((line) => [line["path"], line["tool"], line["at"]]),
    ).toEqual([
      ["a.txt", "Write", "2026-11-29T19:53:36.432Z"],
      ["a.txt", "Edit", "2026-11-29T19:53:36.461Z"],
    ]);
    expect(readSessionFile(folder)).toEqual({
      schema_version: 1,
      session_id: CLAUDE,
      agent: "claude-code",
      model: "claude-sonnet-4-5-20250929",
      branch: "main",
      base_commit: "971577c",
      goal: "please fix the limiter",
      earlier_goals: [],
      source: "transcript",
      started_at: "2026-11-29T19:53:36.209Z",
      ended_at: null,
      end_reason: null,
      last_message: "All done.",
      transcript_path: fixtureFile("claude-code", "failing-and-passing"),
      tree: null,
      transcript_bytes: 0,
      context: { used_tokens: 1460, window: null },
      process: null,
    });
  });

  it("A12 writes what a Codex rollout and its subagents' tell", async () => {
    const { folder, subagents, context } = await rebuildFixture("codex", "subagent", {}, "8668");
    expect(brief(folder)).toEqual([
      [4, "echo sub-out; exit 4", "transcript"],
      [0, "sleep 3; echo main-after", "transcript"],
    ]);
    expect(records(folder)[0]?.["subagent"]).toEqual({
      id: "01a228e4-86dd-79b3-a30e-6e118d0ff5c8",
      type: "default",
    });
    expect([subagents, context]).toEqual([1, { used_tokens: 5300, window: 258_400 }]);
    expect(readSessionFile(folder)).toMatchObject({
      agent: "codex",
      base_commit: "01ec841b87f9eafee5f934f81dc37289fd7f8f62",
      context: { used_tokens: 5300, window: 258_400 },
    });
  });

  it.each([
    ["claude-code", "failing-and-passing"],
    ["claude-code", "parallel-subagents"],
    ["claude-code", "killed"],
    ["codex", "failing-and-passing"],
    ["codex", "killed"],
    ["codex", "interrupted-and-resumed"],
  ] as const)("A12 twice is once: %s/%s", async (agent, situation) => {
    const { folder } = await rebuildFixture(agent, situation);
    const files = ["feedback.jsonl", "touched_files.jsonl", "session.json"];
    const before = files.map(
      (name) => existsSync(path.join(folder, name)) && readFileSync(path.join(folder, name), "utf8"),
    );
    const again = await rebuildFixture(agent, situation);
    expect(
      files.map(
        (name) => existsSync(path.join(folder, name)) && readFileSync(path.join(folder, name), "utf8"),
      ),
    ).toEqual(before);
    expect([again.commands.added, again.commands.filled, again.edits.added]).toEqual([0, 0, 0]);
  });

  it("A12 what hooks recorded is not doubled, and stays as they wrote it", async () => {
    const folder = sessionFolderOf(root, CLAUDE);
    hookRecord(folder, {});
    const edit = {
      paths: ["/home/dev/project/a.txt"],
      tool: "Write",
      command_id: "toolu_ee2ba42bad5e43b4975e9fc4",
    };
    appendEdits(folder, edit, { cwd: root, redactor, now });
    await updateSession(folder, {
      agent: "claude-code",
      goal: "the hook's goal",
      branch: "feat/x",
      source: "startup",
    });
    const { commands, edits, fields } = await rebuildFixture("claude-code", "failing-and-passing");
    expect([commands, edits]).toEqual([
      { told: 3, added: 2, filled: 0 },
      { told: 2, added: 1 },
    ]);
    expect(records(folder)[0]).toMatchObject({
      source: "hook",
      stdout_tail: "from the hook",
      duration_ms: 39,
    });
    expect(readSessionFile(folder)).toMatchObject({
      goal: "the hook's goal",
      branch: "feat/x",
      source: "startup",
      base_commit: "971577c",
      last_message: "All done.",
    });
    expect(fields).not.toContain("goal");
  });

  describe("A7 what called handoff in it", () => {
    /** The fixture, its failing command replaced. */
    const rebuildWith = (command: string) => {
      const fixture = fixtureFile("claude-code", "failing-and-passing");
      const text = readFileSync(fixture, "utf8");
      const changed = text.replaceAll("echo hello; echo oops >&2; exit 3", command);
      expect(changed).not.toBe(text);
      const file = path.join(root, path.basename(fixture));
      writeFileSync(file, changed);
      return rebuild(file);
    };
    const execRecord = (folder: string, command_id: string | null, command = ["npm", "test"]): void =>
      appendRecord(
        folder,
        {
          command,
          exit_code: 3,
          error: null,
          stdout: "",
          stderr: "",
          duration_ms: 1,
          started_at: null,
          tool: "handoff exec",
          command_id,
          cwd: null,
          subagent: null,
          agent_note: null,
        },
        { agent: "claude-code", session_id: CLAUDE, source: "exec", redactor, now },
      );

    it("A7 a note is no record", async () => {
      const { folder, commands } = await rebuildWith("handoff note next 'mend it'");
      expect(commands).toEqual({ told: 2, added: 2, filled: 0 });
      expect(records(folder)).toHaveLength(2);
    });

    it.each([
      ["by what it ran", null],
      ["by the call's id", "toolu_d8f27211635b4513973570b0:4711"],
    ])("A7 what exec recorded itself, known %s, is one record", async (_, command_id) => {
      const folder = sessionFolderOf(root, CLAUDE);
      execRecord(folder, command_id, command_id === null ? undefined : ["npm", "run", "something"]);
      const { commands } = await rebuildWith("handoff exec -- npm test 2>&1");
      expect(commands.added).toBe(2);
      expect(records(folder).filter(({ exit_code }) => exit_code === 3)).toHaveLength(1);
    });

    it("A7 what exec could not record here is, and twice is once", async () => {
      const { folder, commands } = await rebuildWith("handoff exec -- npm test 2>&1");
      expect(commands).toEqual({ told: 3, added: 3, filled: 0 });
      expect(records(folder)[0]).toMatchObject({
        command: ["npm", "test"],
        exit_code: 3,
        source: "transcript",
      });
      expect((await rebuildWith("handoff exec -- npm test 2>&1")).commands.added).toBe(0);
    });
  });

  it("A12 a record in a rotated part of the log counts as well", async () => {
    const folder = sessionFolderOf(root, CLAUDE);
    hookRecord(folder, {});
    cpSync(path.join(folder, "feedback.jsonl"), path.join(folder, "feedback.jsonl.1"));
    rmSync(path.join(folder, "feedback.jsonl"));
    expect((await rebuildFixture("claude-code", "failing-and-passing")).commands.added).toBe(2);
  });

  it("A12 a record without an exit gets the one that the transcript knows, in place", async () => {
    const folder = sessionFolderOf(root, CLAUDE);
    hookRecord(folder, { exit_code: null, error: "how it ended is not known", duration_ms: null });
    hookRecord(folder, { command: "another", command_id: "other", exit_code: null, error: "interrupted" });
    const size = readFileSync(path.join(folder, "feedback.jsonl")).length;
    const first = readFileSync(path.join(folder, "feedback.jsonl")).indexOf(0x0a);
    const { commands } = await rebuildFixture("claude-code", "failing-and-passing");
    expect(commands).toEqual({ told: 3, added: 2, filled: 1 });
    const [filled, other] = records(folder);
    expect(filled).toMatchObject({
      exit_code: 3,
      duration_ms: 40,
      source: "hook",
      stdout_tail: "from the hook",
    });
    expect(filled).not.toHaveProperty("error");
    expect(other).toMatchObject({ exit_code: null, error: "interrupted" });
    const bytes = readFileSync(path.join(folder, "feedback.jsonl"));
    expect([bytes.indexOf(0x0a), bytes.length > size]).toEqual([first, true]);
  });

  it("A12 a number that means something keeps its meaning when it is filled in", async () => {
    const session = "7137ea25-15b7-4d6b-8137-7f18047ec033";
    const folder = sessionFolderOf(root, session);
    const command_id = "toolu_73567422c44a4c6d99e03061";
    hookRecord(folder, {
      command: "test -f nope",
      command_id,
      exit_code: null,
      error: "how it ended is not known yet",
    });
    await rebuildFixture("claude-code", "exits-that-mean-no");
    expect(records(folder)[0]).toMatchObject({ exit_code: 1, error: "Condition is false" });
  });

  it("A12 a session that goes on: what it is at is no record yet", async () => {
    const live = await rebuildFixture("claude-code", "killed", { isLive: true });
    expect(brief(live.folder)).toEqual([[2, "echo first; exit 2", "transcript"]]);
    const later = await rebuildFixture("claude-code", "killed");
    expect(later.commands.added).toBe(1);
    expect(records(later.folder)[1]).toMatchObject({
      exit_code: null,
      error: expect.stringContaining("no result"),
    });
  });

  it("A12 a transcript that grew: the rest is added, the reading and the last words are the new ones", async () => {
    const source = readFileSync(fixtureFile("claude-code", "resumed-and-forked", "d4a7"), "utf8").split("\n");
    const file = path.join(root, "t.jsonl");
    const half = source.findIndex((line) => line.includes('"content":"second"'));
    writeFileSync(file, `${source.slice(0, half).join("\n")}\n`);
    const { folder } = await rebuild(file);
    const row = {
      type: "assistant",
      sessionId: path.basename(folder),
      timestamp: "2026-11-29T19:55:00.000Z",
    };
    const usage = { input_tokens: 9000, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    const content = [{ type: "text", text: "new words" }];
    const last = JSON.stringify({ ...row, message: { id: "m-9", model: "another", content, usage } });
    writeFileSync(file, `${source.join("\n")}${last}\n`);
    const again = await rebuild(file);
    expect(again.commands).toEqual({ told: 2, added: 1, filled: 0 });
    expect(readSessionFile(folder)).toMatchObject({
      goal: "first",
      last_message: "new words",
      model: "another",
      context: { used_tokens: 9000, window: null },
    });
  });

  it("A12 with isDryRun nothing is written, and the counts are the same", async () => {
    const dry = await rebuildFixture("codex", "failing-and-passing", { isDryRun: true });
    expect(existsSync(path.join(root, ".handoff"))).toBe(false);
    const wet = await rebuildFixture("codex", "failing-and-passing");
    expect([dry.commands, dry.edits, dry.fields]).toEqual([wet.commands, wet.edits, wet.fields]);
  });

  it("A12 a session of another checkout has its files and folders here", async () => {
    const { folder } = await rebuildFixture("codex", "failing-and-passing");
    expect(linesOf(folder, "touched_files.jsonl").map((line) => line["path"])).toEqual([
      "a.txt",
      "a.txt",
      "README.md",
      "sub/b.txt",
      "viashell.txt",
    ]);
    expect(records(folder).map((line) => line["cwd"])).toEqual([".", ".", ".", "."]);
  });

  it("S13 secrets of a transcript do not reach the disk", async () => {
    const secret =
      "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijAA";
    const file = path.join(root, "t.jsonl");
    const text = readFileSync(fixtureFile("claude-code", "failing-and-passing"), "utf8")
      .replaceAll("please fix the limiter", `please use ${secret}`)
      .replaceAll("hello", secret)
      .replaceAll("All done.", `All done with ${secret}.`);
    writeFileSync(file, text);
    const { folder } = await rebuild(file);
    for (const name of ["feedback.jsonl", "session.json"])
      expect(readFileSync(path.join(folder, name), "utf8")).not.toContain(secret.slice(14, 60));
    expect(records(folder)[0]?.["redactions"]).toBeDefined();
    expect(readSessionFile(folder)?.goal).toContain("please use");
  });

  it("A12 what a command said in the background is in its record, if its file is still there", async () => {
    const session = "14594163-c4bd-4b00-9c58-66bcd13a0715";
    const tasks = path.join(root, session, "tasks");
    mkdirSync(tasks, { recursive: true });
    writeFileSync(path.join(tasks, "bxl2ae33u.output"), "late words\n[exited with code 5]\n");
    const file = path.join(root, "t.jsonl");
    const text = readFileSync(fixtureFile("claude-code", "background"), "utf8");
    writeFileSync(file, text.replaceAll(/\/tmp\/claude\/[^"<]*\/tasks\//gu, `${tasks}/`));
    const { folder } = await rebuild(file);
    expect(records(folder)[0]).toMatchObject({ exit_code: 5, stdout_tail: "late words" });
    rmSync(path.join(root, ".handoff"), { recursive: true });
    rmSync(tasks, { recursive: true });
    expect(records((await rebuild(file)).folder)[0]).not.toHaveProperty("stdout_tail");
  });

  it("A12 a brief or a slash command is nobody's goal, as for hooks", async () => {
    const { folder } = await rebuildFixture("claude-code", "slash-commands", {}, "666b");
    expect(readSessionFile(folder)?.goal).toBe("long job please");
  });

  it("A12 the log of a torn line loses that line only", async () => {
    const folder = sessionFolderOf(root, CLAUDE);
    hookRecord(folder, {});
    const log = path.join(folder, "feedback.jsonl");
    writeFileSync(log, `${readFileSync(log, "utf8")}{"command":"torn","exit_co`);
    const { commands } = await rebuildFixture("claude-code", "failing-and-passing");
    expect(commands.added).toBe(2);
    const lines = readFileSync(log, "utf8").split("\n");
    expect([lines.length, lines[1], JSON.parse(lines[2] ?? "")]).toEqual([
      5,
      '{"command":"torn","exit_co',
      expect.objectContaining({ command: "seq 1 200" }),
    ]);
  });

  it("A12 a situation without commands still tells of its session", async () => {
    const { folder, commands } = await rebuildFixture("claude-code", "notebook");
    expect([commands.told, existsSync(path.join(folder, "feedback.jsonl"))]).toEqual([0, false]);
    expect(readSessionFile(folder)).toMatchObject({ goal: "notebook" });
  });
});
