// For tests: a real git repository with the artifacts of a session at work in it.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Runs git in a folder, as a fixed person at a fixed time. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", args, {
    cwd,
    encoding: "utf8",
    env: {
      PATH: process.env["PATH"],
      HOME: "/nonexistent",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "Test",
      GIT_AUTHOR_EMAIL: "test@example.org",
      GIT_COMMITTER_NAME: "Test",
      GIT_COMMITTER_EMAIL: "test@example.org",
      GIT_AUTHOR_DATE: "2026-11-29T10:00:00Z",
      GIT_COMMITTER_DATE: "2026-11-29T10:00:00Z",
    },
  });
}

/** Writes a file below a folder, making the folders on the way. Values other than text are written as JSON. */
export function put(folder: string, name: string, content: unknown): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`);
  return file;
}

/** An empty temporary folder (real path). */
export function emptyFolder(): string {
  return realpathSync(mkdtempSync(path.join(tmpdir(), "handoff-bench-")));
}

const RECORDS = [
  {
    command: ["pytest", "-q"],
    exit_code: 1,
    started_at: 1_795_958_000,
    stderr_tail: "AssertionError: no mail",
  },
  { command: ["ruff", "check"], exit_code: 2, started_at: 1_795_958_100, stderr_tail: "E501 line too long" },
  { command: "pytest -q", exit_code: 0, started_at: 1_795_958_200 },
];

/** A repository on `feat/signup`, one commit ahead of `main`, with state, board, log and a passing verification. */
export function sampleWorkbench(): string {
  const root = emptyFolder();
  git(root, "init", "--quiet", "--initial-branch=main");
  put(root, "app/signup.py", "print('sign up')\n");
  git(root, "add", ".");
  git(root, "commit", "--quiet", "--message", "Start");
  git(root, "checkout", "--quiet", "-b", "feat/signup");
  put(root, "app/signup.py", "print('sign up')\nprint('send mail')\n");
  git(root, "commit", "--quiet", "--all", "--message", "Send a mail");
  put(root, "agent_state.json", {
    session_id: "s-2041",
    active_task_id: "T-001",
    touched_files: ["app/signup.py"],
    next_action: "mend what ruff says about app/signup.py",
    dead_ends: [{ what: "sending from the request", why: "it times out" }],
  });
  put(root, "task_board.json", [
    { id: "T-001", goal: "sign-up sends a mail", owner: "agent", status: "in_progress" },
  ]);
  put(root, "feedback_record.jsonl", RECORDS.map((record) => `${JSON.stringify(record)}\n`).join(""));
  put(root, "outputs/verification/T-001.json", { task_id: "T-001", passed: true, findings: [] });
  return root;
}
