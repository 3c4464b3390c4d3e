// How long to wait before the next try (R22): as long as the server asks, else longer each time, with jitter so that many
// runs do not come back at once. Pure: clock and randomness are handed in.

/** First pause, and the longest one of our own, in milliseconds. */
const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** The longest pause a server may ask for: a day. */
const LONGEST_ASKED_MS = 86_400_000;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** RFC 9110's fixed form of a date, the only one servers may send. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/u;

function bounded(ms: number): number {
  return Math.min(Math.max(Math.round(ms), 0), LONGEST_ASKED_MS);
}

/**
 * Milliseconds a `Retry-After` header asks for: seconds (fractions too) or an HTTP date, counted from `now` (milliseconds
 * since the epoch). 0 for a date that has passed; at most a day; null for anything else.
 */
export function parseRetryAfter(value: string, now: number): number | null {
  const text = value.trim();
  if (/^\d{1,9}(?:\.\d{1,9})?$/u.test(text)) return bounded(Number(text) * 1_000);
  if (!HTTP_DATE.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : bounded(at - now);
}

/** `try again in 9m38.016s`, `Please retry in 34.07s`, `retry after 26 seconds`, `"retry-after": "30"`. */
const ASKED =
  /\b(?:again|retry|wait)\b["']?[\s:-]{0,3}["']?(?:in |after |for )?["']?[\s:=]{0,2}["']?(?<span>\d[\d.]{0,12} ?(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h)(?![a-z])(?:,? ?\d[\d.]{0,12} ?(?:seconds?|secs?|s|minutes?|mins?|m)(?![a-z])){0,2})|\bretry[-_ ]after["']?\s?[:=]?\s?["']?(?<seconds>\d{1,9}(?:\.\d{1,9})?)/iu;
const PART =
  /(?<count>\d{1,9}(?:\.\d{1,9})?) ?(?<unit>milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h)?/giu;

function spanMs(span: string): number | null {
  let ms = 0;
  for (const { groups = {} } of span.matchAll(PART)) {
    const unit = (groups["unit"] ?? "s").toLowerCase();
    const key = unit.startsWith("mil") || unit === "ms" ? "ms" : unit.charAt(0);
    ms += Number(groups["count"]) * (UNIT_MS[key] ?? 1_000);
  }
  return Number.isFinite(ms) && ms > 0 ? bounded(ms) : null;
}

/**
 * Milliseconds an error's own text asks to wait, or null: agents hand on a provider's message, but not its headers.
 * At most a day.
 */
export function askedDelay(text: string): number | null {
  const { span, seconds } = ASKED.exec(text)?.groups ?? {};
  if (seconds !== undefined) return bounded(Number(seconds) * 1_000);
  return span === undefined ? null : spanMs(span);
}

/** What a pause is for. */
interface FailedTry {
  /** How many tries in a row have failed, this one included: 1 and up. */
  readonly attempt: number;
  /** A `Retry-After` header, when one is known. */
  readonly retryAfter?: string | null | undefined;
  /** The failure's text. */
  readonly text?: string | null | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** From 0 up to, not including, 1. */
  readonly random: number;
}

/** A pause, and who asked for it. */
export interface RetryDelay {
  readonly ms: number;
  readonly from: "server" | "backoff";
}

/**
 * The pause before the next try. What the server asks for is honoured, and never shortened; without that the pause doubles
 * from one second up to a minute, of which a random half may fall away.
 */
export function retryDelay(failed: FailedTry): RetryDelay {
  const header = parseRetryAfter(failed.retryAfter ?? "", failed.now);
  const asked = header ?? askedDelay(failed.text ?? "");
  if (asked !== null) return { ms: asked, from: "server" };
  const full = Math.min(FIRST_MS * 2 ** Math.max(Math.floor(failed.attempt) - 1, 0), LONGEST_MS);
  const random = Math.min(Math.max(failed.random, 0), 1);
  return { ms: Math.round(full / 2 + (full / 2) * random), from: "backoff" };
}
