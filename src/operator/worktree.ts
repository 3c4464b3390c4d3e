// The working tree of an attempt (O6): below `.handoff/worktrees/`, where the main tree's git status does not look, on a branch of
// its own. Nothing here touches index, stash, HEAD or files of the main tree.
import { existsSync } from "node:fs";
import { realpath, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { HANDOFF_FOLDER } from "../io/handoff-folder.js";
import { hasCode } from "../io/has-code.js";
import { asWriteError, ensureFolder } from "../io/write-atomic.js";
import { RefusalError } from "../model/errors.js";
import type { Workbench } from "../session/open-workbench.js";
import { gitIn } from "./attempt-git.js";
import { fillFrom } from "./snapshot-tree.js";

const TREES = path.join(HANDOFF_FOLDER, "worktrees");

/** A tree, made or found. */
export interface AttemptTree {
  /** Its top level, absolute real path. */
  readonly tree: string;
  readonly branch: string;
  readonly base: string;
}

/** Trees of one run lie at one place, start after start: agents know their sessions by the folder they ran in. */
export function treePath(root: string, runId: string): string {
  return path.join(root, TREES, runId);
}

/** A tree of its own lies there. Without its `.git`, git would take the folder for a part of the main tree. */
export function isTree(tree: string): boolean {
  return existsSync(path.join(tree, ".git"));
}

/** `handoff/<run>/<attempt>`. */
export function branchOf(runId: string, attempt: number): string {
  return `handoff/${runId}/${attempt}`;
}

/** The folder in a tree that stands for the workbench's root, which may lie below the repository's top level. */
export async function rootIn(tree: string, workbench: Pick<Workbench, "root" | "env">): Promise<string> {
  const prefix = await gitIn(workbench.root, workbench.env).run(["rev-parse", "--show-prefix"]);
  const root = path.join(tree, prefix);
  await ensureFolder(root, { base: tree });
  return realpath(root);
}

async function keepHidden(root: string): Promise<void> {
  const folder = path.join(root, TREES);
  await ensureFolder(folder, { base: root });
  try {
    await writeFile(path.join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw asWriteError(error, folder);
  }
}

/** The commit that a tree starts from. Throws RefusalError `attempt.no_commit` in a repository without one, or in none. */
export async function headOf({ root, env }: Pick<Workbench, "root" | "env">): Promise<string> {
  const { ok, out } = await gitIn(root, env).ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  if (ok) return out;
  throw new RefusalError(
    "attempt.no_commit",
    "a worktree starts from a commit, and there is none here",
    "make a first commit, or leave --worktree out",
    { path: root },
  );
}

/**
 * Makes the tree of an attempt from `base`, or takes over the one that an earlier start of the run had to leave: its files are
 * on that start's branch already. Locked, so that nobody prunes it. Throws RefusalError `attempt.git`, UsageError.
 */
export async function makeTree(
  workbench: Pick<Workbench, "root" | "env">,
  { runId, attempt, base }: { readonly runId: string; readonly attempt: number; readonly base: string },
): Promise<AttemptTree> {
  const { root, env } = workbench;
  const git = gitIn(root, env);
  const branch = branchOf(runId, attempt);
  const tree = treePath(root, runId);
  await keepHidden(root);
  if (isTree(tree)) {
    const inTree = gitIn(tree, env);
    // Only where there is no such branch yet: what somebody has on one is never moved away from under them.
    await inTree.run(["update-ref", `refs/heads/${branch}`, base, ""]);
    await inTree.run(["symbolic-ref", "HEAD", `refs/heads/${branch}`]);
    await fillFrom(inTree, tree, base).catch(() => undefined);
  } else {
    // Twice: one whose folder somebody removed is still known to git, and locked.
    await git.run(["worktree", "add", "--quiet", "--force", "--force", "-b", branch, tree, base]);
  }
  await git.ask(["worktree", "lock", "--reason", `handoff run ${runId}`, tree]);
  return { tree: await realpath(tree), branch, base };
}

/** Lets go of it: whoever wants may remove it now. Again is as once. */
export async function unlockTree(root: string, tree: string, env: Workbench["env"]): Promise<void> {
  if (isTree(tree)) await gitIn(root, env).ask(["worktree", "unlock", tree]);
}

/** Removes it; the branch stays, free to be switched to. Again is as once. Throws RefusalError `attempt.git`. */
export async function removeTree(root: string, tree: string, env: Workbench["env"]): Promise<void> {
  const git = gitIn(root, env);
  const remove = ["worktree", "remove", "--force", "--force", tree];
  if (isTree(tree)) await git.run(remove);
  // Its folder is gone already: git is to forget it, too. Other people's trees are not looked at.
  else await git.ask(remove);
}

/** Removes one that was never whole, whatever there is of it. */
export async function removeUnfinished(root: string, tree: string, env: Workbench["env"]): Promise<void> {
  await gitIn(root, env).ask(["worktree", "remove", "--force", "--force", tree]);
  await rm(tree, { recursive: true, force: true });
}
