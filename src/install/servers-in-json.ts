// Tool servers in a JSON file: an object of them by name, in a member of the file's own object. Spliced, never written anew (A1).
import type { ServersForm } from "../agents/agent-settings.js";
import { UsageError } from "../model/errors.js";
import { memberOf, type JsonNode } from "../text/json-tree.js";
import { appendChild, openJson, removeChild, setMember, treeOf, valueOf } from "./json-edit.js";
import { layoutOf, spellJson, type JsonValue } from "./json-layout.js";
import type { ServersText, WantedServer } from "./plan-servers.js";
import { checkJson } from "./plan-settings.js";

const isBlank = (text: string): boolean => /^[\s\ufeff]*$/u.test(text);

function valueOfServer({ command, args, lists }: WantedServer): Record<string, JsonValue> {
  return { command, args, ...lists };
}

/** Opens it. */
export function jsonServers(text: string, { servers, ifIgnored }: ServersForm, path: string): ServersText {
  const blank = isBlank(text);
  const at = `/${servers}`;
  const source = openJson(text, false);
  const lineAt = (index: number): number => text.slice(0, index).split("\n").length;
  const tables = (): { root: JsonNode; table: JsonNode | undefined } => {
    checkJson(text, path, { allowsComments: false, ifIgnored });
    const root = treeOf(source);
    const table = memberOf(root, servers);
    const odd = root.kind === "object" ? table : root;
    if (odd !== undefined && odd.kind !== "object")
      throw new UsageError(
        "settings.unexpected",
        odd === root
          ? "the file holds no JSON object, so no tool server can be added without changing what is there"
          : `${servers} is no object, so no tool server can be added without changing what is there`,
        "mend the file, or move it away",
        { path, line: lineAt(odd.start) },
      );
    return { root, table };
  };
  const read = (): ReadonlyMap<string, unknown> => {
    const { table } = blank ? { table: undefined } : tables();
    // Of a name given twice the last counts, for those who read the file too.
    return new Map(table?.children.map(({ key, value }) => [key ?? "", valueOf(source, value)]));
  };
  return {
    isBare: blank || /^\ufeff?\s*\{\s*\}\s*$/u.test(text),
    read,
    lineOf: (name) => {
      const child = blank ? undefined : tables().table?.children.findLast(({ key }) => key === name);
      return child === undefined ? null : lineAt(child.start);
    },
    add: (name, wanted) => {
      const server = { [name]: valueOfServer(wanted) };
      if (blank) {
        const layout = layoutOf(text);
        const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
        return { text: `${mark}${spellJson({ [servers]: server }, layout, "")}${layout.lineEnd}`, empty: {} };
      }
      const { root, table } = tables();
      if (table === undefined) return { text: appendChild(source, root, servers, server).text, empty: {} };
      const inner = table.children.length === 0 ? text.slice(table.start + 1, table.end - 1) : null;
      return {
        text: appendChild(source, table, name, valueOfServer(wanted)).text,
        empty: inner === null ? {} : { [at]: inner },
      };
    },
    update: (name, wanted) => {
      let edited = source;
      for (const [key, value] of Object.entries(valueOfServer(wanted))) {
        const node = memberOf(memberOf(treeOf(edited), servers), name);
        if (node === undefined) return edited.text;
        edited = setMember(edited, node, key, value);
      }
      return edited.text;
    },
    remove: (name, empty) => {
      const { root, table } = tables();
      if (table === undefined) return text;
      const index = table.children.findLastIndex(({ key }) => key === name);
      const inner = empty[at];
      if (table.children.length > 1 || inner !== undefined)
        return removeChild(source, table, index, inner ?? "").text;
      const left = removeChild(
        source,
        root,
        root.children.findLastIndex(({ key }) => key === servers),
        "",
      );
      return treeOf(left).children.length === 0 ? null : left.text;
    },
  };
}
