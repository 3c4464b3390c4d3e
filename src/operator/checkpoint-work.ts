// A commit of all that an attempt left in its tree, on the attempt's branch (O6): tracked and new files, whatever state the agent
// left the index in, or wherever it moved HEAD to.
import { RefusalError } from "../model/errors.js";
import { type AttemptGit, gitIn, identityOf } from "./attempt-git.js";
import type { Environment } from "../session/open-workbench.js";
import { fillFrom, snapshotTree } from "./snapshot-tree.js";

/** The tree whose work is kept. */
export interface WorkToKeep {
  /** Its top level. */
  readonly tree: string;
  readonly branch: string;
  /** Of the commit. */
  readonly subject: string;
  readonly env: Environment;
}

async function commitAt(git: AttemptGit, name: string): Promise<string | null> {
  const { ok, out } = await git.ask(["rev-parse", "--verify", "--quiet", `${name}^{commit}`]);
  return ok ? out : null;
}

/** What the tree holds now and `commit` does not, in words; null: nothing. Ignored files and handoff's own do not count. */
export async function notKept(
  { tree, env }: Pick<WorkToKeep, "tree" | "env">,
  commit: string,
): Promise<string | null> {
  const git = gitIn(tree, env);
  const { content, left } = await snapshotTree(git, tree);
  if (left !== null) return `something in its tree is on no commit (${left})`;
  return content === (await git.run(["rev-parse", `${commit}^{tree}`]))
    ? null
    : "something in its tree was changed after the checkpoint";
}

/**
 * Makes sure that the branch has everything, and answers its newest commit: a new one only when something is not in it yet.
 * What git cannot take is left to {@link notKept}: it is no reason to keep the rest from the branch.
 * Throws RefusalError `attempt.git`.
 */
export async function checkpointWork({ tree, branch, subject, env }: WorkToKeep): Promise<string> {
  const git = gitIn(tree, env);
  const ref = `refs/heads/${branch}`;
  const tip = await commitAt(git, ref);
  const head = (await commitAt(git, "HEAD")) ?? tip;
  if (head === null)
    throw new RefusalError(
      "attempt.git",
      `neither ${branch} nor its tree has a commit`,
      "look at git worktree list",
      { path: tree },
    );
  const { content } = await snapshotTree(git, tree);
  const isIn = tip !== null && (await git.ask(["merge-base", "--is-ancestor", head, tip])).ok;
  const parent = isIn ? tip : head;
  if (content === (await git.run(["rev-parse", `${parent}^{tree}`])) && parent === tip) return tip;
  const isAhead = tip === null || (await git.ask(["merge-base", "--is-ancestor", tip, parent])).ok;
  const parents = isAhead ? [parent] : [parent, tip];
  const isSame = parents.length === 1 && content === (await git.run(["rev-parse", `${parent}^{tree}`]));
  const commit = isSame
    ? parent
    : await git.run(
        [
          ...(await identityOf(git)),
          "commit-tree",
          content,
          ...parents.flatMap((one) => ["-p", one]),
          "-F",
          "-",
        ],
        { input: `${subject}\n` },
      );
  await git.run(["update-ref", "-m", "handoff: checkpoint", ref, commit, tip ?? ""]);
  // Its own branch moved under it: then its index says the same again.
  const current = await git.ask(["symbolic-ref", "--quiet", "HEAD"]);
  if (current.ok && current.out === ref) await fillFrom(git, tree, commit).catch(() => undefined);
  return commit;
}
