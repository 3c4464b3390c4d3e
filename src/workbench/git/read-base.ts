// Asks git for the commit where this work began: a base that was named, or the merge-bases to choose from (P10).
import { decideBase, decideDefaultBranch, REF_PATTERNS, type Ref } from "./decide-base.js";
import type { GitStatus } from "./parse-status.js";
import type { Git } from "./run-git.js";

const FULL_HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;

/** The full hash of a base that was named, or null. `onlyHash`: the name comes from a file and must be its hash's beginning. */
export async function resolveBase(
  git: Git,
  root: string,
  rev: string | null,
  onlyHash: boolean,
): Promise<string | null> {
  if (rev === null || rev === "" || rev.startsWith("-") || /[\0\n]/u.test(rev)) return null;
  if (onlyHash && !/^[0-9a-f]{4,64}$/iu.test(rev)) return null;
  const result = await git.run(root, ["rev-parse", "--verify", "--quiet", `${rev}^{commit}`]);
  const sha = result.stdout.toString("latin1").trim();
  if (result.status !== "ok" || !FULL_HASH.test(sha)) return null;
  // A branch may be called deadbeef: then git answers with the branch's commit.
  return onlyHash && !sha.startsWith(rev.toLowerCase()) ? null : sha;
}

/** The refs a default branch is chosen from, and the stash. */
export async function readRefs(git: Git, root: string): Promise<Ref[]> {
  const result = await git.run(root, ["for-each-ref", "--format=%(refname) %(symref)", ...REF_PATTERNS]);
  const lines = result.stdout.toString("utf8").split("\n");
  return lines.flatMap((line) => {
    const [name = "", target = ""] = line.split(" ");
    return name === "" ? [] : [{ name, target: target === "" ? null : target }];
  });
}

/** One call for both merge-bases: rev-parse answers `A...B` with both ends and then `^` and the merge-bases. */
export async function findBase(
  git: Git,
  root: string,
  head: string | null,
  status: GitStatus,
  refs: readonly Ref[],
): Promise<ReturnType<typeof decideBase>> {
  const defaultBranch = decideDefaultBranch(refs, status.branch);
  const others = [status.upstream === null ? null : "@{upstream}", defaultBranch].filter(
    (ref) => ref !== null,
  );
  if (head === null || others.length === 0) return null;
  const result = await git.run(root, ["rev-parse", ...others.map((ref) => `${head}...${ref}`), "--"]);
  if (result.status !== "ok") return null;
  const groups: (string | null)[] = [];
  let ends = 0;
  for (const line of result.stdout.toString("latin1").split("\n")) {
    if (line.startsWith("^")) groups[groups.length - 1] ??= line.slice(1);
    else if (FULL_HASH.test(line) && ends++ % 2 === 0) groups.push(null);
  }
  return decideBase({
    head,
    branch: status.branch,
    upstream: status.upstream,
    upstreamMergeBase: status.upstream === null ? null : (groups[0] ?? null),
    defaultMergeBase: defaultBranch === null ? null : (groups.at(others.length - 1) ?? null),
  });
}
