// Credentials in HTTP headers, as sent, as logged and as given to curl: Authorization, Bearer and Basic anywhere, cookies.
import { isStandIn, looksMade } from "./secret-values.js";
import { CREDENTIAL, type Span } from "./spans.js";

const AUTHORIZATION =
  /authorization(?:\\{0,8}["'`])?\]?\s{0,4}(?:=>|[:=,]|\s-)\s{0,4}(?:\\{0,8}["'`])?(?:(bearer|basic|token|negotiate|ntlm|api-?key|key|geniekey|bot|oauth|splunk|ssws|digest|hawk|signature|aws4-hmac-sha256|dpop|jwt|private-token)(?:[ \t+]{1,8}|%20|\s?:\s?))?/gi;
const CREDENTIALS = /[^\s"'`<>\\;,]+/y;
/** Schemes whose credentials are pairs: the whole rest of the header goes. */
const PAIRS = /(?:[A-Za-z_-]{1,40}=[^\r\n'`]*)/y;
const BEARER = /\bbearer(?:[ \t]{1,8}|%20)/gi;
const BASIC = /\bbasic(?:[ \t]{1,8}|%20)(?=[A-Za-z0-9+/]{8})/gi;
const BASE64 = /[A-Za-z0-9+/]{1,4000}={0,2}/y;
const COOKIE = /\bcookies?(?:\\{0,8}["'])?\s{0,4}[:=,\s]\s{0,4}(?:\\{0,8}["'])?/gi;
const COOKIE_PAIR = /[ \t]{0,4}([^=;\s"'\\]{1,128})=([^;\s"'\\<>]*);?/y;
const COOKIE_ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|priority|version)$/i;
const SCHEME_WORD =
  /^(?:bearer|basic|token|digest|negotiate|auth|authentication|authorization|scheme|header|headers)$/i;

function credentials(at: number, end: number): Span {
  return { start: at, end, kind: CREDENTIAL };
}

/** Where the run of `pattern` (sticky) that begins at `at` ends. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function trimmed(text: string, start: number, from: number): number {
  let end = from;
  while (end > start && ".:!?)]}".includes(text.charAt(end - 1))) end -= 1;
  return end;
}

function findAuthorization(text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(AUTHORIZATION)) {
    const at = match.index + match[0].length;
    const scheme = match[1]?.toLowerCase() ?? null;
    const pairs = endOf(PAIRS, text, at);
    if (scheme !== null && /^(?:digest|oauth|hawk|signature|aws4|dpop)/.test(scheme) && pairs > at) {
      spans.push(credentials(at, pairs));
      continue;
    }
    const end = trimmed(text, at, endOf(CREDENTIALS, text, at));
    const value = text.slice(at, end);
    if (value === "" || isStandIn(value) || SCHEME_WORD.test(value)) continue;
    if (scheme === null ? looksMade(value) : value.length >= 4) spans.push(credentials(at, end));
  }
  return spans;
}

function findBearer(text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(BEARER)) {
    const at = match.index + match[0].length;
    const end = trimmed(text, at, endOf(CREDENTIALS, text, at));
    const value = text.slice(at, end);
    if (!isStandIn(value) && (looksMade(value) || value.length >= 24)) spans.push(credentials(at, end));
  }
  return spans;
}

/** `Basic` and base64 of `user:password`. */
function findBasic(text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(BASIC)) {
    const at = match.index + match[0].length;
    const end = endOf(BASE64, text, at);
    const decoded = Buffer.from(text.slice(at, end), "base64").toString("latin1");
    if (/^[\u0020-\u007e\u00a0-\u00ff]*:[\u0020-\u007e\u00a0-\u00ff]*$/.test(decoded))
      spans.push(credentials(at, end));
  }
  return spans;
}

function findCookies(text: string): Span[] {
  const spans: Span[] = [];
  COOKIE.lastIndex = 0;
  for (let hit = COOKIE.exec(text); hit !== null; hit = COOKIE.exec(text)) {
    COOKIE_PAIR.lastIndex = COOKIE.lastIndex;
    for (let pair = COOKIE_PAIR.exec(text); pair !== null; pair = COOKIE_PAIR.exec(text)) {
      const [whole, name = "", value = ""] = pair;
      COOKIE.lastIndex = COOKIE_PAIR.lastIndex;
      const end = pair.index + whole.length - (whole.endsWith(";") ? 1 : 0);
      const secret =
        !COOKIE_ATTRIBUTE.test(name) && !isStandIn(value) && (looksMade(value) || value.length >= 24);
      if (secret) spans.push(credentials(end - value.length, end));
    }
  }
  return spans;
}

/** Part of everything that is looked for here: a quicker look that most texts end with. */
const MAY_BE_HEADER = /authorization|bearer|basic|cookie/i;

/** Every credential in a header of `text`. */
export function findHeaders(text: string): Span[] {
  if (!MAY_BE_HEADER.test(text)) return [];
  return [...findAuthorization(text), ...findBearer(text), ...findBasic(text), ...findCookies(text)];
}
