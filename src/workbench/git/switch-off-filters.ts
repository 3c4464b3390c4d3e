// A filter driver is a command from a configuration file that git runs on working files whenever it hashes them, and
// any repository may bring one. Before a call that may hash, every driver that is configured is switched off (P9).
import type { Diagnostic } from "../../model/diagnostic.js";
import { explainFailure, gitDiagnostic, type Git } from "./run-git.js";

/** The settings travel as arguments and, to git's own children, in one environment variable. */
const MAX_SETTINGS_BYTES = 32_768;

export type SafeGit =
  | {
      /** May be asked to hash working files. */
      readonly git: Git;
      /** The drivers that would have run, by name (latin1 bytes). */
      readonly drivers: ReadonlySet<string>;
      readonly problem: null;
    }
  | { readonly git: null; readonly problem: Diagnostic };

/** The arguments of the one call. */
export const FILTERS_ARGS: readonly string[] = ["config", "-z", "--name-only", "--get-regexp", "^filter\\."];

/** Git for calls that hash working files in `folder`; a problem when it cannot be had: then no such call may be made. */
export async function switchOffFilters(git: Git, folder: string): Promise<SafeGit> {
  const listed = await git.run(folder, FILTERS_ARGS);
  // Exit 1: nothing matches.
  const none = listed.status === "exit" && listed.exitCode === 1;
  if (listed.status !== "ok" && !none) return { git: null, problem: explainFailure(listed, "config", git) };
  const keys = [...new Set(listed.stdout.toString("latin1").split("\0"))].filter((key) => key !== "");
  const drivers = new Set<string>();
  const settings: string[] = [];
  for (const key of keys) {
    const start = key.indexOf(".");
    const end = key.lastIndexOf(".");
    if (start === end) continue; // `filter.x` names no driver
    drivers.add(key.slice(start + 1, end));
    const name = Buffer.from(key, "latin1").toString("utf8");
    // `-c` splits at the first equals sign, and an argument is UTF-8: such a driver cannot be reached.
    if (key.includes("=") || Buffer.from(name, "utf8").toString("latin1") !== key) return unreachable();
    // An empty command is no command; a required filter without one would stop git.
    settings.push(key.slice(end + 1) === "required" ? `${name}=false` : `${name}=`);
  }
  if (settings.reduce((sum, setting) => sum + setting.length, 0) > MAX_SETTINGS_BYTES) return unreachable();
  return { git: settings.length === 0 ? git : git.withSettings(settings), drivers, problem: null };
}

function unreachable(): SafeGit {
  const reason = "a configured filter driver cannot be switched off";
  return { git: null, problem: gitDiagnostic("git.failed", "error", { command: "status", reason }) };
}
