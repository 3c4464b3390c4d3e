// The command of a hook (A2): how our program is called, quoted for the agent's shell, and how such a command is known again.
import { realpath } from "node:fs/promises";
import path from "node:path";
import { findPrograms } from "../io/find-program.js";
import { quoteWord } from "../text/shell-words.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** How hooks call us: by name, since the `handoff` on PATH is this very package, or by absolute paths. */
export type OwnProgram =
  | { readonly kind: "name" }
  | { readonly kind: "files"; readonly node: string; readonly main: string };

/** Folders that are on PATH only inside `npm run` and `npx`. */
const PASSING = /[\\/](?:node_modules[\\/]\.bin|_npx[\\/].*)[\\/][^\\/]*$/u;

/** The command line's entry that a program on PATH leads to, or null. A `.cmd` of npm stands beside its node_modules. */
async function entryOf(program: string): Promise<string | null> {
  const file = /\.(?:cmd|bat)$/iu.test(program)
    ? path.join(path.dirname(program), "node_modules/handoff-packet/dist/cli/main.js")
    : program;
  return realpath(file).catch(() => null);
}

/**
 * How hooks call this package.
 * @param main absolute path of our command line's entry
 * @param node absolute path of the Node that runs it
 */
export async function findOwnProgram(main: string, node: string, env: Environment): Promise<OwnProgram> {
  const found = findPrograms("handoff", env);
  const first = found.find((program) => !PASSING.test(program));
  const own = await realpath(main).catch(() => main);
  if (first !== undefined && (await entryOf(first)) === own) return { kind: "name" };
  return { kind: "files", node, main: own };
}

/**
 * A file as a word of a command. Windows: forward slashes, which bash, cmd and PowerShell all take, and double quotes
 * only where they are needed, since cmd and PowerShell read a quoted program in ways of their own.
 */
function quoteFile(file: string, platform: NodeJS.Platform): string {
  if (platform !== "win32") return quoteWord(file);
  const slashed = file.replaceAll("\\", "/");
  return /^[\w:/.~+@-]+$/u.test(slashed) ? slashed : `"${slashed}"`;
}

/** The program and the words that say for which agent: an event's name follows. */
export function hookProgram(own: OwnProgram, agent: string, platform: NodeJS.Platform): string {
  const program =
    own.kind === "name" ? "handoff" : `${quoteFile(own.node, platform)} ${quoteFile(own.main, platform)}`;
  return `${program} hook ${agent}`;
}

const WORD = /(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\;|&])+/gu;
const OWN_NAME = /(?:^|[\\/])handoff(?:\.(?:exe|cmd|bat|ps1))?$/u;
const OWN_ENTRY = /[\\/]cli[\\/]main\.js$/u;
/** What may stand in front of our name: something that runs it, or a variable. */
const RUNNER = /^(?:(?:.*[\\/])?(?:node|nodejs|npx|bunx|bun)(?:\.exe|\.cmd)?|\w+=.*|-.*)$/u;

/** A command's first words, up to the first operator; a backslash stays, since it may be a separator. */
function firstWords(command: string): string[] {
  return [...command.slice(0, 4096).matchAll(WORD)]
    .slice(0, 8)
    .map(([word]) => word.replaceAll(/["']/gu, ""));
}

/** True for words that call us, and nothing more. */
export function isOwnProgram(words: readonly string[]): boolean {
  const program = words.at(-1);
  if (program === undefined) return false;
  const before = words.slice(0, -1);
  return OWN_NAME.test(program)
    ? before.every((word) => RUNNER.test(word))
    : OWN_ENTRY.test(program) && before.length <= 1;
}

/** How a command calls us: the words in front of `hook <agent>`. Null when it is no hook of ours for this agent. */
export function ownWords(command: string, agent: string): readonly string[] | null {
  const words = firstWords(command);
  const at = words.indexOf("hook");
  if (at === -1 || words[at + 1] !== agent) return null;
  const program = words.slice(0, at);
  return isOwnProgram(program) ? program : null;
}

/** True for a hook command of ours, from whatever place it was installed. */
export function isOwnHook(command: string, agent: string): boolean {
  return ownWords(command, agent) !== null;
}
