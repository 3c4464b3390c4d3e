// From the edited YAML back to fields (P39): strict, every fault with its line, so that it can be mended and not guessed at.
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node, type Pair } from "yaml";
import { closest, distance } from "fastest-levenshtein";
import type { HandoffPacket } from "../../model/packet.js";
import { EDITABLE_FIELDS, type EditableField } from "../../model/packet-edits.js";
import { editableFields, type EditableFields } from "../../packet/derive-edits.js";
import { isPlaceholder, TEXT_BYTES, type TextField } from "../../packet/text-keeper.js";
import { cleanLine, showControls } from "../../text/clean.js";
import { byteLength } from "../../text/cut.js";

/** What is wrong, and where. */
export interface EditProblem {
  readonly line: number;
  readonly what: string;
}

export type ParsedEdit =
  | { readonly status: "fields"; readonly fields: EditableFields }
  /** Nothing but comments and white space. */
  | { readonly status: "empty" }
  | { readonly status: "invalid"; readonly problems: readonly EditProblem[] };

/** Largest text that is parsed, in bytes: far more than all fields at their limits. */
const MAX_BYTES = 4 * 1024 * 1024;

type ItemKey = "id" | "what" | "why" | "text";
type Item = Readonly<Partial<Record<ItemKey, string>>>;

class Reader {
  readonly problems: EditProblem[] = [];
  constructor(
    readonly lines: LineCounter,
    readonly packet: EditableFields,
  ) {}

  fault(at: { readonly range?: readonly number[] | null } | null, what: string): void {
    const offset = at?.range?.[0] ?? 0;
    this.problems.push({ line: Math.max(1, this.lines.linePos(offset).line), what });
  }

  /** A clean text of one line; null, with a fault, for anything else. */
  text(node: unknown, name: string, size: TextField): string | null {
    if (!isScalar(node) || typeof node.value !== "string") {
      this.fault(isNode(node) ? node : null, `${name} must be a text`);
      return null;
    }
    const text = cleanLine(node.value);
    if (text === "") this.fault(node, `${name} is empty`);
    else if (byteLength(text) > TEXT_BYTES[size])
      this.fault(node, `${name} takes ${byteLength(text)} bytes, more than ${TEXT_BYTES[size]}`);
    else return text;
    return null;
  }

  nextAction(node: unknown): string {
    const text = this.text(node, "next_action", "next_action");
    if (text !== null && isPlaceholder(text))
      this.fault(isNode(node) ? node : null, "next_action says nothing");
    return text ?? "";
  }

  doing(node: unknown): string | null {
    return isNothing(node) ? null : this.text(node, "doing", "prose");
  }

  list(node: unknown, name: string): readonly unknown[] {
    if (isSeq(node)) return node.items;
    if (!isNothing(node)) this.fault(isNode(node) ? node : null, `${name} must be a list`);
    else this.fault(isNode(node) ? node : null, `${name} must be a list; [] for an empty one`);
    return [];
  }

  item(node: unknown, name: string, keys: readonly ItemKey[]): Item | null {
    // A text alone is a new item.
    if (isScalar(node)) {
      const text = this.text(node, `an item of ${name}`, "detail");
      return text === null ? null : { [keys[1] ?? "text"]: text };
    }
    if (!isMap(node)) {
      this.fault(isNode(node) ? node : null, `an item of ${name} must have ${keys.slice(1).join(" and ")}`);
      return null;
    }
    const found: Partial<Record<ItemKey, string>> = {};
    for (const pair of node.items) {
      const key = keys.find((known) => known === keyOf(pair));
      if (key === undefined) {
        this.fault(keyNode(pair), `${name} knows no ${quoted(keyOf(pair))}, only ${keys.join(", ")}`);
        continue;
      }
      if (key === "why" && isNothing(pair.value)) continue;
      const text = this.text(
        isNode(pair.value) ? pair.value : keyNode(pair),
        key,
        key === "id" ? "word" : "detail",
      );
      if (text !== null) found[key] = text;
    }
    const main = keys[1] ?? "text";
    if (found[main] === undefined) {
      if (!node.items.some((pair) => keyOf(pair) === main))
        this.fault(node, `an item of ${name} has no ${main}`);
      return null;
    }
    return found;
  }

  items(node: unknown, name: "decisions" | "dead_ends" | "questions", keys: readonly ItemKey[]): Item[] {
    const known = new Set(this.packet[name].map(({ id }) => id));
    const ids = new Set<string>();
    const texts = new Set<string>();
    return this.list(node, name).flatMap((row) => {
      const item = this.item(row, name, keys);
      if (item === null) return [];
      const at = isNode(row) ? row : null;
      const text = item[keys[1] ?? "text"] ?? "";
      if (item.id !== undefined && !known.has(item.id))
        this.fault(at, `${name} has no item with id ${quoted(item.id)}: leave the id out for a new one`);
      else if (item.id !== undefined && ids.has(item.id)) this.fault(at, `id ${item.id} stands twice`);
      else if (texts.has(text)) this.fault(at, `${quoted(text)} stands twice in ${name}`);
      if (item.id !== undefined) ids.add(item.id);
      texts.add(text);
      return [item];
    });
  }

  scene(node: unknown): string[] {
    return this.list(node, "scene").flatMap((row) => {
      const value = isScalar(row) ? row.value : null;
      const path = typeof value === "string" ? showControls(value.trim()) : "";
      if (path === "") this.fault(isNode(row) ? row : null, "scene must be a list of paths");
      else if (byteLength(path) > TEXT_BYTES.path)
        this.fault(isNode(row) ? row : null, "a path of scene is too long");
      else return [path];
      return [];
    });
  }
}

function isNode(value: unknown): value is Node {
  return isScalar(value) || isMap(value) || isSeq(value);
}

/** `key:` and `key: null`; the failsafe schema makes texts of both. */
function isNothing(node: unknown): boolean {
  if (node === null || node === undefined) return true;
  if (!isScalar(node)) return false;
  return (
    node.value === null || (typeof node.value === "string" && ["", "null", "~"].includes(node.value.trim()))
  );
}

function keyNode(pair: Pair): Node | null {
  return isNode(pair.key) ? pair.key : null;
}

function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : "";
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

function suggestion(key: string): string {
  const near = closest(key, EDITABLE_FIELDS);
  return distance(near, key) <= 3 ? `; did you mean ${near}?` : `; there are ${EDITABLE_FIELDS.join(", ")}`;
}

/** Failsafe: every value is a text, so that `what: no` or `what: 12` says what it says. Null: too deep for the parser. */
function parseYaml(text: string, lineCounter: LineCounter) {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false, schema: "failsafe", merge: false });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Reads an edited text against the packet it was made of. Never throws for what is in it. */
export function parseEditFile(text: string, packet: HandoffPacket): ParsedEdit {
  const lines = new LineCounter();
  if (byteLength(text) > MAX_BYTES)
    return {
      status: "invalid",
      problems: [{ line: 1, what: `the text takes more than ${MAX_BYTES} bytes` }],
    };
  const document = parseYaml(text.replace(/^\ufeff/u, ""), lines);
  if (document === null)
    return { status: "invalid", problems: [{ line: 1, what: "the text is nested too deeply" }] };
  const faults = document.errors.map((error) => ({
    line: lines.linePos(error.pos[0]).line,
    what: error.message.replace(/\s+/gu, " "),
  }));
  if (faults.length > 0) return { status: "invalid", problems: faults };
  const root = document.contents;
  if (root === null || isNothing(root)) return { status: "empty" };
  const reader = new Reader(lines, editableFields(packet));
  if (!isMap(root)) {
    reader.fault(root, `expected the fields ${EDITABLE_FIELDS.join(", ")}`);
    return { status: "invalid", problems: reader.problems };
  }
  const values = new Map<EditableField, unknown>();
  for (const pair of root.items) {
    const name = EDITABLE_FIELDS.find((field) => field === keyOf(pair));
    if (name === undefined)
      reader.fault(keyNode(pair), `unknown field ${quoted(keyOf(pair))}${suggestion(keyOf(pair))}`);
    else values.set(name, pair.value);
  }
  for (const name of EDITABLE_FIELDS)
    if (!values.has(name))
      reader.fault(
        root,
        `${name} is missing; leave ${name === "doing" || name === "next_action" ? "it as it was" : `${name}: [] to empty it`}`,
      );
  if (reader.problems.length > 0) return { status: "invalid", problems: reader.problems };
  const why = (item: Item) => ({ id: item.id ?? null, what: item.what ?? "", why: item.why ?? null });
  const fields: EditableFields = {
    next_action: reader.nextAction(values.get("next_action")),
    doing: reader.doing(values.get("doing")),
    decisions: reader.items(values.get("decisions"), "decisions", ["id", "what", "why"]).map(why),
    dead_ends: reader.items(values.get("dead_ends"), "dead_ends", ["id", "what", "why"]).map(why),
    questions: reader
      .items(values.get("questions"), "questions", ["id", "text"])
      .map((item) => ({ id: item.id ?? null, text: item.text ?? "" })),
    scene: reader.scene(values.get("scene")),
  };
  const problems = reader.problems.toSorted((a, b) => a.line - b.line);
  return problems.length > 0 ? { status: "invalid", problems } : { status: "fields", fields };
}
