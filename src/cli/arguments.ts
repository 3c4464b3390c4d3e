// Values of options, checked: what yargs parsed is unknown until it has been looked at here. A bad value is exit 2.
import { UsageError } from "../model/errors.js";
import { checkIdOption } from "../workbench/choose-ids.js";

/** Parsed options by name, as yargs gives them. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Where the command that is run says what it takes. */
function seeHelp({ _: words }: Arguments): string {
  const command: unknown = Array.isArray(words) ? words[0] : undefined;
  return typeof command === "string" ? `see handoff ${command} --help` : "see handoff --help";
}

function bad(args: Arguments, name: string, value: string, expected: string): UsageError {
  return new UsageError(
    "usage.value",
    `--${name} ${JSON.stringify(value)}: expected ${expected}`,
    seeHelp(args),
  );
}

/** An option's text, or null when it was not given. An empty one is an error. */
export function textOption(args: Arguments, name: string): string | null {
  const value = args[name];
  if (value === undefined || value === null) return null;
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  if (text.trim() === "") throw bad(args, name, text, "a value");
  return text;
}

/** A flag; absent is false. */
export function flagOption(args: Arguments, name: string): boolean {
  const value = args[name];
  // Given twice it comes as a list.
  return value === true || (Array.isArray(value) && value.at(-1) === true);
}

/** A whole number within bounds, or null when it was not given. */
export function integerOption(args: Arguments, name: string, from: number, to: number): number | null {
  const text = textOption(args, name);
  if (text === null) return null;
  const value = /^\d+$/u.test(text) ? Number(text) : Number.NaN;
  if (!(value >= from && value <= to)) throw bad(args, name, text, `a whole number from ${from} to ${to}`);
  return value;
}

/** A session, task or topic id (P43), or null when it was not given. */
export function idOption(args: Arguments, name: "session" | "task" | "topic"): string | null {
  const text = textOption(args, name);
  return text === null ? null : checkIdOption(name, text);
}

/** An option that names a session by another word (`--by`), checked as an id; null when it was not given. */
export function checkedId(args: Arguments, name: string, kind: "session"): string | null {
  const text = textOption(args, name);
  return text === null ? null : checkIdOption(kind, text);
}

/** One of a few words, or null when it was not given. */
export function choiceOption<T extends string>(
  args: Arguments,
  name: string,
  choices: readonly T[],
): T | null {
  const text = textOption(args, name);
  const found = choices.find((choice) => choice === text);
  if (text !== null && found === undefined) throw bad(args, name, text, choices.join(" or "));
  return found ?? null;
}

/** Where the words behind `--` are found, as they were given. */
export const REST = "--";

/** The words behind `--`. */
export function restOf(args: Arguments): readonly string[] {
  const rest: unknown = args[REST];
  return Array.isArray(rest) ? rest.filter((word) => typeof word === "string") : [];
}
