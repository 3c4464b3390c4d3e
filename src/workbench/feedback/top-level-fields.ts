// Splits the text of one JSON object into its top-level fields as they are written, to learn how a log's writer lays out
// its lines.

/** A top-level field, as written. */
export interface WrittenField {
  /** What stands between the value before and the key: `{`, `,` or `, `. */
  readonly before: string;
  /** The key with quotes, colon and the space after it, if any. */
  readonly literal: string;
  readonly name: string;
  readonly value: string;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gu;
/** A key the kernel can compare byte by byte: ASCII without escapes. */
const PLAIN_KEY = /^"[\u0020-\u0021\u0023-\u005b\u005d-\u007e]*"$/u;

/**
 * The fields of `line`, which must be valid JSON; null when it is no object, has a key that is not plain, or is spaced in
 * any way but `{"a":1,"b":2}` and `{"a": 1, "b": 2}` or a mixture of the two.
 */
export function readTopLevelFields(line: string): WrittenField[] | null {
  if (!line.startsWith("{")) return null;
  const fields: WrittenField[] = [];
  let depth = 0;
  let separatorAt = 0;
  let key: { before: string; quoted: string; end: number } | null = null;
  let valueAt = -1;
  for (const { 0: token, index } of line.matchAll(TOKEN)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    if (depth === 1 && key === null && token.startsWith('"')) {
      key = { before: line.slice(separatorAt, index), quoted: token, end: index + token.length };
      if (!PLAIN_KEY.test(token) || !["{", ",", ", "].includes(key.before)) return null;
    } else if (depth === 1 && key !== null && valueAt === -1 && token === ":") {
      if (index !== key.end) return null;
      valueAt = index + (line.startsWith(" ", index + 1) ? 2 : 1);
    } else if (key !== null && ((depth === 1 && token === ",") || depth === 0)) {
      const value = line.slice(valueAt, index);
      if (value !== value.trim()) return null;
      const literal = line.slice(key.end - key.quoted.length, valueAt);
      fields.push({ before: key.before, literal, name: key.quoted.slice(1, -1), value });
      separatorAt = index;
      key = null;
      valueAt = -1;
    }
  }
  return fields;
}
