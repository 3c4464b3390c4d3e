// Reads the fields of one foreign JSON object, one at a time: what is unusable is noted and left out, the rest is kept.
// Every alias list is in order of preference; the first key that is there and usable decides, an explicit null included.
import type { PointedText, PointedWhy } from "../../model/artifacts.js";
import { parseTime } from "../../text/parse-time.js";
import { type FieldNotes, pointerTo } from "./field-notes.js";

/** Longest list that is read; what follows is noted once. */
export const MAX_ITEMS = 10_000;
const TEXT_KEYS = ["text", "detail", "what", "description", "message", "summary", "title"] as const;
const WHY_KEYS = ["why", "reason", "because", "rationale"] as const;
const STAMPS = [
  "updated_at",
  "written_at",
  "timestamp",
  "ts",
  "closed_at",
  "generated_at",
  "created_at",
] as const;
const PATH_KEYS = ["path", "file", "name"] as const;

export type JsonObject = Readonly<Record<string, unknown>>;

/** A list item and the pointer it was found at. */
export interface Item {
  readonly value: unknown;
  readonly pointer: string;
}

/** Narrows to a JSON object: not null, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function ownValue(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The fields of one object at `base` inside the file that `notes` is about. */
export class Fields {
  constructor(
    readonly object: JsonObject,
    readonly base: string,
    readonly notes: FieldNotes,
  ) {}

  /** True when the object has this key, whatever its value. */
  has(key: string): boolean {
    return Object.hasOwn(this.object, key);
  }

  /** The raw value, undefined when absent. */
  get(key: string): unknown {
    return ownValue(this.object, key);
  }

  /** The first usable value among `keys`; `parse` gives undefined for what is unusable. */
  pick<T>(
    keys: readonly string[],
    expected: string,
    parse: (value: unknown, pointer: string) => T | null | undefined,
  ): T | null {
    for (const key of keys) {
      const value = this.get(key);
      if (value === undefined) continue;
      if (value === null) return null;
      const pointer = pointerTo(this.base, key);
      const parsed = parse(value, pointer);
      if (parsed !== undefined) return parsed;
      this.notes.invalid(pointer, expected);
    }
    return null;
  }

  /** A text, untrimmed; blank counts as absent. */
  text(keys: readonly string[]): string | null {
    return this.pointedText(keys)?.text ?? null;
  }

  /** A text with its pointer. With `inner`, an object that holds the text under one of these keys will do. */
  pointedText(keys: readonly string[], inner: readonly string[] = []): PointedText | null {
    return this.pick(keys, "a text", (value, pointer) => {
      if (typeof value === "string") return value.trim() === "" ? null : { text: value, pointer };
      if (inner.length === 0 || !isObject(value)) return undefined;
      const key = inner.find((name) => typeof ownValue(value, name) === "string");
      const text = key === undefined ? undefined : ownValue(value, key);
      if (key === undefined || typeof text !== "string") return undefined;
      return text.trim() === "" ? null : { text, pointer: pointerTo(pointer, key) };
    });
  }

  /** An id: a text, trimmed, or an integer as a text. Whether it may be used as one is decided elsewhere. */
  id(keys: readonly string[]): string | null {
    return this.pick(keys, "a text or null", (value) => {
      if (typeof value === "string") return value.trim() === "" ? null : value.trim();
      if (Number.isSafeInteger(value)) return String(value);
      const inner = isObject(value) ? ownValue(value, "id") : undefined;
      return typeof inner === "string" && inner.trim() !== "" ? inner.trim() : undefined;
    });
  }

  /**
   * The task a report is about. `unread` when it names one in a form that is no id: it may be any task's, so nothing
   * good it says may count (P27). Blank names none.
   */
  taskId(): { readonly id: string | null; readonly unread: boolean } {
    const id = this.id(["task_id"]);
    const given = this.get("task_id") ?? null;
    const blank = typeof given === "string" && given.trim() === "";
    return { id, unread: id === null && given !== null && !blank };
  }

  /** A commit as hex digits, possibly abbreviated. Names like HEAD would mean another commit every day. */
  commit(keys: readonly string[]): string | null {
    return this.pick(keys, "a commit hash (4 to 64 hex digits)", (value) => {
      const text = typeof value === "string" ? value.trim() : undefined;
      if (text === "") return null;
      return text !== undefined && /^[0-9a-f]{4,64}$/iu.test(text) ? text.toLowerCase() : undefined;
    });
  }

  /** The newest of the file's own time stamps, ms since the epoch. */
  stampedAt(more: readonly string[] = []): number | null {
    const times = [...STAMPS, ...more].map((key) => this.time([key])).filter((time) => time !== null);
    return times.length === 0 ? null : Math.max(...times);
  }

  /** One time, ms since the epoch. */
  time(keys: readonly string[]): number | null {
    return this.pick(keys, "a time (ISO 8601 or epoch seconds)", (value) => parseTime(value) ?? undefined);
  }

  /** The items of a list; a lone text or object counts as a list of one. */
  items(keys: readonly string[]): readonly Item[] {
    const found = this.pick<readonly Item[]>(keys, "a list", (value, pointer) => {
      if (typeof value === "string") return value.trim() === "" ? [] : [{ value, pointer }];
      if (!Array.isArray(value)) return undefined;
      return listItems(value, pointer, this.notes);
    });
    return found ?? [];
  }

  /** A list of texts, or of objects that hold one under one of `inner`. Blank texts count as absent. */
  texts(keys: readonly string[], inner: readonly string[] = []): PointedText[] {
    return this.items(keys).flatMap((item) => textOf(item, [...inner, ...TEXT_KEYS], this.notes) ?? []);
  }

  /** A list of file paths, relative to the root, without repeats. */
  paths(keys: readonly string[]): string[] {
    const texts = this.items(keys).flatMap((item) => textOf(item, PATH_KEYS, this.notes) ?? []);
    return [...new Set(texts.map(({ text }) => this.notes.relative(text)))];
  }

  /** A list of things with reasons. */
  whys(keys: readonly string[], inner: readonly string[]): PointedWhy[] {
    return this.items(keys).flatMap((item) => {
      const what = textOf(item, [...inner, ...TEXT_KEYS], this.notes);
      if (what === null) return [];
      const why = isObject(item.value)
        ? new Fields(item.value, item.pointer, this.notes).text(WHY_KEYS)
        : null;
      return [{ what: what.text, why, pointer: item.pointer }];
    });
  }
}

/** The items of an array with their pointers, bounded. */
export function listItems(values: readonly unknown[], pointer: string, notes: FieldNotes): Item[] {
  if (values.length > MAX_ITEMS) notes.invalid(pointerTo(pointer, MAX_ITEMS), `at most ${MAX_ITEMS} items`);
  return values.slice(0, MAX_ITEMS).map((value, index) => ({ value, pointer: pointerTo(pointer, index) }));
}

/** The entries of an object that maps names to values, with their pointers, bounded like a list. */
export function objectItems(
  object: JsonObject,
  pointer: string,
  notes: FieldNotes,
): (Item & { readonly name: string })[] {
  const entries = Object.entries(object);
  if (entries.length > MAX_ITEMS) notes.invalid(pointer, `at most ${MAX_ITEMS} items`);
  return entries
    .slice(0, MAX_ITEMS)
    .map(([name, value]) => ({ name, value, pointer: pointerTo(pointer, name) }));
}

/** The text of a list item, which is one or holds one; null (noted, unless blank) when there is none. */
export function textOf(
  { value, pointer }: Item,
  keys: readonly string[],
  notes: FieldNotes,
): PointedText | null {
  if (typeof value === "string") return value.trim() === "" ? null : { text: value, pointer };
  if (isObject(value)) {
    const text = keys.map((key) => ownValue(value, key)).find((inner) => typeof inner === "string");
    if (typeof text === "string") return text.trim() === "" ? null : { text, pointer };
  }
  notes.invalid(pointer, "a text");
  return null;
}
