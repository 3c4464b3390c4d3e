// What the system runs out of: open files, processes, memory. Such a refusal says nothing about what was asked for, so it is
// never taken for "not there" or "cannot be read": it ends the run (S5).
import { UsageError } from "../model/errors.js";

const TOO_MANY = {
  code: "system.too_many_files",
  what: "too many open files",
  hint: "close some programs or raise the limit (ulimit -n), then run it again",
};
const SHORT = {
  code: "system.short_of_resources",
  hint: "close some programs or raise the limits (ulimit -a), then run it again",
};
const SHORTAGES: Readonly<Record<string, { code: string; what: string; hint: string }>> = {
  EMFILE: TOO_MANY,
  ENFILE: TOO_MANY,
  ENOMEM: { ...SHORT, what: "not enough memory" },
  ENOBUFS: { ...SHORT, what: "not enough memory" },
  EAGAIN: { ...SHORT, what: "no further process may be started" },
};

/** The error (exit 2) for a system code that says the system ran out of something; null for any other code. */
export function shortageOf(code: string, path: string | null = null): UsageError | null {
  const short = SHORTAGES[code];
  if (short === undefined) return null;
  return new UsageError(
    short.code,
    `the system refused: ${short.what} (${code}); nothing was published`,
    short.hint,
    path === null ? null : { path },
  );
}

/** What a child's own words tell of the same, in the C locale. */
export function shortageInWords(words: string): UsageError | null {
  if (words === "") return null;
  if (/Too many open files/u.test(words)) return shortageOf("EMFILE");
  if (/Cannot allocate memory/u.test(words)) return shortageOf("ENOMEM");
  return /(?:cannot|unable to|failed to|can't) (?:fork|create .*thread).*Resource temporarily/iu.test(words)
    ? shortageOf("EAGAIN")
    : null;
}

/** A failed system call that tells of a shortage as such an error; everything else comes back as it is. */
export function asShortage(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return error;
  const path = "path" in error && typeof error.path === "string" ? error.path : null;
  return shortageOf(String(error.code), path) ?? error;
}

/** Throws it, if it is one: for places that take every other failure for an answer. */
export function throwShortage(error: unknown): void {
  const short = asShortage(error);
  if (short !== error) throw short;
}
