// The secrets this process was given: values of environment variables whose name says secret, passwords in any URL there.
import { findUrls } from "./find-urls.js";
import { strengthOfName } from "./secret-names.js";
import { isStandIn } from "./secret-values.js";

/** Shortest value that is looked for (S14); a shorter one stands in too much that is no secret. */
export const SHORTEST_VALUE = 8;
const URL_OR_PATH = /^[a-z][a-z0-9+.-]*:\/\/|^[A-Za-z]:\\|^(?:~|\.{1,2})?\/[\w.@~-]+(?:\/[\w.@~-]*)*$/iu;
/** A key in base64 may begin with a slash: a part of it is long and has all kinds of characters. */
const MADE_PART = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{20,}$/u;
/** A single short word (`production`) or a small number is a setting. */
const SETTING = /^(?:\p{Ll}{1,11}|\p{Lu}\p{Ll}{1,10}|\d{1,9})$/u;

function isPlace(value: string): boolean {
  return (
    URL_OR_PATH.test(value) &&
    (value.includes("://") || !value.split("/").some((part) => MADE_PART.test(part)))
  );
}

/** Values to look for, each with its percent-encoded and base64 spelling where they differ, longest first. */
export function secretsOfEnvironment(env: Readonly<Record<string, string | undefined>>): string[] {
  const values = new Set<string>();
  for (const [name, raw] of Object.entries(env)) {
    const value = raw?.trim() ?? "";
    if (value.length < SHORTEST_VALUE) continue;
    for (const { start, end } of findUrls(value)) values.add(value.slice(start, end));
    if (strengthOfName(name) === null || isStandIn(value) || isPlace(value) || SETTING.test(value)) continue;
    values.add(value);
  }
  const spellings = [...values].flatMap((value) =>
    value.length < SHORTEST_VALUE
      ? []
      : [value, percentEncoded(value), Buffer.from(value, "utf8").toString("base64").replace(/=+$/u, "")],
  );
  return [...new Set(spellings)].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

function percentEncoded(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}
