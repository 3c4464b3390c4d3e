// Where packets live: the store's root and one folder a session below it. Nothing is ever written elsewhere (P43).
import { realpath } from "node:fs/promises";
import path from "node:path";
import { makeFolders } from "../io/make-folders.js";
import { asWriteError, ensureFolder } from "../io/write-atomic.js";
import { isGitFolder, isInside } from "../io/read-artifact-file.js";
import { UsageError } from "../model/errors.js";
import { isValidId } from "../model/valid-id.js";

/** Names in the store's root that are no sessions. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(["archive", "runs", "index.json", "index.lock"]);

function refuseGitFolder(out: string, shown: string): void {
  if (!isGitFolder(out)) return;
  throw new UsageError(
    "write.git_folder",
    `packets cannot be kept inside git's own folder: ${JSON.stringify(shown)}`,
    "name a folder beside .git with --out, or as out in handoff.config.json",
    { path: shown },
  );
}

/** Absolute path of the store's root. Throws UsageError for one inside a `.git`, or that no file system can have. */
export function storePath(root: string, outDir: string): string {
  if (outDir.includes("\0"))
    throw new UsageError(
      "usage.bad_path",
      `${JSON.stringify(outDir)} cannot name a folder`,
      "name a folder without control characters",
    );
  const out = path.resolve(root, outDir);
  refuseGitFolder(out, outDir);
  return out;
}

/** Where `folder` really lies, or will: the real path of what there is of it. Null when that cannot be told. */
async function realPlace(folder: string): Promise<string | null> {
  try {
    return await realpath(folder);
  } catch {
    const parent = path.dirname(folder);
    return parent === folder ? null : realPlace(parent);
  }
}

/**
 * Makes the store's root and returns its real path. Inside the workbench no symlink may lead out of it, and none anywhere
 * into git's own folder; a folder outside the workbench is what the caller asked for by name. Throws UsageError.
 */
export async function ensureStore(root: string, outDir: string): Promise<string> {
  const out = storePath(root, outDir);
  refuseGitFolder((await realPlace(out)) ?? out, outDir);
  if (isInside(out, path.resolve(root))) await ensureFolder(out, { base: root });
  else
    try {
      await makeFolders(out);
    } catch (error) {
      throw asWriteError(error, out);
    }
  return realpath(out);
}

/** Name of a session's folder. Throws UsageError for an id that may not become one. */
export function sessionFolder(sessionId: string): string {
  if (isValidId(sessionId) && !RESERVED_NAMES.has(sessionId.toLowerCase())) return sessionId;
  throw new UsageError(
    "usage.bad_id",
    `session id ${JSON.stringify(sessionId)} cannot name a folder of packets`,
    "ids are 1 to 128 of A-Z a-z 0-9 . _ - and do not start with a dot; archive, runs and index.json are taken",
  );
}
