// What a CI job's work is compared with, by the CI's own variables (A16): the target of its pull request, else the default
// branch. Like the job's branch they count only for what the job has checked out.
import { decideCiBranch, isBranchName } from "./ci-branch.js";
import type { Ref } from "./decide-base.js";

type Env = Readonly<Record<string, string | undefined>>;

/** Targets of pull requests; empty or absent where the job has none. */
const TARGETS = [
  "GITHUB_BASE_REF",
  "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", // GitLab
  "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
  "SYSTEM_PULLREQUEST_TARGETBRANCH", // Azure, refs/heads/main
  "CHANGE_TARGET", // Jenkins
  "BITBUCKET_PR_DESTINATION_BRANCH",
] as const;
/** The default branch: a CI's clone has no origin/HEAD to name it. */
const DEFAULTS = ["CI_DEFAULT_BRANCH", "BUILDKITE_PIPELINE_DEFAULT_BRANCH"] as const;

/** Where to look for the base, best first. */
export interface CiBase {
  /** The base commit itself, where the CI names it: its clone may not have the target branch at all (GitLab). */
  readonly commit: string | null;
  /** Short branch names. */
  readonly branches: readonly string[];
}

/** Reads the variables; nothing that git would not accept as a name gets through. */
export function decideCiBase(env: Env): CiBase {
  const named = (name: string): string | undefined => env[name]?.trim().replace(/^refs\/heads\//u, "");
  const own = decideCiBranch(env);
  // A fork's pull request may come from a branch that is called as its target; a push to the default branch has none.
  const names = [...TARGETS.map(named), ...DEFAULTS.map(named).filter((name) => name !== own)];
  const branches = names.filter((name) => name !== undefined).filter(isBranchName);
  const commit = env["CI_MERGE_REQUEST_DIFF_BASE_SHA"]?.trim() ?? "";
  return {
    commit: /^[0-9a-f]{40,64}$/u.test(commit) ? commit : null,
    branches: [...new Set(branches)],
  };
}

/** Patterns for for-each-ref that find every copy of these branches. */
export function ciRefPatterns({ branches }: CiBase): string[] {
  return branches.flatMap((name) => [`refs/remotes/*/${name}`, `refs/heads/${name}`]);
}

/** The full ref to compare with: of the first branch that has one, origin's copy, the only other remote's, or the local one. */
export function decideCiRef(refs: readonly Ref[], { branches }: CiBase): string | null {
  const names = refs.map(({ name }) => name);
  for (const branch of branches) {
    const remotes = names.filter((name) => name.replace(/^refs\/remotes\/[^/]+\//u, "") === branch);
    const origin = remotes.find((name) => name === `refs/remotes/origin/${branch}`);
    const found = origin ?? (remotes.length === 1 ? remotes[0] : undefined);
    const local = names.find((name) => name === `refs/heads/${branch}`);
    if (found !== undefined || local !== undefined) return found ?? local ?? null;
  }
  return null;
}
