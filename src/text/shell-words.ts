// Commands as people and shells read them (P3): argv shell-quoted for display, and one grouping key for every
// spelling of the same plain command. Never a Python or JavaScript repr.

const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/u;
const NEEDS_ANSI_QUOTES = /[\u0000-\u001f\u007f-\u009f]/u;

/** One argv word as a POSIX shell would need it; controls (newlines too) as `$'…'` so that a command stays on one line. */
export function quoteWord(word: string): string {
  if (PLAIN_WORD.test(word)) return word;
  if (!NEEDS_ANSI_QUOTES.test(word)) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const named: Record<string, string> = { "\n": String.raw`\n`, "\t": String.raw`\t`, "\r": String.raw`\r` };
  const body = word.replace(/[\\'\u0000-\u001f\u007f-\u009f]/gu, (c) => {
    if (c === "\\" || c === "'") return `\\${c}`;
    return named[c] ?? `\\x${(c.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`;
  });
  return `$'${body}'`;
}

/** A whole argv, shell-quoted. */
export function quoteArgv(argv: readonly string[]): string {
  return argv.map(quoteWord).join(" ");
}

/**
 * Splits a command line into words when it is plain words and quotes only; null when it uses anything a shell would
 * act on (operators, expansions, globs, comments, `~`, assignments in front) or has an open quote: then two spellings
 * need not mean the same and the text itself is the key.
 */
export function splitPlainWords(line: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let i = 0;
  while (i < line.length) {
    const c = line.charAt(i);
    if (c === " " || c === "\t") {
      if (word !== null) words.push(word);
      word = null;
      i += 1;
    } else if (c === "'") {
      const end = line.indexOf("'", i + 1);
      if (end === -1) return null;
      word = (word ?? "") + line.slice(i + 1, end);
      i = end + 1;
    } else if (c === '"') {
      let text = "";
      i += 1;
      for (;;) {
        if (i >= line.length) return null;
        const d = line.charAt(i);
        if (d === '"') break;
        if (d === "$" || d === "`" || d === "!" || d === "\n") return null;
        if (d === "\\" && '"\\'.includes(line.charAt(i + 1)) && i + 1 < line.length) i += 1;
        text += line.charAt(i);
        i += 1;
      }
      word = (word ?? "") + text;
      i += 1;
    } else if (PLAIN_WORD.test(c)) {
      word = (word ?? "") + c;
      i += 1;
    } else return null;
  }
  if (word !== null) words.push(word);
  const first = words[0];
  return first === undefined || /^[A-Za-z_]\w*=/u.test(first) ? null : words;
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
