// Where packets live: the store's root and one folder a session below it. Nothing is ever written elsewhere (P43).
import { realpath } from "node:fs/promises";
import path from "node:path";
import { mkdir } from "node:fs/promises";
import { asWriteError, ensureFolder } from "../io/write-atomic.js";
import { isInside } from "../io/read-artifact-file.js";
import { UsageError } from "../model/errors.js";
import { isValidId } from "../model/valid-id.js";

/** Names in the store's root that are no sessions. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(["archive", "runs", "index.json", "index.lock"]);

/** Absolute path of the store's root. */
export function storePath(root: string, outDir: string): string {
  return path.resolve(root, outDir);
}

/**
 * Makes the store's root and returns its real path. Inside the workbench no symlink may lead out of it; a folder outside
 * the workbench is what the caller asked for by name. Throws UsageError.
 */
export async function ensureStore(root: string, outDir: string): Promise<string> {
  const out = storePath(root, outDir);
  if (isInside(out, path.resolve(root))) await ensureFolder(out, { base: root });
  else
    try {
      await mkdir(out, { recursive: true });
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
