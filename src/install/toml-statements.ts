// Where every statement of a TOML text stands, so that it can be changed by splicing: what is not touched keeps its bytes (A1).
// The text is valid TOML: whoever calls has had it parsed. Pure.
import { parse } from "smol-toml";

/** A header (`[a.b]`, `[[a.b]]`) or a pair (`a.b = 1`). */
export interface TomlStatement {
  readonly kind: "header" | "pair";
  /** Names from the root on, those of the header above included. */
  readonly path: readonly string[];
  /** How many of them the statement itself says. */
  readonly own: number;
  /** Its whole lines: `text.slice(start, end)`, line end and a comment behind it included. */
  readonly start: number;
  readonly end: number;
  /** Of a pair: where its value stands. */
  readonly value: { readonly start: number; readonly end: number } | null;
}

/** The names of a key as it is spelled. */
function namesOf(key: string): string[] {
  const names: string[] = [];
  for (let at: unknown = parse(`${key} = 0`); typeof at === "object" && at !== null;) {
    const [first]: [string, unknown][] = Object.entries(at);
    if (first === undefined) break;
    names.push(first[0]);
    [, at] = first;
  }
  return names;
}

const KEY =
  /[ \t]*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'=.\]]+)(?:[ \t]*\.[ \t]*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'=.\]]+))*/y;
const GAP = /(?:[ \t\r\n\ufeff]|#[^\n]*)*/y;
const LINE_REST = /[^\n]*\n?/y;
/** What a value is made of, longest first. */
const TOKEN =
  /"""(?:[^"\\]|\\[^]|"{1,2}(?!"))*"{3,5}|'''(?:[^']|'{1,2}(?!'))*'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]{}\n]|[^"'#[\]{}\n]+/y;

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

/** Index behind the value that begins at `from`. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let end = from;
  for (let at = from; at < text.length;) {
    const token = match(TOKEN, text, at);
    if (token === "" || (depth === 0 && (token === "\n" || token.startsWith("#")))) break;
    if (token === "[" || token === "{") depth += 1;
    if (token === "]" || token === "}") depth -= 1;
    at += token.length;
    if (token.trim() !== "") end = at - (token.length - token.trimEnd().length);
  }
  return end;
}

/** All statements, in order. */
export function readTomlStatements(text: string): readonly TomlStatement[] {
  const statements: TomlStatement[] = [];
  let table: readonly string[] = [];
  for (let at = match(GAP, text, 0).length; at < text.length;) {
    const start = text.lastIndexOf("\n", at - 1) + 1;
    const first = start === 0 && text.startsWith("\ufeff") ? 1 : start;
    const brackets = match(/\[{0,2}/y, text, at);
    const key = match(KEY, text, at + brackets.length);
    if (key === "") break;
    const names = namesOf(key);
    const behind = at + brackets.length + key.length;
    const equals = text.indexOf("=", behind) + 1;
    const valueStart = equals + match(/[ \t]*/y, text, equals).length;
    const value = brackets === "" ? { start: valueStart, end: endOfValue(text, valueStart) } : null;
    const until = value?.end ?? text.indexOf("]", behind) + brackets.length;
    const end = until + match(LINE_REST, text, until).length;
    if (value === null) table = names;
    const path = value === null ? names : [...table, ...names];
    statements.push({
      kind: value === null ? "header" : "pair",
      path,
      own: names.length,
      start: first,
      end,
      value,
    });
    at = end + match(GAP, text, end).length;
  }
  return statements;
}
