// Time stamps as tools write them: epoch numbers and ISO 8601 strings. Never the local time zone: a stamp without a
// zone is UTC, so that the same file gives the same time everywhere.

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/iu;
/** The last millisecond of the year 9999: what ISO 8601 with four digits can say. */
const LAST = 253_402_300_799_999;

function inRange(ms: number): number | null {
  const whole = Math.round(ms);
  return whole >= 0 && whole <= LAST ? whole : null;
}

function parseIso(text: string): number | null {
  const parts = ISO.exec(text);
  if (parts === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((p) => Number(p ?? 0));
  const leap = second === 60 ? 59 : second;
  const ms = Number(`0.${parts[7] ?? "0"}`) * 1000;
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, leap));
  // Date.UTC lets the 31st of February roll over; such a stamp is wrong, not in March.
  const real =
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    leap < 60;
  if (!real) return null;
  const zone = /^([+-])(\d{2}):?(\d{2})?$/u.exec(parts[8] ?? "");
  const offset =
    zone === null ? 0 : (Number(zone[2]) * 60 + Number(zone[3] ?? 0)) * (zone[1] === "-" ? -1 : 1);
  return inRange(date.getTime() + Math.floor(ms) - offset * 60_000);
}

/**
 * Milliseconds since the epoch, or null for anything that is not a time. Numbers (also as strings) are epoch seconds,
 * above 1e11 milliseconds; strings are ISO 8601, `T` or a space between date and time, without a zone UTC.
 */
export function parseTime(value: unknown): number | null {
  if (typeof value === "number")
    return Number.isFinite(value) ? inRange(value > 1e11 ? value : value * 1000) : null;
  if (typeof value !== "string") return null;
  const text = value.trim();
  return /^\d{1,16}(?:\.\d+)?$/u.test(text) ? parseTime(Number(text)) : parseIso(text);
}
