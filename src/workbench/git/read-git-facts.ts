// Git facts (P9-P11): asks git in a few waves of independent calls and joins the answers. Never throws for what it finds.
import type { Diagnostic } from "../../model/diagnostic.js";
import type { GitFacts } from "../../model/snapshot.js";
import { type CiBase, decideCiBase } from "./ci-base.js";
import { decideCiBranch } from "./ci-branch.js";
import { countStashes, hasStashes } from "./count-stashes.js";
import type { GitStatus } from "./parse-status.js";
import { findBase, FULL_HASH, NO_CI, readRefs, resolveBase } from "./read-base.js";
import { readChanges, readDiff, type ChangeOptions, type Changes, type TreeDiff } from "./read-changes.js";
import { MAX_COMMITS, readCommits, readHead, readHeadAndCommits } from "./read-commits.js";
import { readIndex } from "./read-index.js";
import { readOperation } from "./read-operation.js";
import { readRepository, type Opened, type Repository } from "./read-repository.js";
import type { TreeStatus } from "./read-status.js";
import { isDamaged, readTreeStatus, statusWithoutTree } from "./read-tree-status.js";
import { showName } from "./build-changes.js";
import { gitDiagnostic, explainTimeout, openGit, type Git, type GitBudget } from "./run-git.js";
import { switchOffFilters, type SafeGit } from "./switch-off-filters.js";

type IsOwnPath = (path: string) => boolean;

export interface GitFactsOptions {
  /** A revision asked for by the user (`--base`): anything git understands. */
  readonly base: string | null;
  /** The commit the recorder noted at the session's start: comes from a file, so only a hash counts. */
  readonly sessionBase: string | null;
  /** True for the workbench's own files; gets paths relative to the root. Git is asked before it is known. */
  readonly isOwnPath: IsOwnPath | Promise<IsOwnPath>;
  /**
   * A folder of own files, relative to the root, that git need not even list: a store may hold tens of thousands.
   * Null: none.
   */
  readonly ownFolder?: string | null;
  /** Our environment: PATH, and the CI's branch variables. */
  readonly env: NodeJS.ProcessEnv;
  /** For all git calls together: milliseconds (default 10,000), or a budget shared with others. */
  readonly timeoutMs?: number | GitBudget;
  /** Git that has begun what is asked first (begin-git-facts.ts). Default: opened now, with `env` and `timeoutMs`. */
  readonly git?: Git | null;
  readonly maxChanges?: number;
  readonly maxCommits?: number;
}

const DAMAGED = { command: "log", reason: "the branch that HEAD names cannot be read" };

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

/** The first wave: all that can be asked before anything is known of the repository. */
async function askFirst(git: Git, root: string, options: GitFactsOptions, ci: CiBase, maxCommits: number) {
  // A base by its whole hash, as a session's is: what needs it is asked along with whether it is there.
  const named = [options.base ?? options.sessionBase].find((rev) => FULL_HASH.test(rev ?? "")) ?? null;
  // Only what reads the working tree waits, for what makes it safe to ask.
  const opening = Promise.all([readRepository(git, root, named), switchOffFilters(git, root)]);
  const readingHead =
    named === null
      ? readHead(git, root).then((read) => ({ ...read, log: null }))
      : readHeadAndCommits(git, root, named, maxCommits);
  const lookUp = async (rev: string | null, onlyHash: boolean): Promise<string | null> =>
    (rev !== null && rev === named ? (await opening)[0].commit : null) ??
    resolveBase(git, root, rev, onlyHash);
  const [[opened, safe], working, earlyDiff, headRead, earlyRefs, optionBase, firstBase, ciCommit] =
    await Promise.all([
      opening,
      opening.then(([{ repository: found }, off]) =>
        readTreeStatus(git, off, root, found, options.ownFolder),
      ),
      // Where nothing was committed since, status says whether there is anything to compare.
      Promise.all([opening, readingHead]).then(([[found, off], { head }]) =>
        head?.sha === named ? null : startDiff(off, found, named),
      ),
      readingHead,
      named === null ? readRefs(git, root, ci) : null,
      lookUp(options.base, false),
      options.base === null ? lookUp(options.sessionBase, true) : null,
      named === null ? resolveBase(git, root, ci.commit, true) : null,
    ]);
  return { named, opened, safe, working, earlyDiff, headRead, earlyRefs, optionBase, firstBase, ciCommit };
}

/** What git says about the working tree `root` lies in. `resolved` is empty: see resolve-commits.ts. */
export async function readGitFacts(root: string, options: GitFactsOptions): Promise<GitFacts> {
  const git = options.git ?? (await openGit(options.env, options.timeoutMs ?? 10_000));
  if (git === null) {
    const reason = "no git executable on PATH";
    return { ...NO_FACTS, diagnostics: [gitDiagnostic("git.unavailable", "warn", { reason })] };
  }
  const ci = decideCiBase(options.env);
  const maxCommits = options.maxCommits ?? MAX_COMMITS;
  const first = await askFirst(git, root, options, ci, maxCommits);
  const { named, opened, safe, working, earlyDiff, headRead, earlyRefs } = first;
  const { optionBase, firstBase, ciCommit } = first;
  if (opened.repository === null) {
    const { problem } = opened;
    return { ...NO_FACTS, diagnostics: [problem, ...untoldTimeouts(git, [problem])] };
  }
  const { repository } = opened;

  const diagnostics: Diagnostic[] = [];
  if (!repository.hasWorkTree) diagnostics.push(gitDiagnostic("git.bare", "warn"));
  diagnostics.push(...working.diagnostics);
  const damaged = working.status !== null && (await isDamaged(git, root, working.status));
  const known = damaged ? null : working.status;
  const statusKnown = known !== null;
  const status = known ?? (await statusWithoutTree(git, root, repository.gitDir));
  if (status.unborn) diagnostics.push(gitDiagnostic("git.unborn", "info"));
  else if (damaged) diagnostics.push(gitDiagnostic("git.failed", "error", DAMAGED));
  else if (headRead.problem !== null) diagnostics.push(headRead.problem);
  const { head } = headRead;
  const sessionBase =
    options.base !== null && optionBase === null
      ? await resolveBase(git, root, options.sessionBase, true)
      : firstBase;

  if (options.base !== null && optionBase === null) {
    diagnostics.push(gitDiagnostic("git.base_unresolved", "error", { rev: options.base }));
  }
  if (options.base === null && options.sessionBase !== null && sessionBase === null) {
    diagnostics.push(gitDiagnostic("git.base_unresolved", "warn", { rev: options.sessionBase }));
  }
  // True where the CI's variables speak of what is checked out: no branch at all, or the job's own (P43).
  const ofJob = status.branch === null || status.branch === decideCiBranch(options.env);
  const isBaseKnown = optionBase !== null || sessionBase !== null;
  const mayStash = status.stashes === null && (await hasStashes(repository.gitDir));
  const needsRefs = !isBaseKnown || mayStash;
  const refs = earlyRefs ?? (needsRefs ? await readRefs(git, root, ci) : []);
  // Second wave: only when nobody named a base.
  const [base, operation, stashes] = await Promise.all([
    optionBase !== null
      ? ({ sha: optionBase, from: "option" } as const)
      : sessionBase !== null
        ? ({ sha: sessionBase, from: "session" } as const)
        : findBase(
            git,
            root,
            head?.sha ?? null,
            status,
            refs,
            ofJob ? { ...ci, commit: ciCommit ?? (await resolveBase(git, root, ci.commit, true)) } : NO_CI,
          ),
    readOperation(repository.gitDir),
    countStashes(git, root, status, refs, mayStash),
  ]);
  // A shallow clone matters where it hides what the work began from.
  if (repository.shallow) diagnostics.push(gitDiagnostic("git.shallow", base === null ? "warn" : "info"));
  if (base === null && head !== null) diagnostics.push(gitDiagnostic("git.base_unknown", "info"));

  // Last wave: what needs the base.
  const tree = base?.sha ?? head?.sha ?? (status.unborn ? repository.emptyTree : null);
  const isOwnPath = await options.isOwnPath;
  const [log, changes] = await Promise.all([
    base !== null && base.sha === named && headRead.log !== null
      ? headRead.log
      : readCommits(git, root, base?.sha ?? null, head?.sha ?? null, maxCommits),
    readTree(safe, repository, tree, tree === (head?.sha ?? null), known, working, {
      isOwnPath,
      maxChanges: options.maxChanges ?? 5000,
      diff: tree !== null && tree === named ? earlyDiff : null,
    }),
  ]);
  diagnostics.push(...log.diagnostics, ...changes.diagnostics);
  diagnostics.push(...untoldTimeouts(git, diagnostics));

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
      ? status.entries.some((entry) => !isOwnPath(showName(entry.path, repository.prefix).path))
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

/** Commands that ran out of time and whose readers have not said so. */
function untoldTimeouts(git: Git, diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const told = new Set(diagnostics.flatMap((d) => (d.code === "git.timeout" ? [d.args["command"]] : [])));
  return [...new Set(git.timedOut)]
    .filter((command) => !told.has(command))
    .map((command) => explainTimeout(command, git));
}

/** The diff to a base that is known from the start, where it may be asked for. */
async function startDiff(
  safe: SafeGit,
  { repository, commit }: Opened,
  named: string | null,
): Promise<TreeDiff | null> {
  if (named === null || commit !== named || !repository.hasWorkTree || safe.git === null) return null;
  const { readable } = await readIndex(repository.gitDir);
  return readable ? readDiff(safe.git, repository.top, named) : null;
}

async function readTree(
  safe: SafeGit,
  repository: Repository,
  tree: string | null,
  treeIsHead: boolean,
  status: GitStatus | null,
  working: TreeStatus,
  options: Pick<ChangeOptions, "isOwnPath" | "maxChanges" | "diff">,
): Promise<Changes> {
  // Without a status because git must not look (an index that blocks, a filter that would run) it must not look here.
  const mayLook = working.mayLook && safe.git !== null;
  if (!repository.hasWorkTree || tree === null || !mayLook)
    return { changes: [], omitted: 0, diagnostics: [] };
  return readChanges(safe.git, {
    repository,
    status: status?.entries ?? null,
    dirtySubmodules: working.dirtySubmodules,
    drivers: safe.drivers,
    tree,
    treeIsHead,
    ...options,
  });
}
