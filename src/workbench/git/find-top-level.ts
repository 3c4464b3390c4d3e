// Where a working tree begins: the root of last resort (P43).
import path from "node:path";
import { openGit } from "./run-git.js";

/** The top level of the working tree `dir` lies in, or null (no git, no repository, bare, not ours). */
export async function findTopLevel(
  dir: string,
  env: NodeJS.ProcessEnv = process.env,
  timeoutMs = 10_000,
): Promise<string | null> {
  const git = await openGit(env, timeoutMs);
  const result = await git?.run(dir, ["rev-parse", "--show-toplevel"]);
  if (result?.status !== "ok") return null;
  const top = result.stdout.toString("utf8").replace(/\r?\n$/u, "");
  return top === "" ? null : path.resolve(top);
}
