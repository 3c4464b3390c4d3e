// What becomes of a file in which an agent keeps its tool servers: ours goes in behind those of others, and out again (A1). Pure.
import type { ServersForm } from "../agents/agent-settings.js";
import { UsageError } from "../model/errors.js";
import type { RecordEntry } from "./install-record.js";
import { ownServerProgram, type ServerCommand } from "./server-command.js";
import { jsonServers } from "./servers-in-json.js";
import { tomlServers } from "./servers-in-toml.js";
import type { TextPlan } from "./plan-settings.js";

/** What our server is called. */
export const SERVER_NAME = "handoff";

/** Such a file. */
export interface ServersFile {
  readonly form: ServersForm;
  /** For errors. */
  readonly path: string;
  /** null: there is none. */
  readonly text: string | null;
}

/** A server of ours that is installed. */
export interface OwnServer {
  readonly name: string;
  /** The words that call us. */
  readonly program: readonly string[];
}

/** The members that our server shall have. */
export interface WantedServer extends ServerCommand {
  /** Lists that hold at least this. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

/** A file's text, opened: each kind of file has one. */
export interface ServersText {
  /** Servers by their names, as values. Throws UsageError for what is no such file. */
  readonly read: () => ReadonlyMap<string, unknown>;
  /** The line that a server begins on. */
  readonly lineOf: (name: string) => number | null;
  /** The text with a server that is not there yet, and what stood in a container that was empty. */
  readonly add: (
    name: string,
    wanted: WantedServer,
  ) => { readonly text: string; readonly empty: Readonly<Record<string, string>> };
  /** The text with a server's members as wanted; what else it has stays. */
  readonly update: (name: string, wanted: WantedServer) => string;
  /** The text without a server; null when nothing is left. */
  readonly remove: (name: string, empty: Readonly<Record<string, string>>) => string | null;
  /** There is nothing in it: an empty file, or an empty object. */
  readonly isBare: boolean;
}

function open({ form, path, text }: ServersFile): ServersText {
  return form.format === "json" ? jsonServers(text ?? "", form, path) : tomlServers(text ?? "", form, path);
}

/** Servers of ours in a file. Throws UsageError for a file that cannot be read. */
export function serversIn(file: ServersFile): readonly OwnServer[] {
  if (file.text === null) return [];
  return [...open(file).read()].flatMap(([name, server]) => {
    const program = ownServerProgram(server);
    return program === null ? [] : [{ name, program }];
  });
}

/**
 * Installs it: once, brought up to date where it is.
 * @param entry what an earlier installation remembered
 * @throws UsageError for a file that cannot be changed without damage, and for another server of our name
 */
export function planServer(file: ServersFile, command: ServerCommand, entry: RecordEntry): TextPlan {
  const { form, path, text: before } = file;
  const wanted = { ...command, lists: form.lists };
  const opened = open(file);
  const ours = serversIn(file);
  if (ours.length > 0) {
    let after = before ?? "";
    for (const { name } of ours) after = open({ ...file, text: after }).update(name, wanted);
    return { before, after, entry };
  }
  if (opened.read().has(SERVER_NAME)) {
    const line = opened.lineOf(SERVER_NAME);
    throw new UsageError(
      "settings.foreign_server",
      `another tool server is called ${SERVER_NAME} there, so it stays as it is`,
      "give it another name, then run this again; or leave the tools out with --no-mcp",
      line === null ? { path } : { path, line },
    );
  }
  const { text: after, empty } = opened.add(SERVER_NAME, wanted);
  const isEmptied = Object.keys(empty).length > 0;
  return {
    before,
    after,
    entry: {
      ...(before !== null && opened.isBare ? { text: before } : {}),
      ...(isEmptied ? { empty } : {}),
    },
  };
}

/** Uninstalls it: what was there before is there again. Throws UsageError as {@link planServer}. */
export function planServerRemoval(file: ServersFile, entry: RecordEntry): TextPlan {
  const { text: before } = file;
  const unchanged = { before, after: before, entry: {} };
  // What cannot hold a command of ours need not be readable either.
  if (before === null || !/handoff|main\.js/u.test(before)) return unchanged;
  const ours = serversIn(file);
  if (ours.length === 0) return unchanged;
  let after: string | null = before;
  for (const { name } of ours)
    if (after !== null) after = open({ ...file, text: after }).remove(name, entry.empty ?? {});
  return { before, after: after ?? entry.text ?? null, entry: {} };
}
