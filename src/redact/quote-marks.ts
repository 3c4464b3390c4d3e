// How a quote is written inside other quoting (`'\''`, `'"'"'`, `\"`, `\'` and these inside each other), so that a value
// quoted several levels deep is read as the innermost shell reads it.

/** Levels of quoting around a quote that are known: argv in argv in argv, as JSON. */
const MAX_LEVELS = 4;
/** Longest spelling that is looked for, in UTF-16 units. */
const MAX_MARK = 64;
const backslashed = (text: string, quote: RegExp): string => text.replace(quote, String.raw`\$&`);
/** One level each: single quotes in two manners, double quotes (and JSON), `$'…'`. */
const LEVELS: readonly ((text: string) => string)[] = [
  (text) => text.replaceAll("'", String.raw`'\''`),
  (text) => text.replaceAll("'", `'"'"'`),
  (text) => backslashed(text, /[\\"]/gu),
  (text) => backslashed(text, /[\\']/gu),
];

function spellings(): ReadonlySet<string> {
  const all = new Set<string>();
  let last = ["'", '"'];
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const next = last.flatMap((text) => LEVELS.map((quote) => quote(text)));
    last = [...new Set(next)].filter((text) => text.length <= MAX_MARK && !all.has(text));
    for (const text of last) if ((text.match(/["']/gu)?.length ?? 0) > 1) all.add(text);
  }
  return all;
}

/** Made when the first run of quotes is met: few texts have one, and there are thousands. */
let nested: ReadonlySet<string> | null = null;
const RUN = /["'\\]{3,64}/y;

/** The longest spelling of one quote out of several (`'\''`) that begins at `at`; null where a plain or escaped one stands. */
export function nestedQuoteAt(text: string, at: number): string | null {
  RUN.lastIndex = at;
  const run = RUN.exec(text)?.[0] ?? "";
  if (run === "") return null;
  nested ??= spellings();
  for (let length = run.length; length > 2; length -= 1) {
    const mark = run.slice(0, length);
    if (nested.has(mark)) return mark;
  }
  return null;
}
