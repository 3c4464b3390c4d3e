// The helpers every template has, ours and a project's own. Each is safe on its own: none can put raw text from the
// packet outside a code span, a fence or escaped prose. Listed in README.md here.
import type { HelperDelegate, HelperOptions } from "handlebars";
import { cutText } from "../text/cut.js";
import { cleanLine, cleanText } from "../text/clean.js";
import { codeFence, codeSpan, inlineProse, tableCode } from "./escape-markdown.js";
import { SafeText, rawText, safeView } from "./safe-view.js";

type Hash = Readonly<Record<string, unknown>>;
type Code = (text: string) => string;

const hashOf = (options: HelperOptions): Hash => options.hash as Hash;
const numberOf = (value: unknown, otherwise: number): number =>
  typeof value === "number" ? value : otherwise;

function isPlain(value: unknown): boolean {
  return value instanceof SafeText && SafeText.modeOf(value) === "plain";
}

/** The value cut to the `max` bytes that the helper was given; in the same print mode. */
function cutValue(value: unknown, options: HelperOptions): unknown {
  const { max } = hashOf(options);
  if (typeof max !== "number") return value;
  const cut = cutText(cleanText(rawText(value)), max);
  return value instanceof SafeText ? new SafeText(cut, SafeText.modeOf(value)) : cut;
}

/** Prints a text as code: in a fence as it is, in a table with its pipes escaped. */
function asCode(value: unknown, inTable: boolean): string {
  const text = rawText(value);
  if (isPlain(value)) return cleanLine(text);
  const code: Code = inTable ? tableCode : codeSpan;
  return code(text);
}

/** `path:12` for a line of a log, `path#/pointer` for a place in a JSON file. */
function placeOf(source: unknown): SafeText | null {
  if (typeof source !== "object" || source === null) return null;
  const { path, line, pointer } = source as { path?: unknown; line?: unknown; pointer?: unknown };
  if (!(path instanceof SafeText)) return null;
  const at = typeof line === "number" ? `:${line}` : rawText(pointer) === "" ? "" : `#${rawText(pointer)}`;
  return new SafeText(rawText(path) + at, SafeText.modeOf(path));
}

const exitWords = (code: unknown): string => (typeof code === "number" ? `exit ${code}` : "no exit status");

/** Name -> helper. */
export const TEMPLATE_HELPERS: Readonly<Record<string, HelperDelegate>> = {
  /** {{asCode x max=80}}: a code span, cut to that many bytes. */
  asCode: (value: unknown, options: HelperOptions) => asCode(cutValue(value, options), false),
  /** {{asCell x}}: code for a table cell. */
  asCell: (value: unknown) => asCode(value, true),
  /** {{asProse x max=200}}: escaped prose, cut to that many bytes. */
  asProse: (value: unknown, options: HelperOptions) => {
    const cut = rawText(cutValue(value, options));
    return isPlain(value) ? cleanLine(cut) : inlineProse(cut);
  },
  /** {{asFence x info="text" indent=2 max=2000}}: a fenced block. Its first line is not indented: the template's is. */
  asFence: (value: unknown, options: HelperOptions) => {
    const { info, indent } = hashOf(options);
    const text = rawText(cutValue(value, options));
    const words = typeof info === "string" && /^[\w-]*$/u.test(info) ? { info } : {};
    return codeFence(text, { ...words, indent: numberOf(indent, 0) }).trimStart();
  },
  /** {{asLines x prefix="  | " max=700}}: every line of a text behind a prefix; only inside {{#data}}, elsewhere one line of prose. */
  asLines: (value: unknown, options: HelperOptions) => {
    if (!isPlain(value)) return inlineProse(rawText(value));
    const { prefix } = hashOf(options);
    const start = typeof prefix === "string" ? prefix : "";
    const text = cleanText(rawText(cutValue(value, options))).replace(/\n+$/u, "");
    return text
      .split("\n")
      .map((line) => start + line)
      .join("\n");
  },
  /** {{#data}}…{{/data}}: the body in a fence that nothing in it can close; texts inside print plain, one line each (S17). */
  data(this: unknown, options: HelperOptions) {
    const body = options.fn(safeView(this, "plain"));
    return `${codeFence(body, { info: "text" })}\n`;
  },
  /** {{place source cell=true}} */
  place: (source: unknown, options: HelperOptions) =>
    asCode(placeOf(source), hashOf(options)["cell"] === true),
  /** {{short head_commit}}: the first 12 characters, as code. */
  short: (value: unknown) => {
    const short = rawText(value).slice(0, 12);
    return isPlain(value) ? cleanLine(short) : codeSpan(short);
  },
  /** {{when generated_at}}: to the minute, in UTC; a dash for null. */
  when: (value: unknown) => {
    const time = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/u.exec(rawText(value));
    return time === null ? "–" : `${time[1]} ${time[2]} UTC`;
  },
  /** {{exit exit_code}}: `exit 2`, or `no exit status` for null. */
  exit: exitWords,
  /** {{times count}}: once, twice, 3 times. */
  times: (count: unknown) => (count === 1 ? "once" : count === 2 ? "twice" : `${rawText(count)} times`),
  /** {{plural n "file" "files"}}: `1 file`, `2 files`. */
  plural: (n: unknown, one: unknown, many: unknown) => `${rawText(n)} ${rawText(n === 1 ? one : many)}`,
  /** {{#if (eq change "added")}} */
  eq: (a: unknown, b: unknown) => rawText(a) === rawText(b),
  /** {{#if (isNumber total)}}: true for 0 too. */
  isNumber: (value: unknown) => typeof value === "number",
  /** {{#if (any a b c)}}: true when one of them is neither null, empty nor an empty list. */
  any: (...values: unknown[]) =>
    values.slice(0, -1).some((value) => (Array.isArray(value) ? value.length > 0 : Boolean(value))),
};
