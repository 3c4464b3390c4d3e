// Where the workbench begins (P43): --root, else the nearest folder upwards that looks like one, else the git top level,
// else the current folder. The climb is bounded, so that a stray file in a home or shared folder captures nobody's work.
import { lstatSync, type Stats, statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { readArtifactFile } from "../io/read-artifact-file.js";
import { UsageError } from "../model/errors.js";
import { parseJson } from "../text/parse-json.js";
import { buildState } from "./artifacts/build-state.js";
import { FieldNotes } from "./artifacts/field-notes.js";

/** Far more than any real path; only keeps the loop bounded. */
const MAX_CLIMB = 256;

function factsOf(file: string, follow: boolean): Stats | null {
  try {
    const look = { throwIfNoEntry: false } as const;
    return (follow ? statSync(file, look) : lstatSync(file, look)) ?? null;
  } catch {
    return null;
  }
}

/** A repository's or worktree's own `.git`: a folder with a HEAD, or a file that points to one. */
async function isGitTop(folder: string): Promise<boolean> {
  const dotGit = path.join(folder, ".git");
  const facts = factsOf(dotGit, true);
  if (facts?.isDirectory() === true) return factsOf(path.join(dotGit, "HEAD"), false) !== null;
  if (facts?.isFile() !== true) return false;
  const file = await readArtifactFile(null, dotGit, 65_536);
  return file.status === "read" && file.text.startsWith("gitdir:");
}

/** `.handoff/`, a configuration, or a state file that is ours by content. */
async function isMarked(folder: string): Promise<boolean> {
  if (factsOf(path.join(folder, ".handoff"), false)?.isDirectory() === true) return true;
  if (factsOf(path.join(folder, "handoff.config.json"), true)?.isFile() === true) return true;
  const file = await readArtifactFile(folder, "agent_state.json");
  if (file.status !== "read") return false;
  const parsed = parseJson(file.text);
  return parsed.ok && buildState(parsed.value, new FieldNotes("state", "agent_state.json")) !== null;
}

/** The folder named by --root, resolved. Throws UsageError when it is none. */
async function chosenRoot(cwd: string, option: string): Promise<string> {
  const folder = path.resolve(cwd, option);
  const facts = factsOf(folder, true);
  if (facts?.isDirectory() === true) return realpath(folder);
  const what = facts === null ? "does not exist" : "is not a folder";
  throw new UsageError("root.not_a_folder", `--root ${option} ${what}`, "name an existing folder", {
    path: folder,
  });
}

/** The folder and those above it, nearest first. */
function upwards(folder: string): string[] {
  const chain = [folder];
  for (let at = folder; chain.length < MAX_CLIMB && path.dirname(at) !== at; at = path.dirname(at))
    chain.push(path.dirname(at));
  return chain;
}

/**
 * Absolute real path of the workbench root.
 *
 * The climb never goes above the git top level. Outside a repository it stops below the home folder, the file system's
 * root and any folder that others may write to (such as /tmp): whoever can put a file there must not choose our root.
 * The current folder itself is always looked at.
 * @param option the value of --root, relative to `cwd`, or null
 * @throws UsageError when `option` is not a folder
 */
export async function findRoot(
  cwd: string,
  option: string | null,
  home: string = os.homedir(),
): Promise<string> {
  if (option !== null) return chosenRoot(cwd, option);
  const start = await realpath(cwd);
  const chain = upwards(start);
  const tops = await Promise.all(chain.map(isGitTop));
  const top = chain[tops.indexOf(true)];
  const realHome = await realpath(home).catch(() => home);
  for (const folder of chain) {
    if (top === undefined && folder !== start) {
      const facts = factsOf(folder, false);
      const shared = facts === null || (process.platform !== "win32" && (facts.mode & 0o002) !== 0);
      if (shared || folder === realHome || path.dirname(folder) === folder) break;
    }
    if (await isMarked(folder)) return folder;
    if (folder === top) break;
  }
  return top ?? start;
}
