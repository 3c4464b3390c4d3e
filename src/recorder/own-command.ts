// Command lines that do nothing but call handoff (A7): `handoff exec` records what it runs itself, and what an agent notes or looks
// up with us is not the work. Pure. What is not understood for certain is the work.

/** Our commands; a test holds them against the command line's own table. */
export const OWN_VERBS: ReadonlySet<string> = new Set(
  "generate show list log diff check brief edit archive pr-body note exec run now rollover init doctor mcp hook conformance completion help".split(
    " ",
  ),
);
/** Options that stand alone. */
const OWN_FLAGS: ReadonlySet<string> = new Set(["--help", "-h", "--version"]);
const OWN_NAME = /^handoff(?:\.(?:exe|cmd|ps1))?$/u;
const OWN_PACKAGE = /^handoff(?:-packet)?(?:@[\w.^~-]+)?$/u;
const OWN_ENTRY = /(?:^|[\\/])handoff-packet[\\/]dist[\\/]cli[\\/]main\.js$/u;
/** What only passes on what it reads: behind us it is how an agent looks at our output. */
const FILTERS: ReadonlySet<string> = new Set(
  "head tail cat less more grep egrep fgrep rg sed awk cut tr sort uniq wc jq column tee".split(" "),
);
/** A line of more is no mere call of ours. */
const MAX_LENGTH = 65_536;

/** A command of a line: its words, quotes gone, redirections left out; `joint` is what stands in front of it. */
interface Part {
  readonly joint: "" | ";" | "&&" | "||" | "|";
  readonly words: readonly string[];
}

const REDIRECTION = /^(?:\d*>>?\|?|&>>?|\d*<)(?:&\d+|\d*&-)?/u;
const JOINT = /^(?:&&|\|\||\||;|\n)/u;

/** A quoted stretch that begins at `at`; null when it does not end, or a shell would run something to fill it. */
function readQuoted(line: string, at: number): { readonly text: string; readonly end: number } | null {
  const quote = line.charAt(at);
  let text = "";
  for (let i = at + 1; i < line.length; i += 1) {
    const c = line.charAt(i);
    if (c === quote) return { text, end: i + 1 };
    if (quote === '"' && (c === "`" || (c === "$" && line.charAt(i + 1) === "("))) return null;
    if (quote === '"' && c === "\\") {
      i += 1;
      text += line.charAt(i);
    } else text += c;
  }
  return null;
}

/** The commands of a line; null for one with anything in it that this does not know: what it does is then nobody's guess. */
function readParts(line: string): readonly Part[] | null {
  const parts: Part[] = [];
  let joint: Part["joint"] = "";
  let words: string[] = [];
  let word: string | null = null;
  /** The next word is where a redirection leads. */
  let isTarget = false;
  const endWord = (): void => {
    if (word !== null && !isTarget) words.push(word);
    if (word !== null) isTarget = false;
    word = null;
  };
  for (let i = 0; i < line.length;) {
    const c = line.charAt(i);
    const rest = line.slice(i, i + 8);
    if (c === " " || c === "\t") {
      endWord();
      i += 1;
    } else if (c === "'" || c === '"') {
      const quoted = readQuoted(line, i);
      if (quoted === null) return null;
      word = (word ?? "") + quoted.text;
      i = quoted.end;
    } else if (c === "\\") {
      if (i + 1 === line.length) return null;
      if (line.charAt(i + 1) !== "\n") word = (word ?? "") + line.charAt(i + 1);
      i += 2;
    } else if (REDIRECTION.test(rest) && (word === null || !/^\d/u.test(rest))) {
      const [sign = ""] = REDIRECTION.exec(rest) ?? [];
      // A document or a process in a file's place.
      if (/^[<(]/u.test(line.slice(i + sign.length))) return null;
      endWord();
      isTarget = !/&(?:\d+|-)$/u.test(sign);
      i += sign.length;
    } else if (JOINT.test(rest)) {
      const [sign = ""] = JOINT.exec(rest) ?? [];
      endWord();
      if (isTarget) return null;
      if (words.length > 0) parts.push({ joint, words });
      else if (sign !== "\n") return null;
      words = [];
      joint = sign === "&&" || sign === "||" || sign === "|" ? sign : ";";
      i += sign.length;
    } else if (
      /[`()&{}]/u.test(c) ||
      (c === "$" && line.charAt(i + 1) === "(") ||
      (c === "#" && word === null)
    )
      return null;
    else {
      word = (word ?? "") + c;
      i += 1;
    }
  }
  endWord();
  if (isTarget) return null;
  if (words.length > 0) parts.push({ joint, words });
  else if (joint !== ";" && joint !== "") return null;
  return parts;
}

function nameOf(word: string): string {
  return word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1);
}

const isOption = (word: string): boolean => word.startsWith("-");

/** Without what may stand in front of a program: variables, `env`, `time`, `command`, `timeout 60`. */
function withoutPrefixes(words: readonly string[]): readonly string[] {
  const [first = "", ...rest] = words;
  if (/^[A-Za-z_]\w*=/u.test(first) || ["env", "time", "command"].includes(first))
    return withoutPrefixes(rest);
  if (first !== "timeout") return words;
  const limit = rest.findIndex((word) => /^[\d.]+[smhd]?$/u.test(word));
  return limit === -1 ? words : withoutPrefixes(rest.slice(limit + 1));
}

/** The words behind our name; null: another program is called. */
function ownArguments(words: readonly string[]): readonly string[] | null {
  const [program = "", ...rest] = withoutPrefixes(words);
  const name = nameOf(program);
  if (OWN_NAME.test(name)) return rest;
  const at = rest.findIndex((word) => !isOption(word));
  const next = rest[at];
  if (next === undefined) return null;
  if (name === "node" || name === "nodejs") return OWN_ENTRY.test(next) ? rest.slice(at + 1) : null;
  if (name === "npx" || name === "bunx" || name === "pnpx")
    return OWN_PACKAGE.test(next) ? rest.slice(at + 1) : null;
  if (name === "npm" || name === "pnpm" || name === "yarn" || name === "bun")
    return ["exec", "dlx", "x"].includes(next) ? ownArguments(["npx", ...rest.slice(at + 1)]) : null;
  return null;
}

/** Our command's name among the words behind ours; null: it is none of ours. */
function verbOf(own: readonly string[]): string | null {
  const end = own.indexOf("--");
  const words = end === -1 ? own : own.slice(0, end);
  const [first] = words;
  if (first === undefined) return null;
  if (OWN_VERBS.has(first)) return first;
  // A word in front of ours may be an option's value.
  const verb = isOption(first) ? words.find((word) => OWN_VERBS.has(word)) : undefined;
  return verb ?? (words.every((word) => OWN_FLAGS.has(word)) ? "help" : null);
}

interface OwnCall {
  readonly verb: string;
  readonly words: readonly string[];
}

/** The calls of ours that a command consists of; null: it does something else, too. */
function ownCalls(command: string | readonly string[]): readonly OwnCall[] | null {
  // Nearly every command ends here.
  if (typeof command === "string" && (!command.includes("handoff") || command.length > MAX_LENGTH))
    return null;
  const parts: readonly Part[] | null =
    typeof command === "string" ? readParts(command.trim()) : [{ joint: "", words: command }];
  if (parts === null || parts.length === 0) return null;
  const calls: OwnCall[] = [];
  let isOurs = false;
  for (const { joint, words } of parts) {
    if (joint === "|" && isOurs && FILTERS.has(nameOf(words[0] ?? ""))) continue;
    // Somewhere else, but still nothing but ours.
    if (joint === "" && parts.length > 1 && words[0] === "cd" && words.length <= 2) continue;
    const own = ownArguments(words);
    const verb = own === null ? null : verbOf(own);
    isOurs = verb !== null && joint !== "|";
    if (own === null || verb === null || !isOurs) return null;
    calls.push({ verb, words: own });
  }
  return calls.length === 0 ? null : calls;
}

/** True for a command that only calls us, whatever for: it is no record of its own. */
export function isOwnCommand(command: string | readonly string[]): boolean {
  return ownCalls(command) !== null;
}

/** What a command that is a single call of `handoff exec` runs; null for every other. */
export function execWords(command: string | readonly string[]): readonly string[] | null {
  const calls = ownCalls(command) ?? [];
  const [call] = calls;
  if (call === undefined || calls.length > 1 || call.verb !== "exec") return null;
  const at = call.words.indexOf("--");
  return at === -1 || at === call.words.length - 1 ? null : call.words.slice(at + 1);
}
