// Starts what readGitFacts asks first, for a caller that has other things to do before it asks: git then answers beside them.
import { FULL_HASH } from "./read-base.js";
import { headAndCommitsArgs, MAX_COMMITS } from "./read-commits.js";
import { repositoryArgs } from "./read-repository.js";
import { GIT_TIME_MS, openGit, type Git } from "./run-git.js";
import { FILTERS_ARGS } from "./switch-off-filters.js";

/**
 * Git that has begun its first calls about `root`, to be handed to readGitFacts; null when there is none. What is asked in the
 * end is asked there: a call that was begun in vain is only lost time.
 * @param base the commit that will be counted from, by its whole hash; with anything else nothing is begun
 */
export async function beginGitFacts(
  root: string,
  base: string | null,
  env: NodeJS.ProcessEnv,
): Promise<Git | null> {
  const git = await openGit(env, GIT_TIME_MS);
  if (git === null || base === null || !FULL_HASH.test(base)) return git;
  git.begin(root, FILTERS_ARGS);
  git.begin(root, repositoryArgs(base));
  git.begin(root, headAndCommitsArgs(base, MAX_COMMITS));
  return git;
}
