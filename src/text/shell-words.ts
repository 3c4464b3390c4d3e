// Commands as people and shells read them (P3): argv shell-quoted for display, and one grouping key for every
// spelling of the same plain command. Never a Python or JavaScript repr.

const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/u;
const NEEDS_ANSI_QUOTES = /[\u0000-\u001f\u007f-\u009f]/u;
/** What a shell reads as an assignment (`+=` in bash) or a job when it stands unquoted in front. */
const NOT_A_COMMAND = /^(?:[A-Za-z_]\w*\+?=|%)/u;
/** Words with a meaning of their own as the first of a command; `time` is left out, it runs what follows. */
const RESERVED = /^(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|in|function|select|coproc)$/u;

/** The bytes of a control character as bash reads them in `$'…'`, in any locale. */
function hexBytes(character: string): string {
  return [...Buffer.from(character, "utf8")].map((b) => `\\x${b.toString(16).padStart(2, "0")}`).join("");
}

/** One argv word as a POSIX shell would need it; controls (newlines too) as `$'…'` so that a command stays on one line. */
export function quoteWord(word: string): string {
  if (PLAIN_WORD.test(word)) return word;
  if (!NEEDS_ANSI_QUOTES.test(word)) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const named: Record<string, string> = { "\n": String.raw`\n`, "\t": String.raw`\t`, "\r": String.raw`\r` };
  const body = word.replace(/[\\'\u0000-\u001f\u007f-\u009f]/gu, (c) =>
    c === "\\" || c === "'" ? `\\${c}` : (named[c] ?? hexBytes(c)),
  );
  return `$'${body}'`;
}

/** A whole argv, shell-quoted. A first word that a shell would take for an assignment or a keyword is quoted too. */
export function quoteArgv(argv: readonly string[]): string {
  return argv
    .map((word, i) =>
      i === 0 && (NOT_A_COMMAND.test(word) || RESERVED.test(word)) ? forceQuotes(word) : quoteWord(word),
    )
    .join(" ");
}

function forceQuotes(word: string): string {
  return PLAIN_WORD.test(word) ? `'${word}'` : quoteWord(word);
}

/**
 * Splits a command line into words when it is plain words and quotes only; null when it uses anything a shell would
 * act on (operators, expansions, globs, comments, `~`, keywords or assignments in front) or has an open quote: then two
 * spellings need not mean the same and the text itself is the key.
 */
export function splitPlainWords(line: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  /** What the first word has before its first quoted part: keywords and assignments count only there. */
  let bare = "";
  let quoted = false;
  let i = 0;
  const append = (text: string): void => {
    word = (word ?? "") + text;
    if (words.length === 0) quoted = true;
  };
  while (i < line.length) {
    const c = line.charAt(i);
    if (c === " " || c === "\t") {
      if (word !== null) words.push(word);
      word = null;
      i += 1;
    } else if (c === "'") {
      const end = line.indexOf("'", i + 1);
      if (end === -1) return null;
      append(line.slice(i + 1, end));
      i = end + 1;
    } else if (c === '"') {
      const inner = readDoubleQuoted(line, i + 1);
      if (inner === null) return null;
      append(inner.text);
      i = inner.end;
    } else if (c === "\\") {
      const next = line.charAt(i + 1);
      if (next === "" || next === "\n") return null;
      append(next);
      i += 2;
    } else if (PLAIN_WORD.test(c) || isPlainForeign(c)) {
      word = (word ?? "") + c;
      if (words.length === 0 && !quoted) bare += c;
      i += 1;
    } else return null;
  }
  if (word !== null) words.push(word);
  if (words.length === 0 || NOT_A_COMMAND.test(bare) || (!quoted && RESERVED.test(bare))) return null;
  return words;
}

/** Letters and signs of other scripts mean nothing to a shell; spaces and invisible ones are left to it. */
function isPlainForeign(unit: string): boolean {
  return unit > "\u00a0" && !/[\s\p{Default_Ignorable_Code_Point}]/u.test(unit);
}

/** The text of a double-quoted part that starts at `start`; null when a shell would expand something in it or it never ends. */
function readDoubleQuoted(line: string, start: number): { text: string; end: number } | null {
  let text = "";
  for (let i = start; i < line.length; i += 1) {
    const c = line.charAt(i);
    if (c === '"') return { text, end: i + 1 };
    if (c === "$" || c === "`" || c === "!" || c === "\n") return null;
    const next = line.charAt(i + 1);
    if (c === "\\" && (next === '"' || next === "\\")) {
      text += next;
      i += 1;
    } else text += c;
  }
  return null;
}

/** How a command is shown: a string trimmed, an argv quoted. Not yet cleaned: see {@link file://./clean.ts}. */
export function commandText(command: string | readonly string[]): string {
  return typeof command === "string" ? command.trim() : quoteArgv(command);
}

/** The grouping key: equal for `"pytest -q"` and `["pytest","-q"]`. Bytes of a command that is not plain words stay as they are. */
export function commandKey(command: string | readonly string[]): string {
  if (typeof command !== "string") return quoteArgv(command);
  const trimmed = command.trim();
  const words = splitPlainWords(trimmed);
  return words === null ? trimmed : quoteArgv(words);
}
