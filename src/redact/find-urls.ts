// Passwords and tokens in URLs: `scheme://user:password@host`, `scheme://token@host`, shared access signatures.
import { isStandIn, looksMade } from "./secret-values.js";
import { CREDENTIAL, type Span } from "./spans.js";

const AUTHORITY = /[^\s"'`<>\\/?#]*/y;
/** A password that should have been percent-encoded holds `/`, `?` or `#`. */
const BEYOND = /[^\s"'`<>\\]{0,256}/y;
const SIGNATURE = /[?&]sig=([A-Za-z0-9%+/=_-]{20,})/g;

/** Every password in a URL of `text`. */
export function findUrls(text: string): Span[] {
  const spans: Span[] = [];
  for (let slashes = text.indexOf("://"); slashes !== -1; slashes = text.indexOf("://", slashes + 3)) {
    const span = userInfo(text, slashes + 3);
    if (span !== null) spans.push(span);
  }
  if (text.includes("sig="))
    for (const match of text.matchAll(SIGNATURE))
      spans.push({ start: match.index + 5, end: match.index + match[0].length, kind: CREDENTIAL });
  return spans;
}

function userInfo(text: string, at: number): Span | null {
  AUTHORITY.lastIndex = at;
  const authority = AUTHORITY.exec(text)?.[0] ?? "";
  const sign = authority.lastIndexOf("@");
  const colon = authority.indexOf(":");
  if (sign === -1) return colon === -1 ? null : beyondAuthority(text, at + colon + 1);
  if (colon !== -1 && colon < sign) {
    const password = authority.slice(colon + 1, sign);
    return isStandIn(password) ? null : { start: at + colon + 1, end: at + sign, kind: CREDENTIAL };
  }
  const user = authority.slice(0, sign);
  return user.length >= 16 && looksMade(user) && !isStandIn(user)
    ? { start: at, end: at + sign, kind: CREDENTIAL }
    : null;
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
