// Finds programs on PATH, those of Windows' package managers (`.cmd`) included. Only absolute entries count: an empty or
// relative one means "the current folder", and what lies in a foreign repository must never be run.
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { throwShortage } from "./system-shortage.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** True for a regular file that may be run. Throws when the system has no open files left to look with. */
function isProgram(file: string): boolean {
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch (error) {
    throwShortage(error);
    return false;
  }
}

/** The absolute folders of PATH, in order. */
function pathFolders(env: Environment): string[] {
  // Windows spells the variable `Path`; an environment that was copied is no longer case-insensitive.
  const key =
    process.platform === "win32"
      ? (Object.keys(env).find((name) => name.toUpperCase() === "PATH") ?? "PATH")
      : "PATH";
  return [...new Set((env[key] ?? "").split(path.delimiter))].filter((folder) => path.isAbsolute(folder));
}

/** The first program on PATH of exactly this file name (`.exe` on Windows), or null. */
export function findExecutable(name: string, env: Environment): string | null {
  const file = process.platform === "win32" ? `${name}.exe` : name;
  for (const folder of pathFolders(env)) {
    const candidate = path.join(folder, file);
    if (isProgram(candidate)) return candidate;
  }
  return null;
}

/** Every program called `name` on PATH, in order: the first is what a shell runs. */
export function findPrograms(name: string, env: Environment): string[] {
  const endings = process.platform === "win32" ? [".exe", ".cmd", ".bat"] : [""];
  return pathFolders(env)
    .flatMap((folder) => endings.map((ending) => path.join(folder, name + ending)))
    .filter(isProgram);
}
