// Makes a folder and the folders above it, one by one: where the system refuses each time (below /proc), Node's own
// recursive mkdir tries for ever.
import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { hasCode } from "./has-code.js";

/** False when there is nothing; throws ENOTDIR when there is something else. */
async function isFolder(folder: string): Promise<boolean> {
  const facts = await stat(folder).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  });
  if (facts?.isDirectory() === false)
    throw Object.assign(new Error(`ENOTDIR: not a directory, ${folder}`), {
      code: "ENOTDIR",
      errno: -20,
      syscall: "mkdir",
      path: folder,
    });
  return facts !== null;
}

/** The topmost folder that was made; undefined when all were there. Throws what the system throws. */
export async function makeFolders(folder: string): Promise<string | undefined> {
  const missing: string[] = [];
  let at = path.resolve(folder);
  while (!(await isFolder(at))) {
    missing.unshift(at);
    at = path.dirname(at);
  }
  for (const one of missing) {
    try {
      await mkdir(one);
    } catch (error) {
      // Another process may have been faster; a dangling link is no folder, and stays the system's to refuse.
      if (!hasCode(error, "EEXIST") || !(await isFolder(one))) throw error;
    }
  }
  return missing[0];
}
