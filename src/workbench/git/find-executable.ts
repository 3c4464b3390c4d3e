// Finds a program on PATH. Only absolute entries count: an empty or relative one means "the current folder", and a
// file called git inside a foreign repository must never be run.
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { throwShortage } from "../../io/system-shortage.js";

/** The first executable regular file called `name` in an absolute PATH folder, or null. */
export async function findExecutable(name: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const windows = process.platform === "win32";
  // Windows spells the variable `Path`; an environment that was copied is no longer case-insensitive.
  const key = windows ? (Object.keys(env).find((k) => k.toUpperCase() === "PATH") ?? "PATH") : "PATH";
  const file = windows ? `${name}.exe` : name;
  for (const folder of (env[key] ?? "").split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    const candidate = path.join(folder, file);
    try {
      if (statSync(candidate, { throwIfNoEntry: false })?.isFile() !== true) continue;
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch (error) {
      throwShortage(error);
      // Not here: the next folder.
    }
  }
  return null;
}
