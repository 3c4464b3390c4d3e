// Which search patterns are too costly or too odd to be used (P42): a configuration comes with a repository anyone may have
// written, and a pattern of a few characters can stand for millions of names or keep a matcher busy for ever.

/** Most names a pattern's braces may stand for. */
export const MAX_ALTERNATIVES = 1000;
const MAX_LENGTH = 1024;
/** Most `*` in one segment: each of them tries every place in a file name. */
const MAX_STARS = 4;

const RANGE = /\{(-?\d{1,6}|[A-Za-z])\.\.(-?\d{1,6}|[A-Za-z])(?:\.\.-?\d{1,6})?\}/gu;
const LONE_ID = /\{[^{},]*<(?:task_id|session_id)>[^{},]*\}/u;

/** How many values `from..to` has, whatever its step. */
function rangeSize(from: string, to: string): number {
  const ends = [from, to].map((end) => (/\d/u.test(end) ? Number(end) : (end.codePointAt(0) ?? 0)));
  return Math.abs((ends[0] ?? 0) - (ends[1] ?? 0)) + 1;
}

/**
 * An upper bound for the names that the braces of `pattern` stand for; Infinity for a range that cannot be told. Does not
 * parse: quotes, escapes and brackets change how braces are read, and no reading of `g` groups with `c` commas in all gives
 * more than `(1 + c/g)^g`.
 */
export function countAlternatives(pattern: string): number {
  const ranges = [...pattern.matchAll(RANGE)].map(([, from = "", to = ""]) => rangeSize(from, to));
  const rest = pattern.replaceAll(RANGE, "");
  const groups = rest.split("{").length - 1;
  if (groups > 0 && (rest.includes("..") || LONE_ID.test(rest))) return Infinity;
  const commas = rest.split(",").length - 1;
  const lists = groups === 0 ? 1 : (1 + commas / groups) ** groups;
  return ranges.reduce((product, size) => product * size, lists);
}

/** Why `pattern` is not used, to be read after it; null for one that is. */
export function refusePattern(pattern: string): string | null {
  if (/[\p{Cc}\p{Cs}]/u.test(pattern)) return "has control characters";
  if (pattern.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (countAlternatives(pattern) > MAX_ALTERNATIVES)
    return `stands for more than ${MAX_ALTERNATIVES} alternatives, or has a range that cannot be counted`;
  // `+(a|aa)`, `(a|aa)+`: exponential in the length of a file name.
  if (/[*+]\(|[)}]\+/u.test(pattern)) return "repeats a group";
  if (pattern.split("/").some((segment) => segment.replaceAll("**", "*").split("*").length - 1 > MAX_STARS))
    return `has more than ${MAX_STARS} stars in one segment`;
  return null;
}
