// What was recorded of sessions in an attempt's tree belongs to the person's workbench (O6): it is taken there before the tree
// goes, and into the next start's tree before that begins. Plain files only; a link leads nowhere.
import { constants } from "node:fs";
import { copyFile, mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { temporaryName } from "../io/write-atomic.js";
import { isValidId } from "../model/valid-id.js";
import { makeSessionFolder, sessionFolderOf } from "../recorder/session-folder.js";
import { readWindows, rememberWindow } from "../rotation/window-memory.js";

async function replaceFile(from: string, to: string): Promise<void> {
  const temporary = temporaryName(to);
  try {
    await copyFile(from, temporary, constants.COPYFILE_EXCL);
    await rename(temporary, to);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function copyPlainFiles(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) {
      await mkdir(target, { recursive: true });
      await copyPlainFiles(source, target);
    } else if (entry.isFile()) await replaceFile(source, target);
  }
}

/** Takes one session's records from the workbench at `from` to that at `to`; both real paths. Throws what the system throws. */
async function copySession(from: string, to: string, session: string): Promise<void> {
  const target = sessionFolderOf(to, session);
  makeSessionFolder(target);
  await copyPlainFiles(sessionFolderOf(from, session), target);
}

async function sessionsOf(root: string): Promise<string[]> {
  const entries = await readdir(path.dirname(sessionFolderOf(root, "x")), { withFileTypes: true }).catch(
    () => [],
  );
  return entries.filter((entry) => entry.isDirectory() && isValidId(entry.name)).map(({ name }) => name);
}

/**
 * Takes the records of sessions over, newer over older; windows that were learned come along. Again is as once.
 * @param only these sessions; default: all that there are
 */
export async function keepRecords(from: string, to: string, only?: readonly string[]): Promise<void> {
  const found = await sessionsOf(from);
  for (const session of found) if (only?.includes(session) !== false) await copySession(from, to, session);
  for (const [key, window] of Object.entries(await readWindows(from))) await rememberWindow(to, key, window);
}
