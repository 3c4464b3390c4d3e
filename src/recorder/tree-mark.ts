// What the working tree looked like at one moment: enough to say later whether a session that recorded nothing did something.
import path from "node:path";
import { sha256Hex } from "../text/digest.js";
import { readGitFacts } from "../workbench/git/read-git-facts.js";

/** null fields: no repository, or git could not say. */
export interface TreeMark {
  readonly branch: string | null;
  readonly head: string | null;
  /** Digest of what differs from the commit that is checked out, the workbench's own files aside. */
  readonly tree: string | null;
}

const TIMEOUT_MS = 5000;

/** Reads it. `out` is the store's root, relative to `root`. Rejects only when the system runs out of something. */
export async function readTreeMark(
  root: string,
  out: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<TreeMark> {
  const isOwnPath = (file: string): boolean =>
    [".handoff", out].some((own) => file === own || file.startsWith(`${own}/`));
  const isBelow = !path.isAbsolute(out) && !out.startsWith("..");
  const facts = await readGitFacts(root, {
    base: "HEAD",
    sessionBase: null,
    isOwnPath,
    ownFolder: isBelow ? out : null,
    env: { ...env },
    timeoutMs: TIMEOUT_MS,
  });
  const unsure = facts.diagnostics.some(({ code }) => code === "git.timeout" || code === "git.failed");
  const changes = [facts.changes, facts.changes_omitted];
  return {
    branch: facts.branch,
    head: facts.head?.sha ?? null,
    tree: facts.available && !unsure ? sha256Hex(JSON.stringify(changes)) : null,
  };
}
