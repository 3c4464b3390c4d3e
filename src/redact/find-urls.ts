// Passwords and tokens in URLs: `scheme://user:password@host`, `scheme://token@host`, shared access signatures.
import { isStandIn, looksMade } from "./secret-values.js";
import { CREDENTIAL, type Span } from "./spans.js";

const AUTHORITY = /[^\s"'`<>\\/?#]*/y;
/** A password that should have been percent-encoded holds `/`, `?` or `#`. */
const BEYOND = /[^\s"'`<>\\]{0,256}/y;
const SIGNATURE = /[?&]sig=([A-Za-z0-9%+/=_-]{20,})/g;

/** What stands in the place of a password when the user is the token. */
const FILLER = /^(?:x-oauth-basic|x-access-token|x-token-auth|oauth2?)?$/i;
/** A token among user names: no words with signs between them. */
const TOKEN_USER = /^(?=.*\d)(?=.*[A-Za-z])\w{20,}$/;
/** A scheme before `:`; one letter is a drive. */
const SCHEME_BEFORE = /[A-Za-z][A-Za-z0-9+.-]+$/;
const KNOWN_SCHEME =
  /(?:https?|git|ssh|s?ftps?|postgres(?:ql)?|mysql|mariadb|mongodb|mongodb\+srv|rediss?|amqps?|wss?)$/i;
const MAX_SCHEME = 32;

/** Every password in a URL of `text`. */
export function findUrls(text: string): Span[] {
  const spans: Span[] = [];
  for (let colon = text.indexOf(":/"); colon !== -1; colon = text.indexOf(":/", colon + 2)) {
    if (text.charAt(colon + 2) === "/") spans.push(...userInfo(text, colon + 3));
    else spans.push(...oneSlash(text, colon));
  }
  if (text.includes("sig="))
    for (const match of text.matchAll(SIGNATURE))
      spans.push({ start: match.index + 5, end: match.index + match[0].length, kind: CREDENTIAL });
  return spans;
}

/** `https:/user:password@host`: a URL whose slashes were taken for those of a path. */
function oneSlash(text: string, colon: number): Span[] {
  const scheme = SCHEME_BEFORE.exec(text.slice(Math.max(0, colon - MAX_SCHEME), colon))?.[0] ?? "";
  if (scheme === "") return [];
  AUTHORITY.lastIndex = colon + 2;
  const authority = AUTHORITY.exec(text)?.[0] ?? "";
  const pair = /^[^:@]*:[^@]+@/.test(authority);
  return pair || KNOWN_SCHEME.test(scheme) ? userInfo(text, colon + 2) : [];
}

function userInfo(text: string, at: number): Span[] {
  AUTHORITY.lastIndex = at;
  const authority = AUTHORITY.exec(text)?.[0] ?? "";
  const sign = authority.lastIndexOf("@");
  const colon = authority.indexOf(":");
  if (sign === -1) {
    const beyond = colon === -1 ? null : beyondAuthority(text, at + colon + 1);
    return beyond === null ? [] : [beyond];
  }
  const paired = colon !== -1 && colon < sign;
  const user = authority.slice(0, paired ? colon : sign);
  const password = paired ? authority.slice(colon + 1, sign) : null;
  const spans: Span[] = [];
  const filler = password !== null && FILLER.test(password);
  if (!isStandIn(user) && isToken(user, password, filler))
    spans.push({ start: at, end: at + user.length, kind: CREDENTIAL });
  if (password !== null && !isStandIn(password) && !filler)
    spans.push({ start: at + colon + 1, end: at + sign, kind: CREDENTIAL });
  return spans;
}

function isToken(user: string, password: string | null, filler: boolean): boolean {
  if (password === null || password === "") return user.length >= 16 && looksMade(user);
  if (filler) return user.length >= 6 && !FILLER.test(user);
  return TOKEN_USER.test(user) && looksMade(user);
}

function beyondAuthority(text: string, at: number): Span | null {
  BEYOND.lastIndex = at;
  const rest = BEYOND.exec(text)?.[0] ?? "";
  const sign = rest.indexOf("@");
  const password = rest.slice(0, Math.max(sign, 0));
  // `host:8080/path@2` is a port and a path, `[::1]:80` an address.
  if (
    sign === -1 ||
    /^(?:\d{1,5}(?:[/?#]|$)|:)/.test(password) ||
    isStandIn(password) ||
    !looksMade(password)
  )
    return null;
  return { start: at, end: at + sign, kind: CREDENTIAL };
}
