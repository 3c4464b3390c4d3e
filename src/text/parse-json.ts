// JSON from outside: bounded depth, and a reason with line and column that is the same on every version of Node
// (the engine's own messages differ between versions and quote the input).

/** Deepest nesting that is accepted. */
export const MAX_JSON_DEPTH = 200;

/** A parsed value, or why there is none. `line` counts from 1. */
export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string; readonly line: number };

type Expect = "value" | "value_or_end" | "key" | "key_or_end" | "colon" | "comma_or_end" | "nothing";

const SCALAR = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)/y;
const STRING_PART = /[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Index after the string that starts at `start`, or the index of what is wrong in it, negated and minus one. */
function skipString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    if (text.charAt(at) === '"') return at + 1;
    STRING_PART.lastIndex = at;
    if (!STRING_PART.test(text)) return -at - 1;
    at = STRING_PART.lastIndex;
  }
}

/** Index of the first character that cannot be there; `text.length` when the text ends too early; -1 for valid JSON. */
function firstFault(text: string): number {
  const stack: ("{" | "[")[] = [];
  let expect: Expect = "value";
  let at = 0;
  const afterValue = (): Expect => (stack.length === 0 ? "nothing" : "comma_or_end");
  while (at < text.length) {
    const c = text.charAt(at);
    if (c === " " || c === "\n" || c === "\r" || c === "\t") {
      at += 1;
      continue;
    }
    const isKey: boolean = expect === "key" || expect === "key_or_end";
    const isValue: boolean = expect === "value" || expect === "value_or_end";
    if (c === '"' && (isKey || isValue)) {
      const end = skipString(text, at);
      if (end < 0) return -end - 1;
      at = end;
      expect = isKey ? "colon" : afterValue();
      continue;
    }
    if ((c === "{" || c === "[") && isValue) {
      stack.push(c);
      expect = c === "{" ? "key_or_end" : "value_or_end";
    } else if (c === "}" || c === "]") {
      const canEnd = expect === "comma_or_end" || expect === (c === "}" ? "key_or_end" : "value_or_end");
      if (!canEnd || stack.pop() !== (c === "}" ? "{" : "[")) return at;
      expect = afterValue();
    } else if (c === ":" && expect === "colon") expect = "value";
    else if (c === "," && expect === "comma_or_end") expect = stack.at(-1) === "{" ? "key" : "value";
    else {
      SCALAR.lastIndex = at;
      if (!isValue || !SCALAR.test(text)) return at;
      at = SCALAR.lastIndex;
      expect = afterValue();
      continue;
    }
    at += 1;
  }
  return expect === "nothing" ? -1 : text.length;
}

/** Index at which the nesting gets deeper than `max`, or -1. Texts that are not JSON give any of the two. */
function tooDeepAt(text: string, max: number): number {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const c = text.charCodeAt(at);
    if (c === 0x22) {
      // A string: on to the quote that ends it.
      for (at += 1; at < text.length && text.charCodeAt(at) !== 0x22; at += 1)
        if (text.charCodeAt(at) === 0x5c) at += 1;
    } else if (c === 0x5b || c === 0x7b) {
      depth += 1;
      if (depth > max) return at;
    } else if (c === 0x5d || c === 0x7d) depth -= 1;
  }
  return -1;
}

function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  const lastBreak = before.lastIndexOf("\n");
  return { line: before.split("\n").length, column: at - lastBreak };
}

/** Parses JSON. A leading byte order mark is skipped. Never throws; never recurses into the input. */
export function parseJson(source: string, maxDepth: number = MAX_JSON_DEPTH): ParsedJson {
  const text = source.startsWith("\ufeff") ? source.slice(1) : source;
  if (text.trim() === "") return { ok: false, reason: "it is empty", line: 1 };
  const deep = tooDeepAt(text, maxDepth);
  if (deep !== -1)
    return { ok: false, reason: `nested deeper than ${maxDepth} levels`, line: placeOf(text, deep).line };
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value };
  } catch {
    const fault = firstFault(text);
    const { line, column } = placeOf(text, fault === -1 ? 0 : fault);
    const reason =
      fault === text.length ? "it ends too early" : `unexpected character in line ${line}, column ${column}`;
    return { ok: false, reason, line };
  }
}
