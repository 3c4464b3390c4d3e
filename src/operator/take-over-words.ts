// How a person gets at what an attempt left (O6): in the packet, in the brief and on the terminal alike. Pure.
import { attemptName, type AttemptRecord } from "./attempt-record.js";

/** As an entry of the session's decisions, which packets and briefs tell. */
export function takeOverWords(record: AttemptRecord): { readonly what: string; readonly why: string } {
  return {
    what: `the work of ${attemptName(record)} is on the branch ${record.branch}, made from ${record.base_commit.slice(0, 12)}`,
    why: `it ran in a worktree of its own; take it over with git switch ${record.branch}, or git merge ${record.branch}`,
  };
}

/** For the terminal, once the run is over. */
export function endWords({ branch, tree, held }: AttemptRecord): string {
  if (held !== null) return `${held.reason}; its files are in ${tree}, its commits on ${branch}`;
  return `the work is on ${branch}: git switch ${branch}, or git merge ${branch}`;
}
