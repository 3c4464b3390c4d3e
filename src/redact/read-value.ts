// Reads the value that begins at a place of a text: a quoted string, a shell word, or a bare value up to where a
// sentence, a list, a query or a line goes on. Every reader is bounded by the value itself.
import { nestedQuoteAt } from "./quote-marks.js";

/** The value without its quotes, and where to go on behind it. */
export interface ReadValue {
  readonly start: number;
  readonly end: number;
  readonly after: number;
  readonly quoted: boolean;
}

const QUOTE = /(\\{0,8})(["'`])/y;
/** Where a bare value ends wherever it stands. */
const BARE_END = /[\s"'`<>]|\\["'nrt]/gu;
/** Quoting inside a word: the value goes on behind it. */
const WORD_GOES_ON = /['"](?=\w)|'\\''(?=\w)|'"'"'(?=\w)/y;
/** Behind a nested quote: further quoting, then the word goes on. */
const NESTED_WORD_GOES_ON = /(?:["'\\]{0,62}["'](?:\\(?![nrt]))?)?(?=\w)/y;
/** `$'…'`, also inside double quotes. */
const DOLLAR_QUOTE = /\\{0,8}\$(?=\\{0,8}["'])/y;
/** At one of these a bare value ends when a further pair, or nothing of the word, follows. */
const SEPARATOR = /[&;,](?=\s|$|["'`<>\\)\]}]|[\w.\-[\] ]{1,64}[=:])/g;
const GLUED_PUNCTUATION = ".,;:!?…|\\";
const CLOSING: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
/** How far a bare value is looked at for separators; a longer one is taken whole. */
const MAX_BARE = 2048;

/** The value at `at`; null at the end of the text. `close`: a quote that is already open around the name, or null. */
export function readValue(text: string, at: number, close: string | null): ReadValue {
  DOLLAR_QUOTE.lastIndex = at;
  if (DOLLAR_QUOTE.test(text)) return readQuoted(text, DOLLAR_QUOTE.lastIndex);
  QUOTE.lastIndex = at;
  const quote = QUOTE.exec(text);
  if (quote !== null) return readQuoted(text, at);
  return close === null ? readBare(text, at) : readUntil(text, at, close);
}

/** A string in quotes on one line; with `n` backslashes before its quote (JSON inside JSON) it ends at a quote with as many. */
function readQuoted(text: string, at: number): ReadValue {
  const nested = nestedQuoteAt(text, at);
  if (nested !== null) return readNested(text, at, nested);
  QUOTE.lastIndex = at;
  const open = QUOTE.exec(text);
  const quote = `${open?.[1] ?? ""}${open?.[2] ?? '"'}`;
  const start = at + quote.length;
  const newline = text.indexOf("\n", start);
  const line = newline === -1 ? text.length : newline;
  for (let from = start; ;) {
    const found = text.indexOf(quote, from);
    // Cut off: the value goes to the end of its line.
    if (found === -1 || found >= line) return { start, end: line, after: line, quoted: true };
    let slashes = 0;
    while (found - slashes > start && text.charAt(found - slashes - 1) === "\\") slashes += 1;
    const escaped = quote.length > 1 ? slashes > 0 : slashes % 2 === 1 && quote !== "'";
    if (escaped) {
      from = found + quote.length;
      continue;
    }
    // 'it'\''s', 'a'"b" and "a"b are one shell word each.
    WORD_GOES_ON.lastIndex = found + 1;
    if (quote === "'" && /^'\\''\w/u.test(text.slice(found, found + 5))) from = found + 4;
    else if (quote.length === 1 && (WORD_GOES_ON.test(text) || /\w/u.test(text.charAt(found + 1)))) {
      const rest = /\w/u.test(text.charAt(found + 1))
        ? readBare(text, found + 1)
        : readQuoted(text, found + 1);
      return { start, end: rest.end, after: rest.after, quoted: true };
    } else return { start, end: found, after: found + quote.length, quoted: true };
  }
}

/** A string in quotes that are themselves quoted: a quote spelled `'\\''` is closed by one spelled the same. */
function readNested(text: string, at: number, quote: string): ReadValue {
  const start = at + quote.length;
  const newline = text.indexOf("\n", start);
  const line = newline === -1 ? text.length : newline;
  const found = text.indexOf(quote, start);
  // Cut off: the value goes to the end of its line.
  if (found === -1 || found >= line) return { start, end: line, after: line, quoted: true };
  const after = found + quote.length;
  NESTED_WORD_GOES_ON.lastIndex = after;
  if (found === start || !NESTED_WORD_GOES_ON.test(text)) return { start, end: found, after, quoted: true };
  const rest = readBare(text, NESTED_WORD_GOES_ON.lastIndex);
  return { start, end: rest.end, after: rest.after, quoted: true };
}

/** Up to the quote that was opened before the name: `'--password=hunter 2'`. */
function readUntil(text: string, at: number, close: string): ReadValue {
  const ahead = text.slice(at, at + MAX_BARE);
  const newline = ahead.indexOf("\n");
  const line = newline === -1 ? ahead : ahead.slice(0, newline);
  const found = line.indexOf(close);
  // The closing quote may be escaped as the opening one is.
  const value = found === -1 ? line : line.slice(0, found).replace(/(?<!\\)\\{1,64}$/u, "");
  const end = at + value.length;
  return { start: at, end, after: end, quoted: false };
}

function readBare(text: string, at: number): ReadValue {
  let end = at;
  for (BARE_END.lastIndex = at; ;) {
    const stop = BARE_END.exec(text);
    end = stop === null ? text.length : stop.index;
    WORD_GOES_ON.lastIndex = end;
    const joint = stop === null || end === at ? null : WORD_GOES_ON.exec(text);
    if (joint === null) break;
    BARE_END.lastIndex = end + joint[0].length;
  }
  if (end - at <= MAX_BARE) end = at + trimmedLength(text.slice(at, end));
  return { start: at, end, after: end, quoted: false };
}

/** Cuts a bare value where the next pair begins, and takes punctuation and closing brackets of the sentence off its end. */
function trimmedLength(whole: string): number {
  SEPARATOR.lastIndex = 1;
  const value = whole.slice(0, SEPARATOR.exec(whole)?.index ?? whole.length);
  let length = value.length;
  for (; length > 0; length -= 1) {
    const last = value.charAt(length - 1);
    const open = CLOSING[last];
    const sentence = open === undefined ? GLUED_PUNCTUATION.includes(last) : !value.includes(open);
    if (!sentence) break;
  }
  return length;
}
