// Tool servers in a TOML file: a table of them by name. Ours is a table of its own at the end; every change is a splice of whole
// lines, and the text is parsed before and after, since an agent may not start with a file that is damaged (A1).
import { isDeepStrictEqual } from "node:util";
import { parse, TomlError } from "smol-toml";
import type { ServersForm } from "../agents/agent-settings.js";
import { UsageError } from "../model/errors.js";
import type { ServersText, WantedServer } from "./plan-servers.js";
import { readTomlStatements, type TomlStatement } from "./toml-statements.js";

type Table = Readonly<Record<string, unknown>>;

const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Numbers of any size are somebody else's: they are only compared. */
const OPTIONS = { integersAsBigInt: true } as const;

function spell(value: string | readonly string[]): string {
  return typeof value === "string" ? JSON.stringify(value) : `[${value.map(spell).join(", ")}]`;
}

/** A list that holds what it held, and what is wanted. */
function joined(held: unknown, wanted: readonly string[]): readonly string[] {
  const texts = Array.isArray(held) ? held.filter((one): one is string => typeof one === "string") : [];
  return [...texts, ...wanted.filter((one) => !texts.includes(one))];
}

/** A document without one server, and without the table of servers when that held nothing else. */
function without(document: Table, servers: string, name: string): Table {
  const { [servers]: table, ...rest } = document;
  if (!isTable(table)) return { ...document };
  const { [name]: _server, ...others } = table;
  return Object.keys(others).length === 0 ? rest : { ...rest, [servers]: others };
}

/** Opens it. */
export function tomlServers(text: string, { servers, ifIgnored }: ServersForm, path: string): ServersText {
  const lineEnd = /\r?\n/u.exec(text)?.[0] ?? "\n";
  const lineAt = (index: number): number => text.slice(0, index).split("\n").length;
  const document = (): Table => {
    try {
      return parse(text, OPTIONS);
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      const [reason = ""] = error.message.replace(/^Invalid TOML document: /u, "").split("\n");
      throw new UsageError(
        "settings.not_toml",
        `it is no valid TOML (${reason}), so it stays as it is; ${ifIgnored}`,
        "mend it by hand, then run this again",
        { path, line: error.line },
      );
    }
  };
  const unexpected = (what: string, statement: TomlStatement | undefined): UsageError =>
    new UsageError(
      "settings.unexpected",
      `${what}, so the tool server cannot be changed without changing what is there`,
      `write it as a table, [${servers}.handoff], or change it by hand; --no-mcp leaves the tools out`,
      statement === undefined ? { path } : { path, line: lineAt(statement.start) },
    );
  const statements = (): readonly TomlStatement[] => readTomlStatements(text);
  const about = (name: string): readonly TomlStatement[] =>
    statements().filter((one) => one.path[0] === servers && one.path[1] === name);
  /** The first statement about servers at all. */
  const anchor = (): TomlStatement | undefined => statements().find((one) => one.path[0] === servers);
  const read = (): ReadonlyMap<string, unknown> => {
    const table = document()[servers];
    if (table !== undefined && !isTable(table)) throw unexpected(`${servers} is no table`, anchor());
    return new Map(Object.entries(table ?? {}));
  };
  /** The changed text, if it says what it shall: everything else as before. */
  const checked = (after: string, name: string, isThere: (server: unknown) => boolean): string => {
    let now: Table;
    try {
      now = parse(after, OPTIONS);
    } catch {
      throw unexpected(`${servers} is written in a way that leaves no room`, anchor());
    }
    const table = now[servers];
    const server = isTable(table) ? table[name] : undefined;
    const stays = isDeepStrictEqual(without(now, servers, name), without(document(), servers, name));
    if (!stays || !isThere(server)) throw unexpected(`${servers} is written in an unusual way`, anchor());
    return after;
  };
  const isWanted = (server: unknown, wanted: WantedServer): boolean =>
    isTable(server) &&
    server["command"] === wanted.command &&
    isDeepStrictEqual(server["args"], wanted.args) &&
    Object.entries(wanted.lists).every(([key, list]) =>
      isDeepStrictEqual(server[key], joined(server[key], list)),
    );
  return {
    isBare: /^\ufeff?$/u.test(text),
    read,
    lineOf: (name) => {
      // In one inline table of all servers it stands somewhere behind the beginning.
      const first = about(name)[0] ?? anchor();
      return first === undefined ? null : lineAt(first.start);
    },
    add: (name, { command, args, lists }) => {
      const wanted = { command, args, lists };
      const pairs = Object.entries({ command, args, ...lists }).map(
        ([key, value]) => `${key} = ${spell(value)}`,
      );
      const block = [`[${servers}.${name}]`, ...pairs, ""].join(lineEnd);
      // One line end in front: what has none at its end stays without one, what has one gets a blank line.
      const gap = /^\ufeff?$/u.test(text) ? "" : lineEnd;
      return { text: checked(text + gap + block, name, (server) => isWanted(server, wanted)), empty: {} };
    },
    update: (name, wanted) => {
      const server = read().get(name);
      if (isWanted(server, wanted)) return text;
      const ours = about(name);
      const header = ours.find(({ kind, path: at }) => kind === "header" && at.length === 2);
      const members = ours.filter(
        ({ kind, own, path: at }) => kind === "pair" && own === 1 && at.length === 3,
      );
      const last = members.at(-1);
      if (header === undefined || last === undefined)
        throw unexpected(`${name} is not a table of its own`, ours[0] ?? anchor());
      const held: Table = isTable(server) ? server : {};
      const values: [string, string | readonly string[]][] = [
        ["command", wanted.command],
        ["args", wanted.args],
        ...Object.entries(wanted.lists).map(([key, list]): [string, readonly string[]] => [
          key,
          joined(held[key], list),
        ]),
      ];
      const splices = values.flatMap(([key, value]): { from: number; to: number; put: string }[] => {
        if (isDeepStrictEqual(held[key], value)) return [];
        const found = members.find(({ path: at }) => at[2] === key)?.value;
        if (found !== null && found !== undefined)
          return [{ from: found.start, to: found.end, put: spell(value) }];
        const isCut = !text.slice(last.start, last.end).endsWith("\n");
        const line = `${key} = ${spell(value)}`;
        return [{ from: last.end, to: last.end, put: isCut ? lineEnd + line : line + lineEnd }];
      });
      const after = splices
        .toSorted((a, b) => b.from - a.from)
        .reduce((left, { from, to, put }) => left.slice(0, from) + put + left.slice(to), text);
      return checked(after, name, (now) => isWanted(now, wanted));
    },
    remove: (name) => {
      const ours = about(name);
      let after = text;
      for (const { kind, path: at, start, end } of ours.toReversed()) {
        let from = start;
        if (kind === "header" && at.length === 2) {
          // The line end that came with it: it made a blank line, or ended what stood last without one.
          const gap = /\r?\n$/u.exec(after.slice(0, start))?.[0] ?? "";
          const before = after.slice(0, start - gap.length);
          if (before === "" || before.endsWith("\n") || end >= after.length) from = start - gap.length;
        }
        after = after.slice(0, from) + after.slice(end);
      }
      const left = checked(after, name, (server) => server === undefined);
      return /^\ufeff?$/u.test(left) ? null : left;
    },
  };
}
