// Git as attempts need it: it writes, so it is kept from everything that is the person's (O6). No hooks, no signing, no prompts;
// an identity of our own only where the person has none.
import { findExecutable } from "../io/find-program.js";
import { runProcess } from "../io/run-process.js";
import { RefusalError } from "../model/errors.js";
import type { Environment } from "../session/open-workbench.js";
import { gitEnvironment } from "../workbench/git/run-git.js";

const TIMEOUT_MS = 120_000;
const MAX_BYTES = 64 * 1024 * 1024;
const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "commit.gpgSign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "advice.addEmbeddedRepo=false",
  "core.safecrlf=false",
].flatMap((setting) => ["-c", setting]);

/** What one call may be given besides its arguments. */
interface CallOptions {
  /** Another index than the tree's own. */
  readonly index?: string;
  readonly input?: string;
}

/** How a call went: `ok`, or git's own words for why not. */
export interface GitAnswer {
  readonly ok: boolean;
  /** Without the last newline. */
  readonly out: string;
  readonly err: string;
}

/** Calls git in one folder. */
export interface AttemptGit {
  readonly ask: (args: readonly string[], options?: CallOptions) => Promise<GitAnswer>;
  /** The output, or RefusalError `attempt.git`. */
  readonly run: (args: readonly string[], options?: CallOptions) => Promise<string>;
}

const IDENTITY = [
  "GIT_AUTHOR_NAME",
  "GIT_AUTHOR_EMAIL",
  "GIT_COMMITTER_NAME",
  "GIT_COMMITTER_EMAIL",
] as const;

/** The line that says what went wrong. */
export function gitLine(err: string): string {
  const lines = err.split("\n");
  return (lines.find((one) => /^(?:fatal|error):/u.test(one)) ?? lines[0] ?? "").slice(0, 300);
}

/** Git in `folder`. Throws RefusalError `attempt.git` where there is no git. */
export function gitIn(folder: string, env: Environment): AttemptGit {
  const program = findExecutable("git", { ...env });
  if (program === null)
    throw new RefusalError("attempt.git", "there is no git here", "install git, or leave --worktree out");
  // Reading a partial clone may fetch what it lacks; an attempt's tree needs every file.
  const { GIT_NO_LAZY_FETCH: _, GIT_ALLOW_PROTOCOL: __, ...clean } = gitEnvironment({ ...env });
  const own = Object.fromEntries(
    IDENTITY.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  const ask: AttemptGit["ask"] = async (args, { index, input } = {}) => {
    const result = await runProcess(program, [...SETTINGS, ...args], {
      cwd: folder,
      env: { ...clean, ...own, ...(index === undefined ? {} : { GIT_INDEX_FILE: index }) },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      ...(input === undefined ? {} : { input }),
    });
    const words = result.stderr.trim() || result.reason || result.status;
    return {
      ok: result.status === "ok",
      out: result.stdout.toString("utf8").replace(/\n$/u, ""),
      err: words,
    };
  };
  return {
    ask,
    run: async (args, options) => {
      const { ok, out, err } = await ask(args, options);
      if (ok) return out;
      throw new RefusalError(
        "attempt.git",
        `git ${args.find((one) => !one.startsWith("-")) ?? ""} failed: ${gitLine(err)}`,
        "look at the repository with git status and git worktree list",
        { path: folder },
      );
    },
  };
}

/** Settings that name an author, where the person has none configured. */
export async function identityOf(git: AttemptGit): Promise<readonly string[]> {
  // Asked as strictly as a commit asks: no name made up from the machine's.
  const strict = ["-c", "user.useConfigOnly=true", "var"];
  const author = await git.ask([...strict, "GIT_AUTHOR_IDENT"]);
  const committer = await git.ask([...strict, "GIT_COMMITTER_IDENT"]);
  if (author.ok && committer.ok) return [];
  return ["-c", "user.name=handoff", "-c", "user.email=handoff@localhost"];
}
