// Which commits the default branch already has: one walk for any number of them.
import type { Environment } from "../choose-ids.js";
import { decideDefaultBranch } from "./decide-base.js";
import { readRefs } from "./read-base.js";
import { openGit } from "./run-git.js";

const FULL_HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;

/** The default branch by its short name, and those of the commits that it has. Null when there is none (to tell). */
export interface MergedCommits {
  readonly into: string;
  readonly merged: ReadonlySet<string>;
}

/**
 * Of `commits` (full hashes), those that the default branch contains; unknown ones are never merged. A squashed or
 * rebased merge leaves no trace of the commits and is not seen. Null without git or a default branch.
 * @param branch the branch the commits are of: its own commits are not "merged" into itself
 */
export async function readMerged(
  root: string,
  commits: readonly string[],
  branch: string | null,
  env: Environment,
  timeoutMs = 10_000,
): Promise<MergedCommits | null> {
  const git = await openGit({ ...env }, timeoutMs);
  if (git === null) return null;
  const ref = decideDefaultBranch(await readRefs(git, root), branch);
  if (ref === null) return null;
  const wanted = [...new Set(commits.filter((sha) => FULL_HASH.test(sha)))];
  const known = await git.run(
    root,
    ["cat-file", "--batch-check=%(objectname) %(objecttype)"],
    `${wanted.join("\n")}\n`,
  );
  const there = known.stdout
    .toString("latin1")
    .split("\n")
    .filter((line) => line.endsWith(" commit"))
    .map((line) => line.slice(0, -" commit".length));
  if (there.length === 0) return { into: shortRef(ref), merged: new Set() };
  // What is left after the default branch took its own: a commit that is not listed is one it has.
  const left = await git.run(root, ["rev-list", "--stdin"], `^${ref}\n${there.join("\n")}\n`);
  if (left.status !== "ok") return null;
  const unmerged = new Set(left.stdout.toString("latin1").split("\n"));
  return { into: shortRef(ref), merged: new Set(there.filter((sha) => !unmerged.has(sha))) };
}

function shortRef(ref: string): string {
  return ref.replace(/^refs\/(?:heads|remotes)\//u, "");
}
