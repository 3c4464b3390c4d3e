// Git facts (P9-P11): asks git in a few waves of independent calls and joins the answers. Never throws for what it finds.
import type { Diagnostic } from "../../model/diagnostic.js";
import type { GitFacts } from "../../model/snapshot.js";
import { decideCiBranch } from "./ci-branch.js";
import type { Ref } from "./decide-base.js";
import { parseStatus, type GitStatus } from "./parse-status.js";
import { findBase, readRefs, resolveBase } from "./read-base.js";
import { readChanges, type Changes } from "./read-changes.js";
import { readCommits, readHead } from "./read-commits.js";
import { readOperation } from "./read-operation.js";
import { readRepository, type Repository } from "./read-repository.js";
import { showName } from "./build-changes.js";
import { explainFailure, gitDiagnostic, openGit, type Git } from "./run-git.js";

export interface GitFactsOptions {
  /** A revision asked for by the user (`--base`): anything git understands. */
  readonly base: string | null;
  /** The commit the recorder noted at the session's start: comes from a file, so only a hash counts. */
  readonly sessionBase: string | null;
  /** True for the workbench's own files; gets paths relative to the root. */
  readonly isOwnPath: (path: string) => boolean;
  /**
   * A folder of own files, relative to the root, that git need not even list: a store may hold tens of thousands.
   * Null: none.
   */
  readonly ownFolder?: string | null;
  /** Our environment: PATH, and the CI's branch variables. */
  readonly env: NodeJS.ProcessEnv;
  /** Per git call. */
  readonly timeoutMs?: number;
  readonly maxChanges?: number;
  readonly maxCommits?: number;
}

const NO_FACTS: GitFacts = {
  available: false,
  branch: null,
  detached: false,
  unborn: false,
  shallow: false,
  head: null,
  base: null,
  commits: [],
  commits_omitted: 0,
  changes: [],
  changes_omitted: 0,
  dirty: false,
  operation: null,
  ahead: null,
  behind: null,
  stashes: 0,
  resolved: {},
  diagnostics: [],
};

const STATUS = [
  "status",
  "--porcelain=v2",
  "--branch",
  "--show-stash",
  "--ahead-behind",
  "--no-renames",
  "-z",
  "--untracked-files=all",
  "--ignore-submodules=none",
];

/** Status of the whole tree but for one folder, which git then does not walk. */
function statusWithout(folder: string | null): string[] {
  return folder === null ? STATUS : [...STATUS, "--", ":(top)", `:(exclude,literal)${folder}`];
}

/** What git says about the working tree `root` lies in. `resolved` is empty: see resolve-commits.ts. */
export async function readGitFacts(root: string, options: GitFactsOptions): Promise<GitFacts> {
  const git = await openGit(options.env, options.timeoutMs ?? 10_000);
  if (git === null) {
    const reason = "no git executable on PATH";
    return { ...NO_FACTS, diagnostics: [gitDiagnostic("git.unavailable", "warn", { reason })] };
  }
  // First wave: nothing here depends on anything else.
  const [{ repository, problem }, statusRun, headRead, refs, optionBase, sessionBase] = await Promise.all([
    readRepository(git, root),
    git.run(root, statusWithout(options.ownFolder ?? null)),
    readHead(git, root),
    readRefs(git, root),
    resolveBase(git, root, options.base, false),
    resolveBase(git, root, options.sessionBase, true),
  ]);
  if (repository === null) return { ...NO_FACTS, diagnostics: [problem] };

  const diagnostics: Diagnostic[] = [];
  if (!repository.hasWorkTree) diagnostics.push(gitDiagnostic("git.bare", "warn"));
  if (repository.shallow) diagnostics.push(gitDiagnostic("git.shallow", "info"));
  if (repository.hasWorkTree && statusRun.status !== "ok") {
    diagnostics.push(explainFailure(statusRun, "status", git));
  }
  const statusKnown = repository.hasWorkTree && statusRun.status === "ok";
  const status = statusKnown ? parseStatus(statusRun.stdout) : await statusWithoutTree(git, root);
  if (status.unborn) diagnostics.push(gitDiagnostic("git.unborn", "info"));
  else if (headRead.problem !== null) diagnostics.push(headRead.problem);
  const { head } = headRead;

  if (options.base !== null && optionBase === null) {
    diagnostics.push(gitDiagnostic("git.base_unresolved", "error", { rev: options.base }));
  }
  if (options.base === null && options.sessionBase !== null && sessionBase === null) {
    diagnostics.push(gitDiagnostic("git.base_unresolved", "warn", { rev: options.sessionBase }));
  }
  // Second wave: only when nobody named a base.
  const [base, operation, stashes] = await Promise.all([
    optionBase !== null
      ? ({ sha: optionBase, from: "option" } as const)
      : sessionBase !== null
        ? ({ sha: sessionBase, from: "session" } as const)
        : findBase(git, root, head?.sha ?? null, status, refs),
    readOperation(repository.gitDir),
    countStashes(git, root, status, refs),
  ]);
  if (base === null && head !== null) diagnostics.push(gitDiagnostic("git.base_unknown", "info"));

  // Last wave: what needs the base.
  const tree = base?.sha ?? head?.sha ?? (status.unborn ? repository.emptyTree : null);
  const [log, changes] = await Promise.all([
    readCommits(git, root, base?.sha ?? null, head?.sha ?? null, options.maxCommits ?? 500),
    readTree(git, repository, tree, tree === (head?.sha ?? null), statusKnown ? status : null, options),
  ]);
  diagnostics.push(...log.diagnostics, ...changes.diagnostics);

  const detached = status.branch === null && !status.unborn;
  return {
    available: true,
    branch: status.branch ?? nameDetached(options.env, operation.rebasedBranch, head?.sha ?? status.oid),
    detached,
    unborn: status.unborn,
    shallow: repository.shallow,
    head,
    base,
    commits: log.commits,
    commits_omitted: log.omitted,
    changes: changes.changes,
    changes_omitted: changes.omitted,
    // A tree that could not be looked at is not a clean one.
    dirty: statusKnown
      ? status.entries.some((entry) => !options.isOwnPath(showName(entry.path, repository.prefix).path))
      : repository.hasWorkTree,
    operation: operation.operation,
    ahead: status.ahead,
    behind: status.behind,
    stashes,
    resolved: {},
    diagnostics,
  };
}

function nameDetached(env: NodeJS.ProcessEnv, rebased: string | null, sha: string | null): string | null {
  return decideCiBranch(env) ?? rebased ?? (sha === null ? null : `detached@${sha.slice(0, 12)}`);
}

/** Where there is no status (bare, a broken index) HEAD still names the branch. */
async function statusWithoutTree(git: Git, root: string): Promise<GitStatus> {
  const [symbolic, sha] = await Promise.all([
    git.run(root, ["symbolic-ref", "--quiet", "HEAD"]),
    git.run(root, ["rev-parse", "--verify", "--quiet", "HEAD"]),
  ]);
  const name = symbolic.stdout.toString("utf8").trim();
  return {
    oid: sha.status === "ok" ? sha.stdout.toString("latin1").trim() : null,
    unborn: symbolic.status === "ok" && sha.status === "exit" && sha.stderr === "",
    branch: symbolic.status === "ok" ? name.replace(/^refs\/heads\//u, "") : null,
    upstream: null,
    ahead: null,
    behind: null,
    stashes: null,
    entries: [],
  };
}

async function countStashes(
  git: Git,
  root: string,
  status: GitStatus,
  refs: readonly Ref[],
): Promise<number> {
  if (status.stashes !== null) return status.stashes;
  if (!refs.some((ref) => ref.name === "refs/stash")) return 0;
  const counted = await git.run(root, ["rev-list", "--walk-reflogs", "--count", "refs/stash", "--"]);
  return counted.status === "ok" ? Number(counted.stdout.toString("latin1").trim()) : 0;
}

async function readTree(
  git: Git,
  repository: Repository,
  tree: string | null,
  treeIsHead: boolean,
  status: GitStatus | null,
  options: GitFactsOptions,
): Promise<Changes> {
  if (!repository.hasWorkTree || tree === null) return { changes: [], omitted: 0, diagnostics: [] };
  return readChanges(git, {
    repository,
    status: status?.entries ?? null,
    tree,
    treeIsHead,
    isOwnPath: options.isOwnPath,
    maxChanges: options.maxChanges ?? 5000,
  });
}
