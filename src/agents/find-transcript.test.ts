import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { fixtureFile, fixtureFolder } from "../../fixtures/transcripts/tell-items.js";
import { findTranscript } from "./find-transcript.js";

const CLAUDE_ID = "a987c40f-ca49-417d-a3f0-c4e6a3079f34";
const CODEX_ID = "01a228e4-8668-7070-aa1d-3427ef947188";
const CODEX_SUBAGENT = "01a228e4-86dd-79b3-a30e-6e118d0ff5c8";

let home = "";
beforeEach(() => {
  const top = realpathSync(mkdtempSync(path.join(tmpdir(), "handoff-home-")));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  // Nobody else's files are beside it: a name that climbs finds what the test put there, which is nothing.
  home = path.join(top, "home");
  mkdirSync(home);
});

/** Puts files where the agents would. */
function layOut(claude: string, codex: string): { claudeFile: string; codexFile: string } {
  const project = path.join(claude, "projects/-home-dev-project");
  cpSync(fixtureFolder("claude-code", "subagent"), project, { recursive: true });
  const day = path.join(codex, "sessions/2026/11/29");
  cpSync(fixtureFolder("codex", "subagent"), day, { recursive: true });
  cpSync(fixtureFolder("codex", "killed"), day, { recursive: true });
  // A subagent of another session, begun later.
  const other = readFileSync(fixtureFile("codex", "subagent", "86dd"), "utf8").replaceAll(
    CODEX_ID,
    "another",
  );
  writeFileSync(
    path.join(day, "rollout-2026-11-29T20-00-00-01a228e4-0000-79b3-a30e-6e118d0ff5c8.jsonl"),
    other,
  );
  return {
    claudeFile: path.join(project, `${CLAUDE_ID}.jsonl`),
    codexFile: path.join(day, `rollout-2026-11-29T19-59-54-${CODEX_ID}.jsonl`),
  };
}

const find = (named: string, env: Record<string, string> = { HOME: home }) =>
  findTranscript(named, { cwd: home, env });

describe("finding a transcript", () => {
  it("A12 by session id, where the agents keep them", async () => {
    const { claudeFile, codexFile } = layOut(path.join(home, ".claude"), path.join(home, ".codex"));
    expect(await find(CLAUDE_ID)).toMatchObject({
      file: claudeFile,
      session_id: CLAUDE_ID,
      cwd: "/home/dev/project",
      speech: { name: "claude-code" },
    });
    expect(await find(CODEX_ID)).toMatchObject({
      file: codexFile,
      session_id: CODEX_ID,
      cwd: "/home/dev/project",
      speech: { name: "codex" },
    });
  });

  it("A12 by session id, where the agents' own variables say", async () => {
    const [claude, codex] = [path.join(home, "c"), path.join(home, "x")];
    const { claudeFile, codexFile } = layOut(claude, codex);
    const env = { HOME: "/nonexistent", CLAUDE_CONFIG_DIR: claude, CODEX_HOME: codex };
    expect([(await find(CLAUDE_ID, env)).file, (await find(CODEX_ID, env)).file]).toEqual([
      claudeFile,
      codexFile,
    ]);
    await expect(find(CLAUDE_ID, { HOME: "/nonexistent" })).rejects.toMatchObject({
      code: "transcript.missing",
      exitCode: 2,
    });
  });

  it("A12 of several with one id, the one written to last; archived rollouts too", async () => {
    const { claudeFile } = layOut(path.join(home, ".claude"), path.join(home, ".codex"));
    const other = path.join(home, ".claude/projects/-another", path.basename(claudeFile));
    cpSync(claudeFile, other);
    utimesSync(claudeFile, 1_700_000_000, 1_700_000_000);
    expect((await find(CLAUDE_ID)).file).toBe(other);
    const archived = path.join(home, ".codex/archived_sessions/rollout-2026-01-01T00-00-00-s-1.jsonl");
    const meta = {
      session_id: "s-1",
      id: "s-1",
      cwd: "/home/dev/project",
      timestamp: "2026-01-01T00:00:00.000Z",
    };
    mkdirSync(path.dirname(archived), { recursive: true });
    writeFileSync(archived, `${JSON.stringify({ timestamp: "x", type: "session_meta", payload: meta })}\n`);
    expect((await find("s-1")).file).toBe(archived);
  });

  it("A12 by file, whatever its name and place, and after rows that tell nothing", async () => {
    const file = path.join(home, "saved transcript.log");
    cpSync(fixtureFile("claude-code", "killed"), file);
    expect(await find("saved transcript.log")).toMatchObject({
      file,
      session_id: "293e3ab9-204b-4695-9f90-d3cdcd91a71d",
    });
    writeFileSync(file, `garbage\n{"type":"mode","mode":"normal","sessionId":"s-2"}\n`);
    expect(await find(file)).toMatchObject({ session_id: "s-2", cwd: null });
  });

  it("A12 a subagent's rollout is of its session", async () => {
    layOut(path.join(home, ".claude"), path.join(home, ".codex"));
    expect(await find(CODEX_SUBAGENT)).toMatchObject({ session_id: CODEX_ID, speech: { name: "codex" } });
  });

  it("A12 the session's subagents are found beside it, other sessions' threads are not", async () => {
    layOut(path.join(home, ".claude"), path.join(home, ".codex"));
    const claude = await find(CLAUDE_ID);
    expect(await claude.speech.subagentFiles(claude.file, claude.session_id)).toEqual([
      {
        file: path.join(path.dirname(claude.file), CLAUDE_ID, "subagents/agent-aac6595801ba9901a.jsonl"),
        subagent: { id: "aac6595801ba9901a", type: "general-purpose" },
      },
    ]);
    const codex = await find(CODEX_ID);
    expect(await codex.speech.subagentFiles(codex.file, codex.session_id)).toEqual([
      {
        file: path.join(path.dirname(codex.file), `rollout-2026-11-29T19-59-55-${CODEX_SUBAGENT}.jsonl`),
        subagent: { id: CODEX_SUBAGENT, type: "default" },
      },
    ]);
  });

  it.each([
    ["a file that is no transcript", "notes.txt", "transcript.unknown"],
    ["an empty file", "empty.jsonl", "transcript.unknown"],
    ["a transcript whose id cannot be a folder", "climbing.jsonl", "transcript.unknown"],
    ["a folder", "folder/", "transcript.unreadable"],
    ["a path that is not there", "no/such/file.jsonl", "transcript.missing"],
    ["an id that climbs", "../x", "transcript.missing"],
  ])("A12 %s is refused", async (_, named, code) => {
    writeFileSync(path.join(home, "notes.txt"), "some notes\n{}\n");
    writeFileSync(path.join(home, "empty.jsonl"), "");
    writeFileSync(path.join(home, "climbing.jsonl"), '{"type":"mode","sessionId":"../../x"}\n');
    mkdirSync(path.join(home, "folder"));
    await expect(find(named)).rejects.toMatchObject({
      code,
      exitCode: 2,
      hint: expect.stringMatching(/\w/u),
    });
  });
});
