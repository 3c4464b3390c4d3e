// How an agent starts our tool server: a program and its words, no shell in between; and how such a server is known again.
import { isOwnProgram, type OwnProgram } from "./hook-command.js";

/** A tool server as settings have it. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** What comes behind the words that call us. */
const VERB = "mcp";

/**
 * The server's command: by name like a hook's, but on Windows always by files, since `handoff` is a script there that only a
 * shell can start.
 * @param files what calls us by absolute paths
 */
export function serverCommand(
  own: OwnProgram,
  files: { readonly node: string; readonly main: string },
  platform: NodeJS.Platform,
): ServerCommand {
  if (own.kind === "name" && platform !== "win32") return { command: "handoff", args: [VERB] };
  const { node, main } = own.kind === "files" ? own : files;
  return { command: node, args: [main, VERB] };
}

/** A server's command in settings; null for one that is none, or of another kind. */
export function readServerCommand(value: unknown): ServerCommand | null {
  if (typeof value !== "object" || value === null) return null;
  const { command, args = [] }: Record<string, unknown> = { ...value };
  if (typeof command !== "string" || !Array.isArray(args)) return null;
  const words = args.filter((word): word is string => typeof word === "string");
  return words.length === args.length ? { command, args: words } : null;
}

/** The words that call us, of a server of ours; null for one that is not, from whatever place ours was installed. */
export function ownServerProgram(value: unknown): readonly string[] | null {
  const server = readServerCommand(value);
  if (server === null || server.args.at(-1) !== VERB) return null;
  const program = [server.command, ...server.args.slice(0, -1)];
  return isOwnProgram(program) ? program : null;
}
