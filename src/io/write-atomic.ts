// Replaces files whole or not at all: temp file beside the target, fsync, rename, fsync of the folder.
// Never writes outside the base folder it was given, whatever a symlink says; a failed write leaves the old file as it was.
// Only what waits for the disk leaves the thread: of every other call the round trip takes longer than the call.
import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fsync,
  openSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { UsageError } from "../model/errors.js";
import { hasCode } from "./has-code.js";
import { makeFolders } from "./make-folders.js";
import { isInside } from "./read-artifact-file.js";

/** Where a write may go. */
export interface WriteLimits {
  /** Absolute path of the folder that must hold the target after every symlink on the way is resolved. It must exist. */
  readonly base: string;
  /** Permission bits of a file that is not there yet; default: the system's. Those of one that is there survive. */
  readonly mode?: number;
}

/** A file written in full under a temporary name, ready to take its place. Once committed, discarding does nothing. */
export interface StagedFile {
  readonly path: string;
  /** Moves the file to its place. On failure the temporary file is removed and the old file is intact. */
  readonly commit: () => Promise<void>;
  /** Removes the temporary file. Never throws. */
  readonly discard: () => Promise<void>;
}

interface Advice {
  readonly code: string;
  readonly what: string;
  readonly hint: string;
}

const SPACE = { code: "write.no_space", hint: "free some space (or raise the limit), then run it again" };
const DENIED = {
  code: "write.denied",
  what: "permission denied",
  hint: "make the folder writable, or name another with --out",
};
const NOT_A_FOLDER = {
  code: "write.not_a_folder",
  what: "something that is not a folder is in the way",
  hint: "move it away, or name another folder with --out",
};
const TOO_MANY = {
  code: "write.too_many_files",
  what: "too many open files",
  hint: "close some programs or raise the limit (ulimit -n), then run it again",
};
/** What to do about the system errors people really meet. */
const ADVICE: Readonly<Record<string, Advice>> = {
  ENOSPC: { ...SPACE, what: "no space left on the device" },
  EDQUOT: { ...SPACE, what: "the disk quota is used up" },
  EFBIG: { ...SPACE, what: "the file size limit is reached" },
  EROFS: {
    code: "write.read_only",
    what: "the file system is read-only",
    hint: "name a writable folder with --out",
  },
  EACCES: DENIED,
  EPERM: DENIED,
  ENOTDIR: NOT_A_FOLDER,
  EEXIST: NOT_A_FOLDER,
  EISDIR: {
    code: "write.not_a_file",
    what: "a folder is in the way",
    hint: "move it away, or name another folder with --out",
  },
  EMFILE: TOO_MANY,
  ENFILE: TOO_MANY,
};

/** Turns a failed system call into an error that names the path and what to do (exit 2); anything else comes back as it is. */
export function asWriteError(error: unknown, target: string): unknown {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return error;
  const reason = String(error.code);
  const advice = ADVICE[reason] ?? {
    code: "write.failed",
    what: `the write failed (${reason})`,
    hint: "look at the folder, or name another with --out",
  };
  return new UsageError(
    advice.code,
    `cannot write: ${advice.what}`,
    advice.hint,
    { path: target },
    { cause: error },
  );
}

/** The error for a file that a change needs to read and cannot, by the system's code for why (EACCES, EMFILE ...). */
export function asReadError(reason: string, target: string): UsageError {
  const advice = ADVICE[reason];
  return new UsageError(
    advice?.code ?? "write.unreadable",
    `cannot read what is to be changed: ${advice?.what ?? reason}`,
    advice?.hint ?? "look at the file, or name another folder with --out",
    { path: target },
  );
}

/** Real path of the deepest folder on the way to `target` that exists. */
function deepestExisting(target: string): string {
  try {
    return realpathSync.native(target);
  } catch (error) {
    const parent = path.dirname(target);
    if (!hasCode(error, "ENOENT") || parent === target) throw error;
    return deepestExisting(parent);
  }
}

/** Throws `write.outside` when `target` (existing or not) would end up outside `base` once symlinks are resolved. */
function assertInside(target: string, base: string): void {
  const realBase = realpathSync.native(base);
  const realTarget = deepestExisting(target);
  const lexical =
    isInside(path.resolve(target), path.resolve(base)) || isInside(path.resolve(target), realBase);
  if (lexical && isInside(realTarget, realBase)) return;
  throw new UsageError(
    "write.outside",
    `refusing to write outside ${base}: the way there leads to ${realTarget}`,
    "remove the symlink, or name the real folder with --out",
    { path: target },
  );
}

/** Makes a folder and the ones above it, all inside `base`. Throws UsageError. */
export async function ensureFolder(folder: string, { base }: WriteLimits): Promise<void> {
  try {
    assertInside(folder, base);
    const first = await makeFolders(folder);
    // Once more: what was missing before may have been a dangling symlink.
    assertInside(folder, base);
    // A new folder is as durable as what will be written into it.
    if (first !== undefined) await syncFolder(path.dirname(first));
  } catch (error) {
    throw asWriteError(error, folder);
  }
}

function synced(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(fd, (error) => (error === null ? resolve() : reject(error)));
  });
}

async function syncFolder(folder: string): Promise<void> {
  try {
    const fd = openSync(folder, "r");
    try {
      await synced(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    // Some systems cannot fsync or open a folder. The rename itself is done and atomic either way.
  }
}

/** Permission bits of the file to be replaced, so that they survive; null when there is none. */
function modeOf(target: string): number | null {
  try {
    const facts = statSync(target, { throwIfNoEntry: false });
    return facts?.isFile() === true ? facts.mode & 0o777 : null;
  } catch {
    return null;
  }
}

/** A name for a temporary file beside `target`. What a crash leaves behind is known by it: see {@link isTemporary}. */
export function temporaryName(target: string): string {
  const name = `.${path.basename(target)}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`;
  return path.join(path.dirname(target), name);
}

/** True for the name of a temporary file of ours. */
export function isTemporary(name: string): boolean {
  return /^\..+\.\d+\.[0-9a-f]{12}\.tmp$/u.test(name);
}

/** Writes `data` in full and durably under a temporary name in the target's folder, which must exist. Throws UsageError. */
export async function stageFile(
  target: string,
  data: string | Uint8Array,
  { base, mode: fresh = 0o666 }: WriteLimits,
): Promise<StagedFile> {
  const folder = path.dirname(target);
  const temporary = temporaryName(target);
  let isCommitted = false;
  const discard = async (): Promise<void> => {
    if (isCommitted) return;
    try {
      unlinkSync(temporary);
    } catch {
      // It is gone, or stays as what a crash leaves.
    }
  };
  const cleanly = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      await discard();
      throw asWriteError(error, target);
    }
  };
  await cleanly(async () => {
    assertInside(folder, base);
    const mode = modeOf(target);
    const fd = openSync(temporary, "wx", mode ?? fresh);
    try {
      writeFileSync(fd, data);
      if (mode !== null) fchmodSync(fd, mode);
      await synced(fd);
    } finally {
      closeSync(fd);
    }
  });
  return {
    path: target,
    discard,
    commit: () =>
      cleanly(async () => {
        renameSync(temporary, target);
        isCommitted = true;
        await syncFolder(folder);
      }),
  };
}

/**
 * Replaces one file atomically; its folder must exist and lie inside `base`. A symlink at the target itself is replaced,
 * never followed. Throws UsageError (exit 2) naming the path and what to do; the old file is then intact.
 */
export async function writeAtomic(
  target: string,
  data: string | Uint8Array,
  limits: WriteLimits,
): Promise<void> {
  const staged = await stageFile(target, data, limits);
  await staged.commit();
}
