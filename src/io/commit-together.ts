// Several staged files take their places in order; if one cannot, those before it are put back. The last one decides: once
// it is in place, all of it happened.
import { constants } from "node:fs";
import { copyFile, link, rename, unlink } from "node:fs/promises";
import { hasCode } from "./has-code.js";
import { asWriteError, temporaryName, type StagedFile } from "./write-atomic.js";

interface Kept {
  readonly restore: () => Promise<void>;
  readonly forget: () => Promise<void>;
}

const isMissing = (error: unknown): boolean => hasCode(error, "ENOENT");
const quietly = (work: Promise<void>): Promise<void> => work.catch(() => undefined);

/** Keeps what stands at `target` under another name: no copy of the data, so no space is needed to put it back. */
async function keepOld(target: string): Promise<Kept> {
  const kept = temporaryName(target);
  try {
    // Not every file system has hard links; a copy does as well.
    await link(target, kept).catch((error: unknown) =>
      isMissing(error) ? Promise.reject(error) : copyFile(target, kept, constants.COPYFILE_EXCL),
    );
  } catch (error) {
    if (isMissing(error)) return { restore: () => quietly(unlink(target)), forget: async () => undefined };
    await quietly(unlink(kept));
    throw asWriteError(error, target);
  }
  return {
    restore: () => quietly(rename(kept, target)),
    forget: () => quietly(unlink(kept)),
  };
}

/** Commits all or none, in order. Throws what the failing step throws; every file is then as before. */
export async function commitTogether(files: readonly StagedFile[]): Promise<void> {
  const kept: Kept[] = [];
  try {
    for (const [i, file] of files.entries()) {
      if (i < files.length - 1) kept.push(await keepOld(file.path));
      await file.commit();
    }
  } catch (error) {
    for (const one of kept.toReversed()) await one.restore();
    throw error;
  } finally {
    for (const one of kept) await one.forget();
    for (const file of files) await file.discard();
  }
}
