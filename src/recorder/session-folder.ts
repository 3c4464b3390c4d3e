// The folder a session's files lie in: `.handoff/sessions/<session_id>/`, made on need, never outside the workbench (P43).
// Synchronous on purpose: a hook does one thing and ends.
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { HANDOFF_FOLDER, ignoreOwnFiles } from "../io/handoff-folder.js";
import { hasCode } from "../io/has-code.js";
import { isInside } from "../io/read-artifact-file.js";

const SESSIONS = path.join(HANDOFF_FOLDER, "sessions");

/** Where a session's folder is, relative paths and links left alone. `root` is a real path, the id valid. */
export function sessionFolderOf(root: string, sessionId: string): string {
  return path.join(root, SESSIONS, sessionId);
}

/** The workbench that a session's folder belongs to. */
export function rootOf(folder: string): string {
  return path.resolve(folder, "..", "..", "..");
}

/** Throws for a folder that a link leads out of the workbench, and ENOENT where there is none. `root` is a real path. */
export function refuseOutside(folder: string, root: string): void {
  if (isInside(realpathSync(folder), root)) return;
  throw new Error(`${path.relative(root, folder)} is a link that leads out of the workbench`);
}

/**
 * Makes `folder` (as {@link sessionFolderOf} gives it) and the ones above it. Each is checked before anything is made in it.
 * Throws what the system throws, and for a link that leads out of the workbench.
 */
export function makeSessionFolder(folder: string): void {
  const root = realpathSync(rootOf(folder));
  const sessions = path.dirname(folder);
  for (const one of [path.dirname(sessions), sessions, folder]) {
    try {
      mkdirSync(one);
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
    }
    refuseOutside(one, root);
  }
  ignoreOwnFiles(path.dirname(sessions));
  try {
    // What commands said, word for word, is no part of anybody's repository, whatever is ignored above.
    writeFileSync(path.join(sessions, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}
