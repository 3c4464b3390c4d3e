// Asks git for the commit where this work began: a base that was named, or the merge-bases to choose from (P10).
import { ciRefPatterns, decideCiRef, type CiBase } from "./ci-base.js";
import { decideBase, decideDefaultBranch, REF_PATTERNS, type Ref } from "./decide-base.js";
import type { GitStatus } from "./parse-status.js";
import type { Git } from "./run-git.js";

/** Outside CI, or where its variables speak of another branch. */
export const NO_CI: CiBase = { commit: null, branches: [] };
export const FULL_HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;

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

/** The refs a default branch is chosen from, the stash, and those of the branches a CI names. */
export async function readRefs(git: Git, root: string, ci: CiBase = NO_CI): Promise<Ref[]> {
  const patterns = [...REF_PATTERNS, ...ciRefPatterns(ci)];
  const result = await git.run(root, ["for-each-ref", "--format=%(refname) %(symref)", ...patterns]);
  const lines = result.stdout.toString("utf8").split("\n");
  return lines.flatMap((line) => {
    const [name = "", target = ""] = line.split(" ");
    return name === "" ? [] : [{ name, target: target === "" ? null : target }];
  });
}

/** One call for all merge-bases: rev-parse answers `A...B` with both ends and then `^` and the merge-bases. */
export async function findBase(
  git: Git,
  root: string,
  head: string | null,
  status: GitStatus,
  refs: readonly Ref[],
  ci: CiBase = NO_CI,
): Promise<ReturnType<typeof decideBase>> {
  const defaultBranch = decideDefaultBranch(refs, status.branch);
  const others = {
    ci: decideCiRef(refs, ci),
    upstream: status.upstream === null ? null : "@{upstream}",
    default: defaultBranch,
  };
  const asked = Object.entries(others).filter(([, ref]) => ref !== null);
  if (head === null || (asked.length === 0 && ci.commit === null)) return null;
  const found: Partial<Record<string, string>> = {};
  if (asked.length > 0) {
    const result = await git.run(root, ["rev-parse", ...asked.map(([, ref]) => `${head}...${ref}`), "--"]);
    if (result.status !== "ok" && ci.commit === null) return null;
    let ends = 0;
    for (const line of result.stdout.toString("latin1").split("\n")) {
      const name = asked[Math.ceil(ends / 2) - 1]?.[0];
      if (line.startsWith("^") && name !== undefined) found[name] ??= line.slice(1);
      else if (FULL_HASH.test(line)) ends += 1;
    }
  }
  return decideBase({
    head,
    branch: status.branch,
    upstream: status.upstream,
    upstreamMergeBase: found["upstream"] ?? null,
    defaultMergeBase: found["default"] ?? null,
    ciBase: ci.commit ?? found["ci"] ?? null,
  });
}
