// Makes a folder and the folders above it, one by one: where the system refuses each time (below /proc), Node's own
// recursive mkdir tries for ever.
import { statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { hasCode } from "./has-code.js";

/** False when there is nothing; throws ENOTDIR when there is something else. */
function isFolder(folder: string): boolean {
  const facts = statSync(folder, { throwIfNoEntry: false });
  if (facts?.isDirectory() === false)
    throw Object.assign(new Error(`ENOTDIR: not a directory, ${folder}`), {
      code: "ENOTDIR",
      errno: -20,
      syscall: "mkdir",
      path: folder,
    });
  return facts !== undefined;
}

/** The topmost folder that was made; undefined when all were there. Throws what the system throws. */
export async function makeFolders(folder: string): Promise<string | undefined> {
  const missing: string[] = [];
  let at = path.resolve(folder);
  while (!isFolder(at)) {
    missing.unshift(at);
    at = path.dirname(at);
  }
  for (const one of missing) {
    try {
      await mkdir(one);
    } catch (error) {
      // Another process may have been faster; a dangling link is no folder, and stays the system's to refuse.
      if (!hasCode(error, "EEXIST") || !isFolder(one)) throw error;
    }
  }
  return missing[0];
}
