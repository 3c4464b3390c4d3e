// How a JSON text is laid out, and values spelled the same way: what is added looks like what was there (A1). Pure.
import { readJsonTree, type JsonNode } from "../text/json-tree.js";

/** A value that can be written. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** How the text spells what JSON leaves open. */
export interface JsonLayout {
  readonly lineEnd: string;
  /** One step of indentation. */
  readonly unit: string;
  /** Between a name and its value. */
  readonly colon: string;
  /** Between two values on one line. */
  readonly comma: string;
  /** Everything stands on one line. */
  readonly isOneLine: boolean;
}

/** The white space a line starts with, for the line that `at` is on. */
export function indentAt(text: string, at: number): string {
  const start = Math.max(text.lastIndexOf("\n", at - 1), text.lastIndexOf("\r", at - 1)) + 1;
  return /^[ \t]*/u.exec(text.slice(start, at).replace("\ufeff", ""))?.[0] ?? "";
}

/** Every value that holds others, outermost first. */
function* containers(root: JsonNode): Generator<JsonNode> {
  const left = [root];
  for (let node = left.shift(); node !== undefined; node = left.shift()) {
    if (node.children.length > 0) yield node;
    left.push(...node.children.map(({ value }) => value));
  }
}

/** What the text itself shows; where it shows nothing, two spaces, line feeds and a line a member. */
export function layoutOf(text: string, root: JsonNode = readJsonTree(text)): JsonLayout {
  let unit: string | null = null;
  let colon: string | null = null;
  let comma: string | null = null;
  for (const node of containers(root)) {
    const [first, second] = node.children;
    if (first === undefined) continue;
    if (unit === null && /[\r\n]/u.test(text.slice(node.start, first.start))) {
      const inner = indentAt(text, first.start);
      const outer = indentAt(text, node.start);
      if (inner.length > outer.length && inner.startsWith(outer)) unit = inner.slice(outer.length);
    }
    if (first.key !== null) {
      const between = /^"(?:[^"\\]|\\.)*"([ \t]*:[ \t]*)/su.exec(text.slice(first.start, first.value.start));
      colon ??= between?.[1] ?? null;
    }
    if (second !== undefined)
      comma ??= /^,[ \t]*$/u.exec(text.slice(first.value.end, second.start))?.[0] ?? null;
    if (unit !== null && colon !== null && comma !== null) break;
  }
  const body = text.slice(root.start, root.end);
  colon ??= ": ";
  return {
    lineEnd: /\r\n|\r|\n/u.exec(text)?.[0] ?? "\n",
    unit: unit ?? "  ",
    colon,
    comma: comma ?? (colon.endsWith(":") ? "," : ", "),
    isOneLine: root.children.length > 0 && !/[\r\n]/u.test(body),
  };
}

/** A value's spelling; over several lines when `indent`, the white space of the line it starts on, is given. */
export function spellJson(value: JsonValue, layout: JsonLayout, indent: string | null): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const inner = indent === null ? null : indent + layout.unit;
  const parts = Array.isArray(value)
    ? value.map((item: JsonValue) => spellJson(item, layout, inner))
    : Object.entries(value).map(
        ([key, one]) => `${JSON.stringify(key)}${layout.colon}${spellJson(one, layout, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return `${open}${close}`;
  if (indent === null || inner === null) return `${open}${parts.join(layout.comma)}${close}`;
  const { lineEnd } = layout;
  return `${open}${lineEnd}${inner}${parts.join(`,${lineEnd}${inner}`)}${lineEnd}${indent}${close}`;
}
