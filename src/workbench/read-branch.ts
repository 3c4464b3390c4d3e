// The branch alone, in three small git calls: a session that nothing else names is named by it, before the full facts are
// read. The same words as `GitFacts.branch`.
import path from "node:path";
import { decideCiBranch } from "./git/ci-branch.js";
import { readHeadName } from "./git/read-head-name.js";
import { readOperation } from "./git/read-operation.js";
import { openGit, type GitBudget } from "./git/run-git.js";

/**
 * The branch name (an unborn or damaged branch too); for a detached HEAD the CI's, else the branch being rebased, else
 * `detached@<12 hex>`; null without a repository that git would answer for.
 */
export async function readBranch(
  root: string,
  env: NodeJS.ProcessEnv,
  timeoutMs: number | GitBudget = 10_000,
): Promise<string | null> {
  const git = await openGit(env, timeoutMs);
  if (git === null) return null;
  const [gitDir, symbolic, head] = await Promise.all([
    git.run(root, ["rev-parse", "--absolute-git-dir"]),
    git.run(root, ["symbolic-ref", "--quiet", "HEAD"]),
    git.run(root, ["rev-parse", "--verify", "--quiet", "HEAD"]),
  ]);
  if (gitDir.status !== "ok") return null;
  if (symbolic.status === "ok") {
    const name = symbolic.stdout.toString("utf8").replace(/\r?\n$/u, "");
    return name.replace(/^refs\/heads\//u, "");
  }
  const folder = path.resolve(root, gitDir.stdout.toString("utf8").replace(/\r?\n$/u, ""));
  // A branch whose own file is damaged: git does not say its name.
  const named = await readHeadName(folder);
  if (named !== null) return named;
  const { rebasedBranch } = await readOperation(folder);
  const sha = head.status === "ok" ? head.stdout.toString("latin1").trim() : null;
  return decideCiBranch(env) ?? rebasedBranch ?? (sha === null ? null : `detached@${sha.slice(0, 12)}`);
}
