// The status of a working tree, and what there is to know of HEAD where there is none.
import { readHeadName } from "./read-head-name.js";
import type { GitStatus } from "./parse-status.js";
import type { Repository } from "./read-repository.js";
import { readStatus, type TreeStatus } from "./read-status.js";
import type { Git } from "./run-git.js";
import type { SafeGit } from "./switch-off-filters.js";

const NO_STATUS: TreeStatus = { status: null, mayLook: false, dirtySubmodules: [], diagnostics: [] };

/** Nothing of a repository without a working tree. */
export async function readTreeStatus(
  git: Git,
  safe: SafeGit,
  root: string,
  repository: Repository | null,
  ownFolder: string | null = null,
): Promise<TreeStatus> {
  if (repository?.hasWorkTree !== true) return NO_STATUS;
  const { top, gitDir } = repository;
  return readStatus(git, safe, { folder: root, top, gitDir, exclude: ownFolder });
}

/** Git takes a branch whose file it cannot read for one without commits, but does not know its name either. */
export async function isDamaged(git: Git, root: string, status: GitStatus): Promise<boolean> {
  if (!status.unborn || status.branch !== "(unknown)") return false;
  const symbolic = await git.run(root, ["symbolic-ref", "--quiet", "HEAD"]);
  return symbolic.status !== "ok";
}

/** Where there is no status (bare, a broken index, a damaged branch) HEAD still names the branch. */
export async function statusWithoutTree(git: Git, root: string, gitDir: string): Promise<GitStatus> {
  const [symbolic, sha] = await Promise.all([
    git.run(root, ["symbolic-ref", "--quiet", "HEAD"]),
    git.run(root, ["rev-parse", "--verify", "--quiet", "HEAD"]),
  ]);
  const name = symbolic.stdout.toString("utf8").trim();
  return {
    oid: sha.status === "ok" ? sha.stdout.toString("latin1").trim() : null,
    unborn: symbolic.status === "ok" && sha.status === "exit" && sha.stderr === "",
    branch: symbolic.status === "ok" ? name.replace(/^refs\/heads\//u, "") : await readHeadName(gitDir),
    upstream: null,
    ahead: null,
    behind: null,
    stashes: null,
    entries: [],
  };
}
