// Puts text from outside into GitHub-flavoured Markdown so that it stays text (P38): it makes no heading, list, table
// cell, fence, HTML, link, mention, reference, emphasis or formula. What needs no escape gets none, so sentences stay plain.
import { cleanLine, cleanText, showControls } from "../text/clean.js";

/** Stands for a text with nothing visible in it, so that a row or a sentence keeps its shape. */
const NOTHING = "(empty)";

/**
 * Tokens a backslash does not stop: mentions and e-mail (`@`), issues (`#12`, `GH-12`), GitLab's `!12`, URLs, `www.`,
 * `:emoji:` and `$formula$`. They go into a code span. Both cases are written out, with the signs that fold to them: to make
 * such a pattern ready regardless of case takes longer than everything it is used for.
 */
const NEEDS_CODE =
  /[@$]|#[\p{L}\p{N}_\u0345]|(?<![\w\u017f\u212a])[Gg][Hh](?:[Ss\u017f][Aa])?-|!\d|:\/\/|[Ww]{3}\.|:[A-Za-z0-9_+\-\u017f\u212a]+:/u;
/** Half an emoji at the end of the text: a template may well go on with a colon. */
const OPEN_EMOJI = /:[A-Za-z0-9_+\-\u017f\u212a]+$/u;
/** A path or name whose underscores would need escapes (`__init__.py`) reads better as code. */
const NAME_WITH_UNDERSCORES = /^[\w./:()-]+$/u;
/** Backtick code as people write it, alone between spaces and punctuation: kept as code. */
const WRITTEN_CODE = /(?<lead>[("'{]*)`(?<code>[^`]+)`(?<trail>[.,;:!?)}"']*)(?=\s|$)/uy;
const WORD = /\S+/uy;
/** Punctuation around a token that stays outside its code span. */
const WRAPPED = /^(?<lead>[("'{]*)(?<core>.*?)(?<trail>[.,;:!?)}"']{0,8})$/u;

/**
 * Prose on one line. Safe anywhere in a paragraph, heading, list item or table cell, also at the start of a line.
 * Tokens that a backslash does not defuse become code spans; `(empty)` when nothing visible is left.
 */
export function inlineProse(text: string): string {
  const line = cleanLine(text);
  if (line === "") return NOTHING;
  const out: string[] = [];
  let at = 0;
  while (at < line.length) {
    const code = matchAt(WRITTEN_CODE, line, at)?.groups;
    if (code !== undefined) {
      const { lead = "", code: inner = "", trail = "" } = code;
      out.push(lead + proseCode(inner) + trail);
      at += lead.length + inner.length + trail.length + 2;
    } else {
      const token = matchAt(WORD, line, at)?.[0] ?? "";
      out.push(proseToken(token, at === 0, at + token.length === line.length, line));
      at += token.length;
    }
    at += 1;
  }
  return out.join(" ");
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/**
 * A word as most are, which nothing below would change: no sign inside that means something, a letter in front where it
 * begins the line.
 */
const PLAIN_WORD = /^(?![Ww]{3}\.)[A-Za-z0-9(][A-Za-z0-9,;()'"?/%=+]*[.,;:)]?$/;
const STARTS_PLAIN = /^[A-Za-z(]/;

function proseToken(token: string, first: boolean, last: boolean, line: string): string {
  if (PLAIN_WORD.test(token) && (!first || STARTS_PLAIN.test(token))) return token;
  if (NEEDS_CODE.test(token) || (last && OPEN_EMOJI.test(token))) {
    const { lead = "", core = "", trail = "" } = WRAPPED.exec(token)?.groups ?? {};
    return NEEDS_CODE.test(core) || trail === "" ? lead + proseCode(core) + trail : proseCode(token);
  }
  const escaped = escapeToken(token, first, last);
  if (escaped !== token && token.includes("_") && NAME_WITH_UNDERSCORES.test(token)) return proseCode(token);
  return first ? escapeLineStart(escaped, line) : escaped;
}

/** Characters that may need a backslash. */
const MARKS = /[`[\]|\\*~_<>&]/;

/** Backslashes where the character could mean something next to its neighbours. A boundary of the line counts as anything. */
function escapeToken(token: string, first: boolean, last: boolean): string {
  if (/^#+$/u.test(token)) return `\\${token}`;
  if (!MARKS.test(token)) return token;
  let out = "";
  for (let i = 0; i < token.length; i += 1) {
    const c = token.charAt(i);
    out += needsBackslash(c, token, i, first, last) ? `\\${c}` : c;
  }
  return out;
}

function needsBackslash(c: string, token: string, i: number, first: boolean, last: boolean): boolean {
  const next = token.charAt(i + 1);
  switch (c) {
    case "`":
    case "[":
    case "]":
    case "|":
      return true;
    case "\\":
      // A backslash only means something before ASCII punctuation, or where the line ends.
      return next === "" ? last : /[!-/:-@[-`{-~]/u.test(next);
    case "*":
    case "~":
      // Between two spaces it can neither open nor close.
      return token.length > 1 || first || last;
    case "_":
      return !isInsideWord(token, i);
    case "<":
      return next === "" ? last : /[A-Za-z/!?]/u.test(next);
    case ">":
      return (first && i === 0) || token.slice(0, i).endsWith("--");
    case "&":
      return /^&#?\w{1,32};/u.test(token.slice(i, i + 36));
    default:
      return false;
  }
}

/** True for an underscore run with a letter or digit of any script on both sides: it cannot mark emphasis. */
function isInsideWord(token: string, i: number): boolean {
  // Lookarounds of fixed length keep this linear: a longer run of underscores is simply escaped.
  return (
    /[\p{L}\p{N}]_{0,2}$/u.test(token.slice(Math.max(0, i - 4), i)) &&
    /^_{0,2}[\p{L}\p{N}]/u.test(token.slice(i + 1, i + 5))
  );
}

/** What only means something in front of a line: bullets, numbers, rules, setext underlines, table delimiters, front matter. */
function escapeLineStart(token: string, line: string): string {
  if (token.startsWith("\\")) return token;
  if (/^[-+](?:\s|$)/u.test(line) || /^(?:[-:|\s]+|=+|\+{3,})$/u.test(line)) return `\\${token}`;
  return token.replace(/^(\d{1,9})([.)])$/u, String.raw`$1\$2`);
}

/** Code inside prose, which may stand in a table or not: pipes stand between code spans, with a backslash. */
function proseCode(text: string): string {
  return joinedByPipes(text.split("|"), codeSpan);
}

function joinedByPipes(pieces: readonly string[], code: (piece: string) => string): string {
  if (pieces.length === 1) return code(pieces[0] ?? "");
  return pieces.map((piece) => (piece.trim() === "" ? piece : code(piece))).join(String.raw`\|`);
}

/** A code span on one line: exact, controls shown as escapes, with backticks enough. Not for table cells: see {@link tableCode}. */
export function codeSpan(text: string): string {
  const shown = showControls(text);
  if (shown.trim() === "") return shown === "" ? NOTHING : `(${shown.length} spaces)`;
  const ticks = "`".repeat(longestRun(shown, "`") + 1);
  const pad = /^`|`$|^ .* $/u.test(shown) ? " " : "";
  return `${ticks}${pad}${shown}${pad}${ticks}`;
}

/**
 * A code span for a table cell. A pipe is written `\|`, which tables turn back into a pipe inside code too. A backslash
 * right before a pipe would be read differently by different parsers, so such a pipe stands between two code spans.
 */
export function tableCode(text: string): string {
  return joinedByPipes(showControls(text).split(/(?<=\\)\|/u), (piece) =>
    codeSpan(piece).replaceAll("|", String.raw`\|`),
  );
}

/**
 * A fenced block that its text cannot close. `indent` puts it inside a list item (columns). The text keeps its lines;
 * ends without a newline.
 */
export function codeFence(text: string, options: { info?: string; indent?: number } = {}): string {
  const body = cleanText(text).replace(/\n+$/u, "");
  const ticks = "`".repeat(Math.max(3, longestRun(body, "`") + 1));
  const lines = [`${ticks}${options.info ?? ""}`, ...(body === "" ? [] : body.split("\n")), ticks];
  const indent = " ".repeat(options.indent ?? 0);
  return lines.map((line) => (line === "" ? "" : indent + line)).join("\n");
}

/** The longest run of one character. */
function longestRun(text: string, character: string): number {
  let longest = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at)) {
    let end = at + 1;
    while (text.charAt(end) === character) end += 1;
    longest = Math.max(longest, end - at);
    at = end;
  }
  return longest;
}
