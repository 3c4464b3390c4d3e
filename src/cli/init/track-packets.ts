// Whether git tracks packets (S12): a flag says it, else a person is asked once, else nothing is touched. What says no is
// `.git/info/exclude`: the file of this clone, so that nobody's tracked .gitignore changes.
import path from "node:path";
import readline from "node:readline/promises";
import { UsageError } from "../../model/errors.js";
import { excludePattern, withExclude, withoutExclude } from "../../install/exclude-entry.js";
import type { ExtraFile } from "../../install/plan-run.js";
import { openGit, type Git } from "../../workbench/git/run-git.js";
import type { Terminal } from "../terminal.js";

/** What git knows about the folder of packets. */
export interface PacketTracking {
  /** Absolute path of the clone's own list of what it ignores. */
  readonly file: string;
  readonly pattern: string;
  /** Git tracks packets already, or ignores them already: there is nothing to ask. */
  readonly isDecided: boolean;
  /** The rule that ignores them and is not ours, as `file:line`; null: none. */
  readonly ignoredBy: string | null;
}

async function ask(git: Git, cwd: string, args: readonly string[]): Promise<string | null> {
  const result = await git.run(cwd, args);
  return result.status === "ok" ? result.stdout.toString("utf8").replace(/\r?\n$/u, "") : null;
}

/**
 * Asks git. Null where there is no repository, or packets lie outside it.
 * @param out absolute path of the folder of packets
 */
export async function lookAtTracking(
  root: string,
  out: string,
  env: Terminal["env"],
): Promise<PacketTracking | null> {
  const git = await openGit({ ...env }, 10_000);
  const top = git === null ? null : await ask(git, root, ["rev-parse", "--show-toplevel"]);
  if (git === null || top === null || top === "") return null;
  const way = path.relative(top, out).replaceAll(path.sep, "/");
  const file = await ask(git, root, ["rev-parse", "--git-path", "info/exclude"]);
  if (file === null || way === "" || way.startsWith("../") || path.isAbsolute(way)) return null;
  const pattern = excludePattern(way);
  const tracked = await ask(git, top, ["ls-files", "--", `:(literal)${way}`]);
  const rule = await ask(git, top, ["check-ignore", "--verbose", "--no-index", "--", `${way}/handoff.json`]);
  const [, where = null, found = ""] = /^(.*:\d+):(.*)\t/u.exec(rule ?? "") ?? [];
  return {
    file: path.resolve(root, file),
    pattern,
    isDecided: (tracked ?? "") !== "" || where !== null,
    ignoredBy: found === pattern ? null : where,
  };
}

/** Asks the person at the terminal; null when there is none, or no answer. Ctrl-C ends the command, with nothing changed. */
export async function askTracking(terminal: Terminal, folder: string): Promise<"track" | "ignore" | null> {
  if (!terminal.isInteractive || !process.stdin.isTTY) return null;
  const prompt = readline.createInterface({ input: process.stdin, output: process.stderr });
  prompt.on("SIGINT", () => {
    prompt.close();
    // The line editor had taken the signal: it goes where it was meant to.
    process.kill(process.pid, "SIGINT");
  });
  try {
    const answer = await prompt.question(`Shall git track packets (${folder}/)? [y/N] `);
    return /^y(?:es)?$/iu.test(answer.trim()) ? "track" : "ignore";
  } catch {
    // Ctrl-D is no answer.
    return null;
  } finally {
    prompt.close();
  }
}

/** The change of the clone's own list. Throws UsageError when there is no repository to ignore anything in. */
export function trackingFiles(
  tracking: PacketTracking | null,
  wish: "track" | "ignore" | "uninstall" | null,
): readonly ExtraFile[] {
  if (tracking === null) {
    if (wish === "ignore")
      throw new UsageError(
        "init.no_repository",
        "--ignore: there is no git repository here that packets could be kept out of",
        "leave --ignore out, or run git init first",
      );
    return [];
  }
  if (wish === null) return [];
  const { file, pattern } = tracking;
  const change = (text: string | null): string | null => {
    if (wish === "ignore") return withExclude(text ?? "", pattern);
    return text === null ? null : withoutExclude(text);
  };
  return [{ what: "exclude", path: file, change }];
}
