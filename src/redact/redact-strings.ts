// Takes the secrets out of every string of a JSON value, keys too. What cannot be checked is dropped and named (S16).
import { findCommandSecrets } from "./find-command-secrets.js";
import { strengthOfName, type NameStrength } from "./secret-names.js";
import { isSecretValue } from "./secret-values.js";
import { CREDENTIAL, markOf, UNCHECKED } from "./spans.js";

/** What one text gave: the text at rest, how many marks of each kind were put in, the secrets worth looking for elsewhere. */
export interface CheckedText {
  readonly text: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly learned: readonly string[];
}

/** A value without its secrets, how many marks of each kind were put in, and the JSON pointers of fields that were dropped. */
export interface RedactedStrings<T> {
  readonly value: T;
  readonly counts: Readonly<Record<string, number>>;
  readonly failed: string[];
}

/** Deeper than any reader lets JSON through. */
const MAX_DEPTH = 500;
/** How many different keys are remembered as clean. */
const MAX_KEYS = 10_000;
const HEADER = /^(?:proxy-?)?authorization$|^(?:set-?)?cookie$/iu;
/** An option that takes its value from the next string of the list. */
const OPTION = /^--?[A-Za-z][\w-]*$/u;

const ASSIGNED_OPTION = /^--?([A-Za-z][\w.-]{0,64})=(.+)$/su;
/** Longer lists are no commands. */
const MAX_ARGV = 200;

const NOTHING: readonly string[] = [];

type Check = (text: string, also: readonly string[]) => CheckedText;

/** See `Redactor.redactStrings`. Two rounds: the first collects the secrets, the second takes each out of every string. */
export function redactValue<T>(
  value: T,
  check: Check,
  skip: (path: readonly string[]) => boolean,
  maxLearned: number,
): RedactedStrings<T> {
  const learned = new Set<string>();
  const names: Names = new Map();
  const first = walk(value, skip, (text, name, known) => {
    const checked = checkNamed(text, name, tellingOf(name, names), known, check);
    for (const secret of checked.learned) if (learned.size < maxLearned) learned.add(secret);
    return checked;
  });
  if (learned.size === 0) return first;
  const also = [...learned].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  const second = walk(first.value, skip, (text) => check(text, also));
  const counts: Record<string, number> = { ...first.counts };
  for (const [kind, count] of Object.entries(second.counts)) counts[kind] = (counts[kind] ?? 0) + count;
  return { value: second.value, counts, failed: [...first.failed, ...second.failed] };
}

/** What a key or option says of its value. */
interface Telling {
  readonly isHeader: boolean;
  readonly strength: NameStrength | null;
}
/** Records of one kind repeat their keys. */
type Names = Map<string, Telling>;
const NO_NAME: Telling = { isHeader: false, strength: null };

function tellingOf(name: string | null, names: Names): Telling {
  if (name === null) return NO_NAME;
  const known = names.get(name);
  if (known !== undefined) return known;
  const telling = { isHeader: HEADER.test(name), strength: strengthOfName(name.replace(/^-+/u, "")) };
  if (names.size < MAX_KEYS) names.set(name, telling);
  return telling;
}

/** A string under a key that says what it is. */
function checkNamed(
  text: string,
  name: string | null,
  { isHeader, strength }: Telling,
  known: readonly string[],
  check: Check,
): CheckedText {
  if (isHeader) {
    const prefix = `${name}: `;
    const checked = check(prefix + text, known);
    if (checked.text.startsWith(prefix)) return { ...checked, text: checked.text.slice(prefix.length) };
  }
  const checked = check(text, known);
  if (strength === null) return checked;
  const form = name?.startsWith("-") === true ? "option" : "quoted";
  // Where its shape says more than its name does, the mark is the shape's.
  const whole = /^\[redacted:[a-z0-9-]+\]$/u.test(checked.text);
  if (whole || !isSecretValue(text, { strength, form, shouting: false })) return checked;
  const secret = text.length >= 8 && /\d/u.test(text) && /\D/u.test(text) && !/^[0-9a-f-]+$/iu.test(text);
  return { text: markOf(CREDENTIAL), counts: { [CREDENTIAL]: 1 }, learned: secret ? [text] : [] };
}

/**
 * What only a whole argv tells. A command's short option says what the next word is (`["curl", "-u", "user:password"]`):
 * the words are laid side by side as on a command line, and what is found goes to the end of its word. And the value in
 * `["--password=two words"]` is the rest of its word.
 */
function secretsOfArgv(items: readonly unknown[]): string[] {
  const words = items.filter((item) => typeof item === "string");
  if (words.length !== items.length || words.length > MAX_ARGV) return [];
  const assigned = words.flatMap((word) => {
    const [whole, name = "", value = ""] = ASSIGNED_OPTION.exec(word) ?? [];
    const strength = whole === undefined ? null : strengthOfName(name);
    return strength !== null && isSecretValue(value, { strength, form: "option", shouting: false })
      ? [value]
      : [];
  });
  if (words.length < 2) return assigned;
  const line = words.map((word) => word.replace(/\s/gu, "_")).join("\t");
  const behindOptions = findCommandSecrets(line).map(({ start }) => {
    const end = line.indexOf("\t", start);
    return words.join("\t").slice(start, end === -1 ? undefined : end);
  });
  return [...assigned, ...behindOptions];
}

function mayHoldText(value: unknown): boolean {
  return typeof value === "string" || (typeof value === "object" && value !== null);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

function walk<T>(
  root: T,
  skip: (path: readonly string[]) => boolean,
  redact: (text: string, name: string | null, known: readonly string[]) => CheckedText,
): RedactedStrings<T> {
  const counts: Record<string, number> = {};
  const failed: string[] = [];
  /** The way to the value being looked at; one array for the whole walk. */
  const path: string[] = [];
  const dropped = (): string => {
    counts[UNCHECKED] = (counts[UNCHECKED] ?? 0) + 1;
    failed.push(path.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""));
    return markOf(UNCHECKED);
  };
  const text = (original: string, name: string | null, known: readonly string[]): string => {
    try {
      const checked = redact(original, name, known);
      for (const kind in checked.counts) counts[kind] = (counts[kind] ?? 0) + (checked.counts[kind] ?? 0);
      return checked.text;
    } catch {
      return dropped();
    }
  };
  const below = (
    step: string,
    value: unknown,
    name: string | null,
    known: readonly string[] = NOTHING,
  ): unknown => {
    path.push(step);
    const kept = visit(value, name, known);
    path.pop();
    return kept;
  };
  const list = (items: readonly unknown[], name: string | null): readonly unknown[] => {
    const known = secretsOfArgv(items);
    let next: unknown[] | null = null;
    for (const [i, item] of items.entries()) {
      const before = items[i - 1];
      const option = typeof before === "string" && OPTION.test(before) ? before : null;
      const kept = below(String(i), item, option ?? name, known);
      if (kept !== item) next ??= items.slice(0, i);
      next?.push(kept);
    }
    return next ?? items;
  };
  /** Keys that hold no secret: records of one kind repeat theirs. */
  const cleanKeys = new Set<string>();
  const cleanKey = (key: string): string => {
    if (cleanKeys.has(key)) return key;
    path.push("(key)");
    const clean = text(key, null, NOTHING);
    path.pop();
    if (clean === key && cleanKeys.size < MAX_KEYS) cleanKeys.add(key);
    return clean;
  };
  const record = (object: object): object => {
    const entries = Object.entries(object);
    const renamed = new Set<string>();
    let changed = false;
    for (const entry of entries) {
      const [key, item]: [string, unknown] = entry;
      const clean = cleanKey(key);
      let kept = clean;
      // Two secrets of one kind as keys must not become one.
      for (let n = 2; kept !== key && (renamed.has(kept) || Object.hasOwn(object, kept)); n += 1)
        kept = `${clean}#${n}`;
      const value = mayHoldText(item) ? below(kept, item, key) : item;
      if (kept !== key) renamed.add(kept);
      else if (value === item) continue;
      changed = true;
      entry[0] = kept;
      entry[1] = value;
    }
    return changed ? Object.fromEntries(entries) : object;
  };
  const visit = (value: unknown, name: string | null, known: readonly string[]): unknown => {
    if (skip(path)) return value;
    if (typeof value === "string") return text(value, name, known);
    if (typeof value !== "object" || value === null) return value;
    // A Map or a class hides its strings from this walk: nothing of JSON, and not to be let through unseen.
    if (path.length > MAX_DEPTH || !isPlain(value)) return dropped();
    return Array.isArray(value) ? list(value, name) : record(value);
  };
  // A redacted value has the shape of the one it came from: strings stay strings, lists lists.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { value: visit(root, null, NOTHING) as T, counts, failed };
}
