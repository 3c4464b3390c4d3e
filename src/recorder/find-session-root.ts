// The workbench a session belongs to. Never the home folder itself and never the file system's root: an agent that is started
// there works on no project, and what it does must not become everybody's.
import { realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { findRoot } from "../workbench/find-root.js";

/** Real path of the root above (or at) `folder`; null where nothing is recorded. Throws when there is no such folder. */
export async function findSessionRoot(folder: string): Promise<string | null> {
  const root = await realpath(await findRoot(folder, null));
  const home = await realpath(os.homedir()).catch(() => os.homedir());
  return root === home || path.dirname(root) === root ? null : root;
}
