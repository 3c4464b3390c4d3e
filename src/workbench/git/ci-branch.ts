// The branch a CI job builds, from the CI's variables: a CI checks out a commit, so git alone says "detached" (P11).
// Only for a detached HEAD: on a branch, git knows better.

type Env = Readonly<Record<string, string | undefined>>;
type Source = (env: Env) => string | undefined;

/** Heads of pull requests first: the other variables then name a merge ref or the target. */
const SOURCES: readonly Source[] = [
  (env) => env["GITHUB_HEAD_REF"],
  (env) => env["CI_MERGE_REQUEST_SOURCE_BRANCH_NAME"],
  (env) => env["SYSTEM_PULLREQUEST_SOURCEBRANCH"],
  (env) => env["CHANGE_BRANCH"],
  (env) => (env["GITHUB_REF_TYPE"] === "tag" ? undefined : env["GITHUB_REF_NAME"]),
  (env) => (env["CI_COMMIT_TAG"] ? undefined : env["CI_COMMIT_REF_NAME"]),
  (env) => (env["BUILDKITE_TAG"] ? undefined : env["BUILDKITE_BRANCH"]),
  (env) => (env["CIRCLE_TAG"] ? undefined : env["CIRCLE_BRANCH"]),
  (env) => env["BUILD_SOURCEBRANCH"],
  // Only the last part of the name: no use when the full one is there and is no branch.
  (env) => (env["BUILD_SOURCEBRANCH"] ? undefined : env["BUILD_SOURCEBRANCHNAME"]),
  (env) => env["BRANCH_NAME"],
];

/** The branch named by the CI's variables, or null when there is none that git would accept as a branch name. */
export function decideCiBranch(env: Env): string | null {
  for (const source of SOURCES) {
    const name = source(env)
      ?.trim()
      .replace(/^refs\/heads\//u, "");
    if (name !== undefined && isBranchName(name)) return name;
  }
  return null;
}

/** Git's rules for branch names (git check-ref-format), and no merge refs such as `12/merge`, `refs/pull/12/merge`. */
export function isBranchName(name: string): boolean {
  return (
    name.length > 0 &&
    name.length <= 250 &&
    name.isWellFormed() &&
    !/[\u0000-\u0020\u007f-\u00a0~^:?*[\\\p{Cf}\p{Zl}\p{Zp}]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|^[-./]|[./]$|^@$/u.test(
      name,
    ) &&
    !/^(?:refs\/.*|\d+\/(?:merge|head))$/u.test(name)
  );
}
