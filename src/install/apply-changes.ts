// Puts planned changes on disk: every file is looked at before the first is written, and all of them change or none (A1).
// A link is followed and stays a link.
import { constants } from "node:fs";
import { access, readdir, realpath, rmdir, stat, unlink } from "node:fs/promises";
import path from "node:path";
import { commitTogether } from "../io/commit-together.js";
import { hasCode } from "../io/has-code.js";
import { makeFolders } from "../io/make-folders.js";
import { asWriteError, stageFile, type StagedFile } from "../io/write-atomic.js";
import { UsageError } from "../model/errors.js";
import { readText } from "./read-text.js";

/** One file: its text as it was read and as it shall be; null for no file. */
export interface FileChange {
  /** Absolute. */
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  /** When it is removed: so many folders above it go too, as far as they are empty then. */
  readonly folders: number;
  /** Absolute: no link may lead out of this folder (P43). Absent: links are followed, wherever they lead. */
  readonly base?: string;
  /** Permission bits when it is made. Absent: the system's. One that is there keeps its own. */
  readonly mode?: number;
}

/** What is above a file. */
export interface FolderFacts {
  /** How many folders there are not yet. */
  readonly missing: number;
  /** The nearest one that is there is empty. */
  readonly isEmpty: boolean;
}

/** Looks at the folders above a file. */
export async function lookAtFolders(file: string): Promise<FolderFacts> {
  let missing = 0;
  for (let at = path.dirname(file); ; at = path.dirname(at)) {
    const names = await readdir(at).catch((error: unknown) => (hasCode(error, "ENOENT") ? null : []));
    if (names !== null) return { missing, isEmpty: names.length === 0 };
    missing += 1;
    if (path.dirname(at) === at) return { missing, isEmpty: false };
  }
}

/** What exists nearest above a file: a folder, unless something is in its way. */
async function standingFolder(file: string): Promise<string> {
  const folder = path.dirname(file);
  const facts = await stat(folder).catch(() => null);
  return facts === null && path.dirname(folder) !== folder ? standingFolder(folder) : folder;
}

/** Throws UsageError when a file is not what it was. */
async function checkText({ path: file, before, base }: FileChange): Promise<void> {
  if ((await readText(file, base)) === before) return;
  throw new UsageError(
    "settings.changed",
    "somebody else changed it at this moment, so nothing was changed",
    "run this again",
    { path: file },
  );
}

/** Throws UsageError when a file is not what it was, or may not be written. */
async function check(change: FileChange): Promise<void> {
  const { path: file, before } = change;
  const denied = (at: string) => (error: unknown) => {
    throw new UsageError(
      hasCode(error, "EROFS") ? "write.read_only" : "write.denied",
      "it may not be written, so nothing was changed",
      "make it writable, or use another --scope",
      { path: at },
    );
  };
  await checkText(change);
  if (before !== null) await access(file, constants.W_OK).catch(denied(file));
  const real = before === null ? file : await realpath(file);
  const folder = await standingFolder(real);
  if (!(await stat(folder)).isDirectory())
    throw new UsageError(
      "write.not_a_folder",
      "something that is not a folder is in the way, so nothing was changed",
      "move it away, or use another --scope",
      { path: folder },
    );
  await access(folder, constants.W_OK | constants.X_OK).catch(denied(folder));
}

async function removeEmpty(folder: string, levels: number): Promise<void> {
  let at = folder;
  for (let i = 0; i < levels; i += 1, at = path.dirname(at)) {
    try {
      await rmdir(at);
    } catch {
      // Somebody keeps something there.
      return;
    }
  }
}

/** Throws UsageError when one of the changes could not be made as things are now. Writes nothing. */
export async function checkChanges(changes: readonly FileChange[]): Promise<void> {
  for (const change of changes) if (change.before !== change.after) await check(change);
}

/** Applies the changes in order. Throws UsageError; every file and folder is then as before. */
export async function applyChanges(changes: readonly FileChange[]): Promise<void> {
  const real = changes.filter(({ before, after }) => before !== after);
  await checkChanges(real);
  const made: string[] = [];
  const staged: StagedFile[] = [];
  try {
    for (const { path: file, before, after, base, mode } of real) {
      if (after === null) continue;
      const folder = path.dirname(file);
      const { missing } = await lookAtFolders(file);
      await makeFolders(folder).catch((error: unknown) => {
        throw asWriteError(error, folder);
      });
      for (let i = 0, at = folder; i < missing; i += 1, at = path.dirname(at)) made.push(at);
      const target =
        before === null ? path.join(await realpath(folder), path.basename(file)) : await realpath(file);
      const limits = { base: base ?? path.dirname(target), ...(mode === undefined ? {} : { mode }) };
      staged.push(await stageFile(target, after, limits));
    }
    // Once more: the agents themselves write in these files, and what was staged takes its time.
    for (const change of real) await checkText(change);
    await commitTogether(staged);
  } catch (error) {
    for (const one of staged) await one.discard();
    for (const folder of made.toSorted((a, b) => b.length - a.length)) await removeEmpty(folder, 1);
    throw error;
  }
  for (const { path: file, after, folders } of real) {
    if (after !== null) continue;
    await unlink(file).catch((error: unknown) => {
      throw asWriteError(error, file);
    });
    await removeEmpty(path.dirname(file), folders);
  }
}
