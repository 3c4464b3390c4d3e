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

async function counted<T>(name: string, target: string, work: () => Promise<T>): Promise<T> {
  calls += 1;
  if (FAULT_LOG !== undefined)
    fs.appendFileSync(FAULT_LOG, `${name} ${path.relative(FAULT_FOLDER ?? "", target)}\n`);
  if (calls !== at) return work();
  if (FAULT_DO === "kill-before") process.kill(process.pid, "SIGKILL");
  if (FAULT_DO === "kill-after") {
    await work().catch(() => undefined);
    process.kill(process.pid, "SIGKILL");
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
syncBuiltinESMExports();
