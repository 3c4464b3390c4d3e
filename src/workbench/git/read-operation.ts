// Which operation a working tree is in the middle of, from the marker files git keeps in its own folder (P10).
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { throwShortage } from "../../io/system-shortage.js";
import type { GitFacts } from "../../model/snapshot.js";

export interface OperationFacts {
  readonly operation: GitFacts["operation"];
  /** The branch being rebased: HEAD is detached meanwhile, but the work belongs there. */
  readonly rebasedBranch: string | null;
}

/** `gitDir` is the working tree's own git folder (of a linked worktree: `.git/worktrees/<name>`). */
export async function readOperation(gitDir: string): Promise<OperationFacts> {
  const has = (name: string): boolean => {
    try {
      return statSync(path.join(gitDir, name), { throwIfNoEntry: false }) !== undefined;
    } catch {
      return false;
    }
  };
  const text = async (name: string): Promise<string> =>
    has(name)
      ? readFile(path.join(gitDir, name), "utf8").catch((error: unknown) => {
          throwShortage(error);
          return "";
        })
      : "";
  const [rebaseMerge, rebaseApply] = [has("rebase-merge"), has("rebase-apply")];
  const [merge, cherryPick, revert] = [has("MERGE_HEAD"), has("CHERRY_PICK_HEAD"), has("REVERT_HEAD")];
  const bisect = has("BISECT_LOG");
  const todo = await text("sequencer/todo");
  // A rebase comes first: it stops inside a merge or a cherry-pick of its own.
  if (rebaseMerge || rebaseApply) {
    const name = (await text(rebaseMerge ? "rebase-merge/head-name" : "rebase-apply/head-name")).trim();
    const branch = /^refs\/heads\/(.+)$/u.exec(name)?.[1] ?? null;
    return { operation: "rebase", rebasedBranch: branch };
  }
  const sequence = /^(?:pick|p|revert)\b/mu.exec(todo)?.[0];
  const operation = merge
    ? "merge"
    : cherryPick
      ? "cherry-pick"
      : revert
        ? "revert"
        : // Between two commits of a series only the to-do list is left.
          sequence !== undefined
          ? sequence === "revert"
            ? "revert"
            : "cherry-pick"
          : bisect
            ? "bisect"
            : null;
  return { operation, rebasedBranch: null };
}
