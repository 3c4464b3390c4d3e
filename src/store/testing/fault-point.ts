// For tests: counts what a process does to the files below a folder, and at a chosen point kills the process or fails the
// call. Imported first by a child process, or preloaded with --import; the product's own code knows nothing of it.
import fs, { type PathLike } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";

/**
 * FAULT_FOLDER: only calls below it count. FAULT_AT: the number of the call, from 1. FAULT_DO: `kill-before`,
 * `kill-after`, or the code of an error that the call fails with. FAULT_LOG: a file that gets a line for every call.
 */
const { FAULT_FOLDER, FAULT_AT, FAULT_DO, FAULT_LOG } = process.env;
const at = Number(FAULT_AT ?? "0");
let calls = 0;

const isCounted = (target: unknown): boolean =>
  typeof target === "string" && FAULT_FOLDER !== undefined && target.startsWith(FAULT_FOLDER);

function fail(code: string, name: string, target: string): never {
  throw Object.assign(new Error(`${code}: injected, ${name} '${target}'`), { code, syscall: name });
}

/** Counts a call. True where it is the chosen one, and the process still lives. */
function isChosen(name: string, target: string): boolean {
  calls += 1;
  if (FAULT_LOG !== undefined)
    fs.appendFileSync(FAULT_LOG, `${name} ${path.relative(FAULT_FOLDER ?? "", target)}\n`);
  if (calls !== at) return false;
  if (FAULT_DO === "kill-before") process.kill(process.pid, "SIGKILL");
  return true;
}

async function counted<T>(name: string, target: string, work: () => Promise<T>): Promise<T> {
  if (!isChosen(name, target)) return work();
  if (FAULT_DO === "kill-after") {
    await work().catch(() => undefined);
    process.kill(process.pid, "SIGKILL");
  }
  return fail(FAULT_DO ?? "EIO", name, target);
}

function countedAtOnce<T>(name: string, target: string, work: () => T): T {
  if (!isChosen(name, target)) return work();
  if (FAULT_DO === "kill-after") {
    try {
      work();
    } finally {
      process.kill(process.pid, "SIGKILL");
    }
  }
  return fail(FAULT_DO ?? "EIO", name, target);
}

type Call = (this: unknown, ...args: unknown[]) => Promise<unknown>;
const opened = new WeakMap<object, string>();
const { promises } = fs;

/** Replaces a function by one that is given the original. */
function wrap(holder: object, name: string, wrapped: (original: Call) => Call): void {
  const original: Call = Reflect.get(holder, name);
  Reflect.set(holder, name, wrapped(original));
}

/** Calls that change what a folder holds; the second path counts for those that have two. */
for (const [name, position] of Object.entries({
  rename: 1,
  link: 1,
  copyFile: 1,
  unlink: 0,
  mkdir: 0,
  rmdir: 0,
}))
  wrap(promises, name, (original) => (...args) => {
    const target = args[position];
    const work = (): Promise<unknown> => original.apply(promises, args);
    return isCounted(target) ? counted(name, String(target), work) : work();
  });
const open = promises.open.bind(promises);
promises.open = async (file: PathLike, flags?: string | number, mode?: fs.Mode) => {
  const start = async (): Promise<fs.promises.FileHandle> => {
    const handle = await open(file, flags, mode);
    if (isCounted(file)) opened.set(handle, String(file));
    return handle;
  };
  const writes = typeof flags === "string" && flags !== "r";
  return isCounted(file) && writes ? counted("open", String(file), start) : start();
};
const probe = await open(process.execPath, "r");
const handles: object = Object.getPrototypeOf(probe);
await probe.close();
for (const name of ["writeFile", "appendFile", "sync", "chmod"])
  wrap(
    handles,
    name,
    (original) =>
      async function call(...args) {
        const target = typeof this === "object" && this !== null ? opened.get(this) : undefined;
        const work = (): Promise<unknown> => original.apply(this, args);
        return target === undefined ? work() : counted(name, target, work);
      },
  );

// The same calls made at once, and of those with a file's number the ones that change it.
const files = new Map<number, string>();
const { openSync, closeSync, renameSync, unlinkSync, writeFileSync, fchmodSync, fsync } = fs;
fs.openSync = (file, flags, mode) => {
  const start = (): number => {
    const fd = openSync(file, flags, mode);
    if (isCounted(file)) files.set(fd, String(file));
    return fd;
  };
  const writes = typeof flags === "string" && flags !== "r";
  return isCounted(file) && writes ? countedAtOnce("open", String(file), start) : start();
};
fs.closeSync = (fd) => {
  files.delete(fd);
  closeSync(fd);
};
fs.renameSync = (from, to) => {
  const work = (): void => renameSync(from, to);
  return isCounted(to) ? countedAtOnce("rename", String(to), work) : work();
};
fs.unlinkSync = (file) => {
  const work = (): void => unlinkSync(file);
  return isCounted(file) ? countedAtOnce("unlink", String(file), work) : work();
};
fs.writeFileSync = (file, data, options) => {
  const target = typeof file === "number" ? files.get(file) : undefined;
  const work = (): void => writeFileSync(file, data, options);
  return target === undefined ? work() : countedAtOnce("writeFile", target, work);
};
fs.fchmodSync = (fd, mode) => {
  const target = files.get(fd);
  const work = (): void => fchmodSync(fd, mode);
  return target === undefined ? work() : countedAtOnce("chmod", target, work);
};
const synced = (fd: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fsync(fd, (error) => (error === null ? resolve() : reject(error)));
  });
const syncFile = async (fd: number, done: (error: unknown) => void): Promise<void> => {
  const target = files.get(fd);
  let problem: unknown = null;
  try {
    await (target === undefined ? synced(fd) : counted("sync", target, () => synced(fd)));
  } catch (error) {
    problem = error;
  }
  done(problem);
};
Reflect.set(fs, "fsync", syncFile);
syncBuiltinESMExports();
