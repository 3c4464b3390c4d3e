// Finds programs on PATH, those of Windows' package managers (`.cmd`) included. Only absolute entries count: an empty or
// relative one means "the current folder", and what lies in a foreign repository must never be run.
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import path from "node:path";
import { throwShortage } from "./system-shortage.js";

type Environment = Readonly<Record<string, string | undefined>>;

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch (error) {
    throwShortage(error);
    return false;
  }
}

/** Every executable file called `name` in an absolute folder of PATH, in order: the first is what a shell runs. */
export async function findPrograms(name: string, env: Environment): Promise<string[]> {
  const windows = process.platform === "win32";
  // Windows spells the variable `Path`; an environment that was copied is no longer case-insensitive.
  const key = windows ? (Object.keys(env).find((k) => k.toUpperCase() === "PATH") ?? "PATH") : "PATH";
  const endings = windows ? [".exe", ".cmd", ".bat"] : [""];
  const found: string[] = [];
  for (const folder of new Set((env[key] ?? "").split(path.delimiter)))
    if (path.isAbsolute(folder))
      for (const ending of endings) {
        const file = path.join(folder, name + ending);
        if (await isProgram(file)) found.push(file);
      }
  return found;
}
