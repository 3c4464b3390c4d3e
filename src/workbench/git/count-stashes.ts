// How many stashes there are, asked of git only where there may be any.
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { Ref } from "./decide-base.js";
import type { GitStatus } from "./parse-status.js";
import type { Git } from "./run-git.js";

/** False where the log that stashes are kept in is not there: status says nothing of none. */
export async function hasStashes(gitDir: string): Promise<boolean> {
  const text = await readFile(path.join(gitDir, "commondir"), "utf8").catch(() => "");
  const common = path.resolve(gitDir, text.trim());
  // A reftable keeps its logs elsewhere.
  const found = await Promise.all(
    ["logs/refs/stash", "reftable"].map((name) =>
      stat(path.join(common, name)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

/** Zero where `mayStash` is false, unless status counted them itself. */
export async function countStashes(
  git: Git,
  root: string,
  status: GitStatus,
  refs: readonly Ref[],
  mayStash: boolean,
): Promise<number> {
  if (status.stashes !== null) return status.stashes;
  if (!mayStash) return 0;
  if (!refs.some((ref) => ref.name === "refs/stash")) return 0;
  const counted = await git.run(root, ["rev-list", "--walk-reflogs", "--count", "refs/stash", "--"]);
  return counted.status === "ok" ? Number(counted.stdout.toString("latin1").trim()) : 0;
}
