// Takes the secrets out of every string of a JSON value, keys too. What cannot be checked is dropped and named (S16).
import { findCommandSecrets } from "./find-command-secrets.js";
import { strengthOfName } from "./secret-names.js";
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

type Check = (text: string, also: readonly string[]) => CheckedText;

/** See `Redactor.redactStrings`. Two rounds: the first collects the secrets, the second takes each out of every string. */
export function redactValue<T>(
  value: T,
  check: Check,
  skip: (path: readonly string[]) => boolean,
  maxLearned: number,
): RedactedStrings<T> {
  const learned = new Set<string>();
  const first = walk(value, skip, (text, name, known) => {
    const checked = checkNamed(text, name, known, check);
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

/** A string under a key that says what it is. */
function checkNamed(text: string, name: string | null, known: readonly string[], check: Check): CheckedText {
  if (name !== null && HEADER.test(name)) {
    const prefix = `${name}: `;
    const checked = check(prefix + text, known);
    if (checked.text.startsWith(prefix)) return { ...checked, text: checked.text.slice(prefix.length) };
  }
  const strength = name === null ? null : strengthOfName(name.replace(/^-+/u, ""));
  const checked = check(text, known);
  const form = name?.startsWith("-") === true ? "option" : "quoted";
  // Where its shape says more than its name does, the mark is the shape's.
  const whole = /^\[redacted:[a-z0-9-]+\]$/u.test(checked.text);
  if (whole || strength === null || !isSecretValue(text, { strength, form, shouting: false })) return checked;
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
  const text = (
    original: string,
    name: string | null,
    path: readonly string[],
    known: readonly string[],
  ): string => {
    try {
      const checked = redact(original, name, known);
      for (const [kind, count] of Object.entries(checked.counts)) counts[kind] = (counts[kind] ?? 0) + count;
      return checked.text;
    } catch {
      return dropped(path);
    }
  };
  const dropped = (path: readonly string[]): string => {
    counts[UNCHECKED] = (counts[UNCHECKED] ?? 0) + 1;
    failed.push(path.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""));
    return markOf(UNCHECKED);
  };
  const list = (
    items: readonly unknown[],
    name: string | null,
    path: readonly string[],
  ): readonly unknown[] => {
    const known = secretsOfArgv(items);
    const next = items.map((item, i) => {
      const before = items[i - 1];
      const option = typeof before === "string" && OPTION.test(before) ? before : null;
      return visit(item, option ?? name, [...path, String(i)], known);
    });
    return next.every((item, i) => item === items[i]) ? items : next;
  };
  /** Keys that hold no secret: records of one kind repeat theirs. */
  const cleanKeys = new Set<string>();
  const cleanKey = (key: string, path: readonly string[]): string => {
    if (cleanKeys.has(key)) return key;
    const clean = text(key, null, [...path, "(key)"], []);
    if (clean === key && cleanKeys.size < MAX_KEYS) cleanKeys.add(key);
    return clean;
  };
  const record = (object: object, path: readonly string[]): object => {
    const entries = Object.entries(object);
    const taken = new Set<string>();
    let changed = false;
    const next = entries.map(([key, item]: [string, unknown]): [string, unknown] => {
      const clean = cleanKey(key, path);
      let kept = clean;
      // Two secrets of one kind as keys must not become one.
      for (let n = 2; taken.has(kept) || (kept !== key && Object.hasOwn(object, kept)); n += 1)
        kept = `${clean}#${n}`;
      taken.add(kept);
      const value = visit(item, key, [...path, kept], []);
      if (kept !== key || value !== item) changed = true;
      return [kept, value];
    });
    return changed ? Object.fromEntries(next) : object;
  };
  const visit = (
    value: unknown,
    name: string | null,
    path: readonly string[],
    known: readonly string[],
  ): unknown => {
    if (skip(path)) return value;
    if (typeof value === "string") return text(value, name, path, known);
    if (typeof value !== "object" || value === null) return value;
    // A Map or a class hides its strings from this walk: nothing of JSON, and not to be let through unseen.
    if (path.length > MAX_DEPTH || !isPlain(value)) return dropped(path);
    return Array.isArray(value) ? list(value, name, path) : record(value, path);
  };
  // A redacted value has the shape of the one it came from: strings stay strings, lists lists.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { value: visit(root, null, [], []) as T, counts, failed };
}
