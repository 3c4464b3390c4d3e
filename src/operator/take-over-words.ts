// How a person gets at what an attempt left (O6): in the packet, in the brief and on the terminal alike. Pure.
import { attemptName, type AttemptRecord } from "./attempt-record.js";

type InTree = Pick<AttemptRecord, "run_id" | "attempt" | "base_commit"> & { readonly branch: string };

/** As an entry of the session's decisions, which packets and briefs tell. */
export function takeOverWords(record: InTree): { readonly what: string; readonly why: string } {
  const from = record.base_commit === null ? "" : `, made from ${record.base_commit.slice(0, 12)}`;
  return {
    what: `the work of ${attemptName(record)} is on the branch ${record.branch}${from}`,
    why: `it ran in a worktree of its own; take it over with git switch ${record.branch}, or git merge ${record.branch}`,
  };
}

/** For the terminal, once the run is over. */
export function endWords(record: AttemptRecord): string | null {
  const { branch, tree, held } = record;
  if (branch === null) return null;
  if (held !== null)
    return `${held.reason}; its files are in ${tree ?? "its tree"}, its commits on ${branch}`;
  return `the work is on ${branch}: git switch ${branch}, or git merge ${branch}`;
}
