// Changes of a JSON text, one splice each: a child added behind the others, a member set, a child taken out. Adding and
// then taking out gives the same bytes again; every byte that is not ours stays (A1). Pure.
import { blankComments } from "./json-comments.js";
import { indentAt, layoutOf, spellJson, type JsonLayout, type JsonValue } from "./json-layout.js";
import { readJsonTree, type JsonChild, type JsonNode } from "../text/json-tree.js";

/** A JSON text, and the same with comments and trailing commas blanked out: offsets of one are offsets of the other. */
export interface JsonSource {
  readonly text: string;
  readonly shape: string;
}

/** @param allowsComments the program that reads it passes comments and trailing commas over */
export function openJson(text: string, allowsComments: boolean): JsonSource {
  return { text, shape: allowsComments ? blankComments(text) : text };
}

/** The text's values as they stand now. */
export function treeOf({ shape }: JsonSource): JsonNode {
  return readJsonTree(shape);
}

/** A value, parsed. */
export function valueOf({ shape }: JsonSource, node: JsonNode): unknown {
  return JSON.parse(shape.slice(node.start, node.end));
}

/** `[from, to)` replaced. */
function splice({ text, shape }: JsonSource, from: number, to: number, put: string): JsonSource {
  // A text without comments gets none; in one with some, what stood in an empty container before may be one.
  const blanked = text === shape ? put : blankComments(put);
  return {
    text: text.slice(0, from) + put + text.slice(to),
    shape: shape.slice(0, from) + blanked + shape.slice(to),
  };
}

/** White space as it would be written anew: one line end at most, without what comments left. */
function tidy(gap: string, { lineEnd }: JsonLayout): string {
  const last = Math.max(gap.lastIndexOf("\n"), gap.lastIndexOf("\r"));
  return last === -1 ? gap : lineEnd + gap.slice(last + 1);
}

/** What stands between the last child and one that is added behind it: as between the two before, comma included. */
function gapBehind(source: JsonSource, { start, children }: JsonNode, layout: JsonLayout): string {
  const [one, last] = [children.at(-2), children.at(-1)];
  const lead = source.shape.slice(one?.value.end ?? start + 1, last?.start);
  if (one === undefined) return /[\r\n]/u.test(lead) ? `,${tidy(lead, layout)}` : layout.comma;
  const comma = lead.indexOf(",");
  const [before, behind] = [tidy(lead.slice(0, comma), layout), tidy(lead.slice(comma + 1), layout)];
  const isPlain = source.text.slice(one.value.end, last?.start) === lead;
  return isPlain || /[\r\n]/u.test(lead) ? `${before},${behind}` : layout.comma;
}

/** Adds a member (or, with `key` null, an item) behind the children there are. */
export function appendChild(
  source: JsonSource,
  node: JsonNode,
  key: string | null,
  value: JsonValue,
): JsonSource {
  const layout = layoutOf(source.shape);
  const name = key === null ? "" : `${JSON.stringify(key)}${layout.colon}`;
  const last = node.children.at(-1);
  if (last !== undefined) {
    const gap = gapBehind(source, node, layout);
    const sibling = source.shape.slice(last.value.start, last.value.end);
    const isLaidOut = /[\r\n]/u.test(gap) || /[\r\n]/u.test(sibling);
    const indent = isLaidOut ? indentAt(source.shape, last.start) : null;
    return splice(source, last.value.end, last.value.end, gap + name + spellJson(value, layout, indent));
  }
  // Between the brackets there is white space, which goes, or a comment, which stays.
  const isComment = source.text.slice(node.start + 1, node.end - 1).trim() !== "";
  const from = isComment ? node.end - 1 : node.start + 1;
  if (layout.isOneLine && !isComment)
    return splice(source, from, node.end - 1, name + spellJson(value, layout, null));
  const outer = indentAt(source.shape, node.start);
  const inner = outer + layout.unit;
  const { lineEnd } = layout;
  const put = `${lineEnd}${inner}${name}${spellJson(value, layout, inner)}${lineEnd}${outer}`;
  return splice(source, from, node.end - 1, put);
}

/** Gives a member a value; it is spelled anew only if the value is another. */
export function setMember(source: JsonSource, node: JsonNode, key: string, value: JsonValue): JsonSource {
  const member = node.children.findLast((child) => child.key === key);
  if (member === undefined) return appendChild(source, node, key, value);
  if (JSON.stringify(valueOf(source, member.value)) === JSON.stringify(value)) return source;
  const layout = layoutOf(source.shape);
  const indent = layout.isOneLine ? null : indentAt(source.shape, member.start);
  return splice(source, member.value.start, member.value.end, spellJson(value, layout, indent));
}

/** Takes out a child and its comma, and nothing else: what stands around them was written by somebody. */
function removeAlone(source: JsonSource, from: number, child: JsonChild): JsonSource {
  const comma = source.text.indexOf(",", from);
  const ranges = [
    [child.start, child.value.end],
    [comma, comma + 1],
  ] as const;
  return ranges
    .filter(([start]) => start !== -1)
    .toSorted(([a], [b]) => b - a)
    .reduce((left, [start, end]) => splice(left, start, end, ""), source);
}

/**
 * Takes a child out, with its comma. Comments around it stay.
 * @param inner what stood between the container's brackets when it was empty before
 */
export function removeChild(source: JsonSource, node: JsonNode, index: number, inner: string): JsonSource {
  const child = node.children[index];
  if (child === undefined) return source;
  const isCommented = (from: number, to: number): boolean =>
    source.text.slice(from, to) !== source.shape.slice(from, to);
  const before = node.children[index - 1];
  if (before !== undefined)
    return isCommented(before.value.end, child.start)
      ? removeAlone(source, source.shape.indexOf(",", before.value.end), child)
      : splice(source, before.value.end, child.value.end, "");
  const behind = node.children[index + 1];
  if (behind !== undefined)
    return isCommented(child.value.end, behind.start)
      ? removeAlone(source, source.shape.indexOf(",", child.value.end), child)
      : splice(source, child.start, behind.start, "");
  const [lead, trail] = [
    source.text.slice(node.start + 1, child.start),
    source.text.slice(child.value.end, node.end - 1),
  ];
  const left = (lead + trail.replace(/^\s*,/u, "")).trim();
  return left === inner.trim()
    ? splice(source, node.start + 1, node.end - 1, inner)
    : removeAlone(source, /^\s*,/u.test(trail) ? child.value.end : source.text.length, child);
}
