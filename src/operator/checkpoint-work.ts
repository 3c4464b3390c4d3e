// A commit of all that an attempt left in its tree, on the attempt's branch (O6): tracked and new files, whatever state the agent
// left the index in, or wherever it moved HEAD to. Made beside the index, so nothing that was staged is lost by it.
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { RefusalError } from "../model/errors.js";
import { HANDOFF_FOLDER } from "../io/handoff-folder.js";
import { type AttemptGit, gitIn, identityOf } from "./attempt-git.js";
import type { Environment } from "../session/open-workbench.js";

/** The tree whose work is kept. */
export interface WorkToKeep {
  /** Its top level. */
  readonly tree: string;
  readonly branch: string;
  /** Of the commit. */
  readonly subject: string;
  readonly env: Environment;
}

/** Files of handoff's own that are new; what the project tracks is the project's. */
const EXCLUDED = [":(top)", `:(top,exclude)${HANDOFF_FOLDER}`, `:(top,exclude,glob)**/${HANDOFF_FOLDER}/**`];

/** The tree object of everything that is there now. */
async function snapshotTree(git: AttemptGit): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "handoff-index-"));
  try {
    const index = path.join(folder, "index");
    const own = path.resolve(await git.run(["rev-parse", "--absolute-git-dir"]), "index");
    // Its own index knows which files did not change; one with conflicts in it, or none at all, starts from HEAD.
    const isWhole = await git.ask(["ls-files", "--unmerged"]).then(({ ok, out }) => ok && out === "");
    const isCopied =
      isWhole &&
      (await copyFile(own, index).then(
        () => true,
        () => false,
      ));
    if (!isCopied) await git.run(["read-tree", "HEAD"], { index });
    await git.run(["add", "--update", "--", ":(top)"], { index });
    await git.run(["add", "--all", "--", ...EXCLUDED], { index });
    return await git.run(["write-tree"], { index });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function commitAt(git: AttemptGit, name: string): Promise<string | null> {
  const { ok, out } = await git.ask(["rev-parse", "--verify", "--quiet", `${name}^{commit}`]);
  return ok ? out : null;
}

/** Is everything that the tree holds now in `commit`? Ignored files and handoff's own do not count. */
export async function isKept(
  { tree, env }: Pick<WorkToKeep, "tree" | "env">,
  commit: string,
): Promise<boolean> {
  const git = gitIn(tree, env);
  return (await snapshotTree(git)) === (await git.run(["rev-parse", `${commit}^{tree}`]));
}

/**
 * Repositories inside the tree, submodules among them, that hold what is nowhere else: a commit of ours only names them, so they
 * would go with the tree.
 */
export async function nestedRepositories(
  { tree, env }: Pick<WorkToKeep, "tree" | "env">,
  checkpoint: string,
): Promise<string[]> {
  const listed = await gitIn(tree, env).run(["ls-tree", "-r", "-z", "--full-tree", checkpoint]);
  const links = listed.split("\0").flatMap((row) => /^160000 [^\t]*\t(.*)$/su.exec(row)?.[1] ?? []);
  const found: string[] = [];
  for (const link of links.filter((one) => existsSync(path.join(tree, one, ".git")))) {
    const inner = gitIn(path.join(tree, link), env);
    const changes = await inner.ask(["status", "--porcelain"]);
    const known = await inner.ask(["branch", "--remotes", "--contains", "HEAD"]);
    if (!changes.ok || changes.out !== "" || !known.ok || known.out === "") found.push(link);
  }
  return found;
}

/**
 * Makes sure that the branch has everything, and answers its newest commit: a new one only when something is not in it yet.
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
  const content = await snapshotTree(git);
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
  if (current.ok && current.out === ref) await git.ask(["read-tree", commit]);
  return commit;
}
