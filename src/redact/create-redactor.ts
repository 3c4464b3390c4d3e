// The gate every string from outside passes before it is written (S13-S16): secrets out, marks in. Pure. A mark says
// only what the secret itself says, so the same secret has the same mark in every field, packet and process.
import { SHORTEST_VALUE, secretsOfEnvironment } from "./env-secrets.js";
import { findAssignments } from "./find-assignments.js";
import { findCommandSecrets } from "./find-command-secrets.js";
import { findHeaders } from "./find-headers.js";
import { findKnown, knownSecret, type KnownSecret } from "./find-known.js";
import { findPrivateKeys } from "./find-private-keys.js";
import { findTokens, tokenKinds } from "./find-tokens.js";
import { findUrls } from "./find-urls.js";
import { isPlainWord } from "./plain-word.js";
import { compileAllowed, compilePatterns, findPatterns } from "./project-patterns.js";
import { type CheckedText, redactValue, type RedactedStrings } from "./redact-strings.js";
import { MARK_FILLER } from "./secret-values.js";
import { plainView, seeThroughHidden, seeThroughQuoting, type View } from "./see-through.js";
import { createTimeLimit } from "./time-limit.js";
import { CREDENTIAL, markOf, mergeSpans, PRIVATE_KEY, replaceSpans, type Span, UNCHECKED } from "./spans.js";

/** Largest text that is checked, in UTF-16 units: more than the longest line any reader lets through. A larger one is dropped (S16). */
export const MAX_TEXT = 17 * 1024 * 1024;
/** Each pass leaves less to find; a text that is not at rest after so many is dropped (S16). */
const MAX_PASSES = 8;
/** Texts known to be clean, in UTF-16 units together. */
const MAX_REMEMBERED = 4 * 1024 * 1024;
/** Secrets found in one value that are looked for in the rest of it. */
const MAX_LEARNED = 64;
const NO_SPANS: readonly Span[] = [];

export interface RedactorOptions {
  /** The environment whose secrets are looked for. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Further secrets by kind, as regular expressions. */
  readonly patterns?: Readonly<Record<string, string>>;
  /** Regular expressions of strings that are never secrets; each has to match the whole string. */
  readonly allow?: readonly string[];
}

/** A text without its secrets, and how many marks of each kind were put in. */
export interface RedactedText {
  readonly text: string;
  readonly counts: Readonly<Record<string, number>>;
}

export interface Redactor {
  /** Never throws: a text that cannot be checked comes back as `[redacted:unchecked]`. Idempotent. */
  readonly redactText: (text: string) => RedactedText;
  /**
   * Every string of a JSON value, keys too; a secret found in one is taken out of all. `skip` keeps a subtree as it is
   * (what we wrote ourselves: ids, digests). `failed`: JSON pointers of the fields that could not be checked.
   */
  readonly redactStrings: <T>(
    value: T,
    options?: { readonly skip?: (path: readonly string[]) => boolean },
  ) => RedactedStrings<T>;
}

const NOT_LEARNED = /^(?:[0-9a-f]{7,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+|\p{L}+)$/iu;

/**
 * Makes the gate. Throws UsageError `config.redaction_pattern` for a pattern that is no regular expression or can take
 * exponential time.
 */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const within = createTimeLimit();
  const patterns = compilePatterns(options.patterns ?? {});
  const isAllowed = compileAllowed(options.allow ?? [], within);
  const secrets = secretsOfEnvironment(options.env ?? {}).map(knownSecret);
  let marks: RegExp | null = null;
  const findMarks = (): RegExp => {
    const own = patterns.map(({ kind }) => kind);
    const kinds = new Set([...tokenKinds(), CREDENTIAL, PRIVATE_KEY, UNCHECKED, ...own]);
    marks ??= new RegExp(String.raw`\[redacted:(?:${[...kinds].join("|")})\]`, "gu");
    return marks;
  };

  const findIn = (view: View, spans: Span[]): void => {
    const { text } = view;
    for (const found of [
      findPatterns(text, patterns, within),
      findPrivateKeys(text),
      findTokens(text),
      findAssignments(text),
      findHeaders(text),
      findUrls(text),
      findCommandSecrets(text),
    ])
      for (const { start, end, kind } of found) spans.push({ ...view.place(start, end), kind });
  };

  const find = (original: string, known: readonly KnownSecret[]): readonly Span[] => {
    if (patterns.length === 0 && isPlainWord(original)) {
      const named = known.length === 0 ? NO_SPANS : findKnown(plainView(original), known);
      if (named.length === 0) return NO_SPANS;
    }
    const text = original.includes("[redacted:")
      ? original.replace(findMarks(), (mark) => MARK_FILLER.repeat(mark.length))
      : original;
    const spans: Span[] = [];
    for (const view of seeThroughHidden(plainView(text))) {
      const unquoted = seeThroughQuoting(view);
      findIn(view, spans);
      spans.push(...findKnown(view, known));
      if (unquoted !== null)
        for (const { start, end, kind } of findTokens(unquoted.text))
          spans.push({ ...unquoted.place(start, end), kind });
    }
    if (spans.length === 0) return spans;
    return mergeSpans(spans).filter(
      ({ start, end }) =>
        end > start && !/^\uffff+$/u.test(text.slice(start, end)) && !isAllowed(text.slice(start, end)),
    );
  };

  /** Texts that hold no secret: fields of a packet repeat each other, and a packet most of its snapshot. */
  const clean = new Set<string>();
  let cleanUnits = 0;
  const remember = (text: string): void => {
    cleanUnits += text.length;
    if (cleanUnits > MAX_REMEMBERED) {
      clean.clear();
      cleanUnits = text.length;
    }
    clean.add(text);
  };

  /** Throws where the text cannot be checked. */
  const check = (original: string, also: readonly string[]): CheckedText => {
    if (also.length === 0 && clean.has(original)) return { text: original, counts: {}, learned: [] };
    if (original.length > MAX_TEXT) throw new RangeError("text too large to check");
    const counts: Record<string, number> = {};
    const learned = new Set<string>();
    let text = original;
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const more = also.length + learned.size;
      const known = more === 0 ? secrets : [...secrets, ...[...also, ...learned].map(knownSecret)];
      const spans = find(text, known);
      if (spans.length === 0) {
        if (pass === 0 && also.length === 0) remember(original);
        return { text, counts, learned: [...learned] };
      }
      for (const { start, end, kind } of spans) {
        counts[kind] = (counts[kind] ?? 0) + 1;
        const secret = text.slice(start, end);
        const worth = kind === CREDENTIAL && secret.length >= SHORTEST_VALUE && !NOT_LEARNED.test(secret);
        if (worth && learned.size < MAX_LEARNED && !secret.includes("[redacted:")) learned.add(secret);
      }
      text = replaceSpans(text, spans);
    }
    throw new RangeError("text does not come to rest");
  };

  return {
    redactText: (text) => {
      try {
        const { learned: _, ...redacted } = check(text, []);
        return redacted;
      } catch {
        return { text: markOf(UNCHECKED), counts: { [UNCHECKED]: 1 } };
      }
    },
    redactStrings: (value, { skip } = {}) => redactValue(value, check, skip ?? (() => false), MAX_LEARNED),
  };
}
