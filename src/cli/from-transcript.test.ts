import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { fixtureFile, fixtureFolder, type FixtureAgent } from "../../fixtures/transcripts/tell-items.js";
import type { CliRun } from "./testing/built-cli.js";
import { runHere } from "./testing/run-here.js";

const CLAUDE = "480b4205-6266-4960-b4a8-e96e9f568cc6";
const CODEX = "01a228e3-664d-7782-a817-2f3168431f40";

let home = "";
let root = "";
const temporary = (): string => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "handoff-from-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=dev", "-c", "user.email=dev@example.org", ...args], {
    cwd: root,
    encoding: "utf8",
  }).trim();

beforeEach(() => {
  home = temporary();
  root = temporary();
  git("init", "-q", "-b", "main", ".");
  writeFileSync(path.join(root, "README.md"), "hi\n");
  git("add", ".");
  git("commit", "-q", "-m", "one");
});

/** Rewrites every transcript below a folder as if its session had run here. */
function moveHere(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = path.join(folder, name);
    if (!statSync(file).isFile()) continue;
    const commit = git("rev-parse", "HEAD");
    const text = readFileSync(file, "utf8")
      .replaceAll("/home/dev/project", root)
      .replaceAll("971577c one", `${commit.slice(0, 7)} one`)
      .replaceAll("2b39d7644cc95946eeabbd6530510126f5990151", commit);
    writeFileSync(file, text);
  }
}

/** Puts a situation where its agent would keep it. */
function keep(agent: FixtureAgent, situation: string): void {
  const folder =
    agent === "codex"
      ? path.join(home, ".codex/sessions/2026/11/29")
      : path.join(home, ".claude/projects/-home-dev-project");
  cpSync(fixtureFolder(agent, situation), folder, { recursive: true });
  moveHere(folder);
}

const handoff = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CliRun> =>
  runHere(args, { cwd: root, env: { HOME: home, ...env } });
const packet = (session: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path.join(root, `outputs/handoff/${session}/handoff.json`), "utf8"));

describe("handoff generate --from-transcript", () => {
  it("A12 makes the packet of a Claude Code session that ran without hooks", async () => {
    keep("claude-code", "failing-and-passing");
    writeFileSync(path.join(root, "a.txt"), "one\nthree\n");
    const { code, stdout, stderr } = await handoff(["generate", "--from-transcript", CLAUDE]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      new RegExp(
        `^Claude Code session ${CLAUDE}: 3 commands \\(3 new\\), 2 edits \\(2 new\\)\\noutputs/handoff/${CLAUDE}/handoff.md\\n`,
        "u",
      ),
    );
    expect(packet(CLAUDE)).toMatchObject({
      session_id: CLAUDE,
      branch: "main",
      commands_run: [{ exit_code: 3 }, { command: "seq 1 200", exit_code: 0 }, { exit_code: 0 }],
      failed_attempts: [{ what: "echo hello; echo oops >&2; exit 3", exit_code: 3 }],
      changed_files: expect.arrayContaining([expect.objectContaining({ path: "a.txt" })]),
    });
    const again = await handoff(["generate", "--from-transcript", CLAUDE]);
    expect(again.stdout).toContain("3 commands (0 new), 2 edits (0 new)");
    expect(again.stdout).toContain("unchanged: the packet was already there");
  });

  it("A12 makes the packet of a Codex session, named by file", async () => {
    keep("codex", "failing-and-passing");
    const file = path.join(
      home,
      ".codex/sessions/2026/11/29",
      path.basename(fixtureFile("codex", "failing-and-passing")),
    );
    const { code, stdout } = await handoff([
      "generate",
      "--json",
      "--from-transcript",
      path.relative(root, file),
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      packet: {
        session_id: CODEX,
        commands_run: [{ exit_code: 3 }, { exit_code: 0 }, { exit_code: 0 }, { exit_code: 127 }],
      },
      transcript: {
        file,
        agent: "codex",
        session_id: CODEX,
        subagents: 0,
        commands: { told: 4, added: 4, filled: 0 },
        edits: { told: 3, added: 3 },
        context: { used_tokens: 1500, window: 258_400 },
        unreadable_lines: 0,
      },
    });
  });

  it("A12 says which lines could not be read, and reads the others", async () => {
    keep("claude-code", "failing-and-passing");
    const file = path.join(home, `.claude/projects/-home-dev-project/${CLAUDE}.jsonl`);
    appendFileSync(file, 'garbage\n{"type":"assis');
    const { code, stdout, stderr } = await handoff(["generate", "--from-transcript", CLAUDE]);
    expect([code, stdout.split("\n")[0]]).toEqual([
      0,
      `Claude Code session ${CLAUDE}: 3 commands (3 new), 2 edits (2 new)`,
    ]);
    expect(stderr).toContain(
      "handoff: transcript.skipped_lines: 2 lines of the transcript could not be read (1 no JSON, 1 cut off at the end)",
    );
  });

  it("A12 --dry-run says what would be written, and writes nothing", async () => {
    keep("claude-code", "failing-and-passing");
    const { code, stdout } = await handoff(["generate", "--dry-run", "--from-transcript", CLAUDE]);
    expect([code, stdout]).toEqual([
      0,
      `Claude Code session ${CLAUDE}: 3 commands (3 would be new), 2 edits (2 would be new)\n`,
    ]);
    const json = await handoff(["generate", "--dry-run", "--json", "--from-transcript", CLAUDE]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: true,
      packet: null,
      dry_run: true,
      changed: false,
      transcript: { commands: { told: 3, added: 3 } },
    });
    expect([existsSync(path.join(root, ".handoff")), existsSync(path.join(root, "outputs"))]).toEqual([
      false,
      false,
    ]);
  });

  it.each([
    [["--stdout", "md"], "--stdout writes nothing"],
    [["--check"], "--check writes nothing"],
    [["--session", "s-1"], `--session s-1 and a transcript of session ${CLAUDE}`],
  ])("A12 with %s it is refused, before anything is written", async (options, words) => {
    keep("claude-code", "failing-and-passing");
    const { code, stdout, stderr } = await handoff(["generate", ...options, "--from-transcript", CLAUDE]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`handoff: usage.arguments: `);
    expect(stderr).toContain(words);
    expect(existsSync(path.join(root, ".handoff"))).toBe(false);
  });

  it("A12 a session of another project is refused, unless the workbench is named", async () => {
    const file = fixtureFile("claude-code", "failing-and-passing");
    const refused = await handoff(["generate", "--from-transcript", file]);
    expect([refused.code, existsSync(path.join(root, ".handoff"))]).toEqual([2, false]);
    expect(refused.stderr).toContain("transcript.elsewhere: its session worked in /home/dev/project");
    const named = await handoff(["generate", "--root", ".", "--from-transcript", file]);
    expect(named.code).toBe(0);
    const touched = path.join(root, `.handoff/sessions/${CLAUDE}/touched_files.jsonl`);
    expect(readFileSync(touched, "utf8")).toContain('"path":"a.txt"');
  });

  it("A12 an exit that is filled in is seen although the log was scanned before", async () => {
    keep("claude-code", "failing-and-passing");
    const folder = path.join(root, `.handoff/sessions/${CLAUDE}`);
    mkdirSync(folder, { recursive: true });
    // A log long enough for the scan to leave a cursor, and far behind it, not at the beginning, three records without an
    // exit: a scan that goes on looks at the first and the last of them again, and the transcript knows the one between.
    const open = (command_id: string) =>
      JSON.stringify({
        command: "echo hello; echo oops >&2; exit 3",
        exit_code: null,
        started_at: "2026-11-29T19:53:36.310Z",
        error: "how it ended is not known",
        command_id,
      });
    const lines = [open("a"), open("toolu_d8f27211635b4513973570b0"), open("b")];
    const others = Array.from({ length: 12_000 }, (_, i) =>
      JSON.stringify({
        command: `npm test ${i % 9}`,
        exit_code: 0,
        started_at: 1_795_982_000 + i,
        stdout_tail: "x".repeat(40),
      }),
    );
    writeFileSync(
      path.join(folder, "feedback.jsonl"),
      `${[...others.slice(0, 6000), ...lines, ...others.slice(6000)].join("\n")}\n`,
    );
    await handoff(["generate", "--session", CLAUDE]);
    expect(packet(CLAUDE)["failed_attempts"]).toMatchObject([{ exit_code: null, count: 3 }]);
    expect(existsSync(path.join(root, ".handoff/cache"))).toBe(true);
    const { stdout } = await handoff(["generate", "--from-transcript", CLAUDE]);
    expect(stdout).toContain("3 commands (2 new, 1 got an exit)");
    const attempts = packet(CLAUDE)["failed_attempts"];
    expect(attempts).toHaveLength(2);
    expect(attempts).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ exit_code: 3, count: 1 }),
        expect.objectContaining({ exit_code: null, count: 2 }),
      ]),
    );
  });

  it("A12 run by the session itself, what it is at is no failure", async () => {
    keep("claude-code", "killed");
    const id = "293e3ab9-204b-4695-9f90-d3cdcd91a71d";
    const own = await handoff(["generate", "--from-transcript", id], { CLAUDE_CODE_SESSION_ID: id });
    expect(own.stdout).toContain("1 command (1 new)");
    expect((await handoff(["generate", "--from-transcript", id])).stdout).toContain("2 commands (1 new)");
  });
});
