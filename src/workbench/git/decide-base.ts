// Where this session's or branch's work began (P10). Pure: the merge-bases are given.

/** One line of for-each-ref. `target`: what a symbolic ref points at. */
export interface Ref {
  readonly name: string;
  readonly target: string | null;
}

/** The patterns to ask for-each-ref: everything {@link decideDefaultBranch} looks at, and the stash. */
export const REF_PATTERNS = [
  "refs/heads/main",
  "refs/heads/master",
  "refs/remotes/*/HEAD",
  "refs/remotes/origin/main",
  "refs/remotes/origin/master",
  "refs/stash",
];

/**
 * The default branch as a full ref, or null when there is none or `branch` is it: origin/HEAD; the HEAD of the only
 * other remote; else main, then master, remote before local (a local copy may be old).
 */
export function decideDefaultBranch(refs: readonly Ref[], branch: string | null): string | null {
  const heads = refs.filter((ref) => ref.target !== null && /^refs\/remotes\/.*\/HEAD$/u.test(ref.name));
  const head =
    heads.find((ref) => ref.name === "refs/remotes/origin/HEAD") ??
    (heads.length === 1 ? heads[0] : undefined);
  const names = new Set(refs.map((ref) => ref.name));
  const chosen =
    head?.target ??
    ["main", "master"]
      .flatMap((name) => [`refs/remotes/origin/${name}`, `refs/heads/${name}`])
      .find((name) => names.has(name));
  if (chosen === undefined) return null;
  const short = chosen.replace(/^refs\/(?:heads|remotes\/[^/]+)\//u, "");
  return short === branch ? null : chosen;
}

export interface BaseCandidates {
  readonly head: string;
  readonly branch: string | null;
  /** Short name of the upstream, `origin/main`. */
  readonly upstream: string | null;
  readonly upstreamMergeBase: string | null;
  readonly defaultMergeBase: string | null;
  /** What the CI job that is at work here is compared with (A16); null outside CI. */
  readonly ciBase?: string | null;
}

/**
 * What the CI says first. Then the upstream, unless the upstream is the branch's own published copy (same name): that one moves with every push
 * and says nothing about where the work began, so the default branch goes first. A candidate that is HEAD itself
 * yields to one that is not.
 */
export function decideBase(
  candidates: BaseCandidates,
): { readonly sha: string; readonly from: "ci" | "upstream" | "default_branch" } | null {
  const { head, branch, upstream, upstreamMergeBase, defaultMergeBase, ciBase = null } = candidates;
  const byCi = ciBase === null ? null : ({ sha: ciBase, from: "ci" } as const);
  const byUpstream =
    upstreamMergeBase === null ? null : ({ sha: upstreamMergeBase, from: "upstream" } as const);
  const byDefault =
    defaultMergeBase === null ? null : ({ sha: defaultMergeBase, from: "default_branch" } as const);
  const ownCopy = branch !== null && (upstream === branch || upstream?.endsWith(`/${branch}`) === true);
  const order = [byCi, ...(ownCopy ? [byDefault, byUpstream] : [byUpstream, byDefault])];
  const known = order.filter((base) => base !== null);
  return known.find((base) => base.sha !== head) ?? known[0] ?? null;
}
