// A real repository in a temporary folder, for tests: fixed author and dates, no configuration but its own.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { readGitFacts, type GitFactsOptions } from "./read-git-facts.js";
import type { GitFacts } from "../../model/snapshot.js";

export interface TestRepository {
  readonly root: string;
  /** Runs git, answers its output without the last newline. */
  git(...args: string[]): string;
  /** Like `git`, but a nonzero exit is fine (a merge that conflicts). */
  tryGit(...args: string[]): void;
  write(file: string, content: string | Buffer): void;
  /** Stages everything, commits, answers the full hash. */
  commit(subject: string): string;
  facts(options?: Partial<GitFactsOptions>, root?: string): Promise<GitFacts>;
}

/** Our environment without the outer one's CI and git variables. */
export const TEST_ENV: NodeJS.ProcessEnv = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
};

/** A temporary folder with symlinks resolved, removed when the test ends. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "handoff-git-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A new repository on branch `main`; `init` are further arguments of git init. */
export function makeRepository(
  root: string = temporaryFolder(),
  init: readonly string[] = [],
): TestRepository {
  mkdirSync(root, { recursive: true });
  execFileSync("git", ["init", "-q", "-b", "main", ...init, "."], { cwd: root, env: TEST_ENV });
  return openRepository(root);
}

/** An existing repository (a clone, a worktree). */
export function openRepository(root: string): TestRepository {
  let clock = 1_700_000_000;
  const git = (...args: string[]): string => {
    const date = `${clock} +0000`;
    const identity = {
      GIT_AUTHOR_NAME: "A",
      GIT_AUTHOR_EMAIL: "a@example.org",
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: "A",
      GIT_COMMITTER_EMAIL: "a@example.org",
      GIT_COMMITTER_DATE: date,
    };
    const output = execFileSync("git", ["-c", "protocol.file.allow=always", ...args], {
      cwd: root,
      env: { ...TEST_ENV, ...identity, GIT_EDITOR: "true" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    return output.toString("utf8").replace(/\n$/u, "");
  };
  return {
    root,
    git,
    tryGit: (...args) => {
      try {
        git(...args);
      } catch {
        // Expected: git stops at a conflict.
      }
    },
    write: (file, content) => {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), content);
    },
    commit: (subject) => {
      clock += 60;
      git("add", "-A");
      git("commit", "-q", "--allow-empty", "-m", subject);
      return git("rev-parse", "HEAD");
    },
    facts: (options = {}, folder = root) =>
      readGitFacts(folder, {
        base: null,
        sessionBase: null,
        isOwnPath: () => false,
        env: TEST_ENV,
        ...options,
      }),
  };
}

/** Rows as `change path` or `change old -> new`, `*` when wholly committed, then `+insertions -deletions`. */
export function rowTexts(facts: GitFacts): string[] {
  return facts.changes.map((row) => {
    const name = row.renamed_from === null ? row.path : `${row.renamed_from} -> ${row.path}`;
    return `${row.change}${row.committed ? "*" : ""} ${name} +${row.insertions ?? "?"} -${row.deletions ?? "?"}`;
  });
}

/** The codes of all diagnostics, in order. */
export function codes(facts: { readonly diagnostics: readonly { readonly code: string }[] }): string[] {
  return facts.diagnostics.map((diagnostic) => diagnostic.code);
}
