// A project's own rules from its configuration (P42): further patterns, and strings that are never secrets.
import { UsageError } from "../model/errors.js";
import type { Span } from "./spans.js";
import type { TimeLimit } from "./time-limit.js";

/** A text is searched in windows, so that a pattern that is quadratic in the text costs a bounded time for each of them. */
const WINDOW = 16_384;
/** The longest match that is found wherever it stands. */
const OVERLAP = 4096;

/** A project's pattern, ready to use. */
export interface ProjectPattern {
  readonly kind: string;
  readonly pattern: RegExp;
}

function compile(source: string, name: string): RegExp {
  if (repeatsRepetition(source))
    throw new UsageError(
      "config.redaction_pattern",
      `redaction pattern ${name} repeats a group that repeats itself, which can take for ever on some texts`,
      "write it without a repetition inside a repeated group",
    );
  for (const flags of ["gu", "g"]) {
    try {
      return new RegExp(source, flags);
    } catch {
      // Written for the other flavour, or wrong in both.
    }
  }
  throw new UsageError(
    "config.redaction_pattern",
    `redaction pattern ${name} is not a regular expression`,
    "correct it in handoff.config.json",
  );
}

/** True for `(a+)+`, `(a|b*)*`, `(x{2,})+`: time exponential in the text. */
function repeatsRepetition(source: string): boolean {
  /** For each open group: whether something inside repeats without an end. */
  const open: boolean[] = [];
  let closed = false;
  for (let i = 0; i < source.length; i += 1) {
    const c = source.charAt(i);
    const repeats = c === "*" || c === "+" || (c === "{" && /^\{\d*,\}/u.test(source.slice(i, i + 12)));
    if (c === "\\") i += 1;
    else if (c === "[") {
      for (i += 1; i < source.length && source.charAt(i) !== "]"; i += 1)
        if (source.charAt(i) === "\\") i += 1;
    } else if (c === "(") open.push(false);
    else if (repeats) {
      if (closed) return true;
      if (open.length > 0) open[open.length - 1] = true;
    }
    closed = false;
    if (c === ")") {
      closed = open.pop() ?? false;
      if (closed && open.length > 0) open[open.length - 1] = true;
    }
  }
  return false;
}

/** Compiles a project's patterns. Throws UsageError `config.redaction_pattern` for one that cannot be used. */
export function compilePatterns(patterns: Readonly<Record<string, string>>): ProjectPattern[] {
  return Object.entries(patterns).map(([kind, source]) => ({ kind, pattern: compile(source, kind) }));
}

/**
 * Compiles what is never a secret; each expression has to match the whole of what was found. Throws as above; what it gives
 * throws when it takes longer than `within` allows.
 */
export function compileAllowed(allow: readonly string[], within: TimeLimit): (secret: string) => boolean {
  const patterns = allow.map((source) => {
    const { flags } = compile(source, `allow ${source}`);
    return new RegExp(`^(?:${source})$`, flags.replace("g", ""));
  });
  return (secret) =>
    patterns.length > 0 &&
    secret.length <= OVERLAP &&
    within(secret.length, () => patterns.some((pattern) => pattern.test(secret)));
}

/** Every match of the project's patterns. Throws when they take longer than `within` allows. */
export function findPatterns(
  text: string,
  patterns: readonly ProjectPattern[],
  within: TimeLimit,
): readonly Span[] {
  return patterns.length === 0 ? [] : within(text.length, () => findAll(text, patterns));
}

function findAll(text: string, patterns: readonly ProjectPattern[]): Span[] {
  const spans: Span[] = [];
  for (let from = 0; ; from += WINDOW - OVERLAP) {
    const window = text.slice(from, from + WINDOW);
    for (const { kind, pattern } of patterns)
      for (const match of window.matchAll(pattern))
        if (match[0] !== "")
          spans.push({ start: from + match.index, end: from + match.index + match[0].length, kind });
    if (from + WINDOW >= text.length) return spans;
  }
}
