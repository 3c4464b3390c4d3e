// When a record started (P3): epoch seconds, epoch milliseconds or an ISO stamp, as milliseconds since the epoch.
// The time zone and locale of this machine never matter: a stamp without a zone is UTC (P34).

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:(Z)|([+-])(\d\d):?(\d\d)?)?)?$/iu;
/** Numbers above this are milliseconds: as seconds it would be the year 5138. */
const SECONDS_LIMIT = 1e11;
/** The last instant a JavaScript date can hold. */
const LAST_MS = 8.64e15;

function readIso(text: string): number | null {
  const match = ISO.exec(text);
  if (match === null) return null;
  const part = (index: number): number => Number(match[index] ?? 0);
  const [year, month, day] = [part(1), part(2), part(3)];
  const [hour, minute, second] = [part(4), part(5), part(6)];
  if (year < 1970 || hour > 23 || minute > 59 || second > 59 || part(10) > 23 || part(11) > 59) return null;
  const midnight = new Date(Date.UTC(year, month - 1, day));
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return null;
  const fraction = Number((match[7] ?? "").slice(0, 3).padEnd(3, "0"));
  const offset = (match[9] === "-" ? -1 : 1) * (part(10) * 60 + part(11));
  const at = midnight.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + fraction;
  return at < 0 ? null : at;
}

/**
 * Milliseconds since the epoch (an integer), or null for anything that is not a time. Numbers are epoch seconds, rounded
 * to the millisecond, or epoch milliseconds when above 1e11; of an ISO stamp's fraction the first three digits count.
 */
export function readRecordTime(value: unknown): number | null {
  if (typeof value === "string") return readIso(value.trim());
  if (typeof value !== "number" || !(value > 0)) return null;
  const at = Math.round(value > SECONDS_LIMIT ? value : value * 1000);
  return at <= LAST_MS ? at : null;
}
