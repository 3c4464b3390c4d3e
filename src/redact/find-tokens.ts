// Secrets that show by their own shape: the rows of the token table, and JSON web tokens.
import { CREDENTIAL, type Span } from "./spans.js";
import { mayHoldToken } from "./token-starts.js";
import { tokenTable } from "./token-table.js";

const JWT = "jwt";
/** The table ready to search with: made when a text is met that may hold a token. */
let rows:
  | readonly { readonly kind: string; readonly hint: string | null; readonly pattern: RegExp }[]
  | null = null;
function tokenRows(): NonNullable<typeof rows> {
  rows ??= tokenTable().map(({ kind, pattern, hint }) => ({
    kind,
    hint: hint ?? null,
    pattern: new RegExp(pattern.source, "g"),
  }));
  return rows;
}
/** The secret half of a pair of AWS keys, which has no shape of its own, right behind the half that has (CSV, `id:secret`). */
const AWS_PAIR = /(?<=AKIA[A-Z0-9]{16}["']?[\s,:;|/]{1,3}["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;
const RUN = /[A-Za-z0-9_-]*/y;

/** Every kind a token can be marked with. */
export function tokenKinds(): readonly string[] {
  return [...tokenTable().map(({ kind }) => kind), JWT];
}

/** Every token of a known shape in `text`. */
export function findTokens(text: string): Span[] {
  if (!mayHoldToken(text)) return [];
  const spans: Span[] = [];
  for (const { kind, hint, pattern } of tokenRows()) {
    if (hint !== null && !text.includes(hint)) continue;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text))
      spans.push({ start: match.index, end: match.index + match[0].length, kind });
  }
  if (text.includes("AKIA"))
    for (const match of text.matchAll(AWS_PAIR))
      spans.push({ start: match.index, end: match.index + match[0].length, kind: CREDENTIAL });
  return [...spans, ...findJwts(text)];
}

function runEnd(text: string, at: number): number {
  RUN.lastIndex = at;
  RUN.test(text);
  return RUN.lastIndex;
}

/**
 * JSON web tokens (RFC 7519, RFC 7516): base64url parts with dots, the first a JSON object (`{"` is `eyJ`). A header alone
 * says nothing. By hand, because a pattern would read a long run again from every `eyJ` inside it.
 */
function findJwts(text: string): Span[] {
  const spans: Span[] = [];
  /** The end of the run that was read last: further beginnings inside it end there too. */
  let known = 0;
  for (let at = text.indexOf("eyJ"); at !== -1; at = text.indexOf("eyJ", at + 3)) {
    if (at >= known) known = runEnd(text, at);
    if (known - at < 10 || text.charAt(known) !== ".") continue;
    let end = runEnd(text, known + 1);
    const second = end - known - 1;
    const claims = text.startsWith("eyJ", known + 1);
    // An encrypted one may leave its second part empty, then the third is not.
    const direct = second === 0 && text.charAt(end) === "." && runEnd(text, end + 1) - end > 8;
    if (second < 8 && !direct) continue;
    let parts = 2;
    for (; parts < 5 && text.charAt(end) === "."; parts += 1) {
      const next = runEnd(text, end + 1);
      // The full stop of a sentence.
      if (next === end + 1 && !(parts === 2 && text.charAt(next) === ".")) break;
      end = next;
    }
    if (!claims && parts < 3) continue;
    spans.push({ start: at, end, kind: JWT });
    known = end;
    at = end - 3;
  }
  return spans;
}
