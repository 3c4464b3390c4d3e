// How problems are told (P41): one line `handoff: <code>: <what> (<path>:<line>)`, then an indented hint; or rows for --json.
import path from "node:path";
import type { Diagnostic, DiagnosticSource } from "../model/diagnostic.js";
import { EXIT, HandoffError, type ExitCode } from "../model/errors.js";
import type { HandoffPacket } from "../model/packet.js";
import { cleanLine } from "../text/clean.js";
import { cutText } from "../text/cut.js";
import { jsonText } from "../text/json-text.js";
import { describeDiagnostic, hintFor } from "../text/diagnostic-text.js";
import type { Terminal } from "./terminal.js";

/** Longest message shown, in bytes. */
const MAX_SHOWN = 2000;

/** How a CI's runner knows a command in a job's output: `##[…]` and `##vso[…]` anywhere, `::…` where a line begins (A16). */
const CI_COMMAND = /##(?=\[|vso\[)|^\s*:(?=:)/gu;

/** A text that no CI's runner takes for a command. */
export function defuse(text: string): string {
  return text.replace(CI_COMMAND, "$& ");
}

/** The same of a JSON text, which stays the same JSON. Lines of it begin with no colon. */
function defuseJson(json: string): string {
  return json.replaceAll(/##(?=\[|vso\[)/gu, String.raw`#\u0023`);
}

/** A text from outside on one line, without control or escape sequences or a CI's commands, of bounded length. */
export function shown(text: string): string {
  return cutText(defuse(cleanLine(text)), MAX_SHOWN);
}

/** The same of a text that has not passed the gate (S13) yet: first that, since a secret that is cut is not known as one. */
function gated({ redactor }: Pick<Terminal, "redactor">, text: string): string {
  return shown(redactor.redactText(text).text);
}

/** A path as the person at `cwd` would type it. */
export function shownPath(file: string, cwd: string): string {
  if (!path.isAbsolute(file)) return shown(file);
  const way = path.relative(cwd, file);
  return shown(way === "" || way.startsWith("..") ? file : way);
}

/** One diagnostic as `--json` gives it. */
export interface DiagnosticRow {
  readonly code: string;
  readonly severity: string;
  readonly what: string;
  readonly hint: string;
  readonly source: DiagnosticSource | null;
}

/** A failure as `--json` gives it. */
interface FailureRow {
  readonly code: string;
  readonly what: string;
  readonly hint: string | null;
  readonly path: string | null;
  readonly line: number | null;
}

/** A result as `--json` gives it, without what every one of them has anyway. */
interface Result {
  readonly ok: boolean;
  /** The packet the command is about, and its handoff.json, absolute. */
  readonly packet?: HandoffPacket | null;
  readonly path?: string | null;
  readonly error?: FailureRow | null;
  /** Default: everything the command learned about its input. */
  readonly diagnostics?: readonly DiagnosticRow[];
}

/** Diagnostics as `--json` gives them, through the gate. */
export function diagnosticRows(
  { redactor }: Pick<Terminal, "redactor">,
  diagnostics: readonly Diagnostic[],
): DiagnosticRow[] {
  const rows = diagnostics.map((diagnostic) => ({
    code: diagnostic.code,
    severity: diagnostic.severity,
    what: gated({ redactor }, describeDiagnostic(diagnostic)),
    hint: hintFor(diagnostic.code),
    source:
      diagnostic.source === null
        ? null
        : { ...diagnostic.source, path: gated({ redactor }, diagnostic.source.path) },
  }));
  return redactor.redactStrings(rows).value;
}

/** Names of fields that can only hold what we made ourselves. */
const OURS = new Set(["sha", "sha256", "packet_id"]);

/** Rows of the index passed the gate when they were published, and there may be ten thousand of them (S11). */
const INDEX_ROWS = "packets";

/**
 * Prints the result of `--json` (P41), through the gate: `ok`, `packet`, `path`, `error` and `diagnostics` always, null
 * where there is nothing; in between what only this command says.
 * @param meant own fields that are what was asked for, whatever they look like: they are told as they stand
 */
export function printJson(
  terminal: Terminal,
  result: Result,
  own: Readonly<Record<string, unknown>> = {},
  meant: readonly string[] = [],
): void {
  const { ok, packet = null, path: file = null, error = null } = result;
  const diagnostics = result.diagnostics ?? diagnosticRows(terminal, terminal.diagnostics);
  const { value } = terminal.redactor.redactStrings(
    { ok, packet, path: file, ...own, error, diagnostics },
    {
      skip: (way) => {
        const [name = ""] = way;
        return (
          OURS.has(way.at(-1) ?? "") || (way.length === 1 && (name === INDEX_ROWS || meant.includes(name)))
        );
      },
    },
  );
  terminal.content(`${defuseJson(jsonText(value))}\n`);
}

interface Problem {
  readonly code: string;
  readonly what: string;
  readonly hint: string | null;
  readonly place: { readonly path: string; readonly line?: number | undefined } | null;
  readonly color: "red" | "yellow" | "dim";
}

function printProblem(terminal: Terminal, problem: Problem): void {
  const { cwd, err, errorColors, redactor } = terminal;
  const { code, what, hint, place, color } = problem;
  const line = place?.line === undefined ? "" : `:${place.line}`;
  const where = place === null ? "" : ` (${shownPath(redactor.redactText(place.path).text, cwd)}${line})`;
  err(`handoff: ${errorColors[color](shown(code))}: ${gated(terminal, what)}${where}\n`);
  if (hint !== null && hint !== "") err(`  ${errorColors.dim(gated(terminal, hint))}\n`);
}

/** Something worth telling that is neither a diagnostic nor a failure. */
export function printNote(terminal: Terminal, code: string, what: string, hint: string | null): void {
  printProblem(terminal, { code, what, hint, place: null, color: "yellow" });
}

/** An ending that is no thrown failure, and is told like one. */
export function printFailure(
  terminal: Terminal,
  failure: { readonly code: string; readonly what: string; readonly hint: string },
): void {
  printProblem(terminal, { ...failure, place: null, color: "red" });
}

/** One of several faults; the last is told as the failure itself. */
export function printFault(
  terminal: Terminal,
  code: string,
  what: string,
  place: { readonly path: string; readonly line?: number },
): void {
  printProblem(terminal, { code, what, hint: null, place, color: "red" });
}

const SEVERITY_COLOR = { error: "red", warn: "yellow", info: "dim" } as const;

/** So many diagnostics of one code and file are told one by one, the others are counted. */
const MAX_ALIKE = 3;

/**
 * Prints diagnostics to stderr; `info` only when `verbose`. `more` says where those are that are only counted; null: none
 * is only counted.
 */
export function printDiagnostics(
  terminal: Terminal,
  diagnostics: readonly Diagnostic[],
  verbose: boolean,
  more: string | null = verbose ? null : "see --verbose or the packet's gaps",
): void {
  const told = diagnostics.filter(({ severity }) => severity !== "info" || verbose);
  const kindOf = ({ code, source }: Diagnostic): string => JSON.stringify([code, source?.path]);
  const counts = new Map<string, number>();
  for (const diagnostic of told) {
    const kind = kindOf(diagnostic);
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (more !== null && count > MAX_ALIKE) {
      if (count > MAX_ALIKE + 1) continue;
      const left = told.filter((other) => kindOf(other) === kind).length - MAX_ALIKE;
      printProblem(terminal, {
        code: diagnostic.code,
        what: `${left} more like this`,
        hint: more,
        place: diagnostic.source === null ? null : { path: diagnostic.source.path },
        color: SEVERITY_COLOR[diagnostic.severity],
      });
      continue;
    }
    printProblem(terminal, {
      code: diagnostic.code,
      what: describeDiagnostic(diagnostic),
      hint: hintFor(diagnostic.code),
      place: diagnostic.source,
      color: SEVERITY_COLOR[diagnostic.severity],
    });
  }
}

/** Prints diagnostics as {@link printDiagnostics} does, and keeps them for `--json`. */
export function tellDiagnostics(
  terminal: Terminal,
  diagnostics: readonly Diagnostic[],
  verbose: boolean,
): void {
  terminal.diagnostics.push(...diagnostics);
  printDiagnostics(terminal, diagnostics, verbose);
}

const BUG_HINT =
  "this is a fault of handoff, not of your input: please report it with the output of HANDOFF_DEBUG=1";

/**
 * Tells a failure and returns its exit code. Anything not thrown on purpose is a bug of ours (70). With `json` the
 * failure is also the result on stdout. A stack trace only with HANDOFF_DEBUG set.
 */
export function reportFailure(terminal: Terminal, error: unknown, json: boolean): ExitCode {
  const known = error instanceof HandoffError;
  const problem: Problem = known
    ? { code: error.code, what: error.message, hint: error.hint, place: error.place, color: "red" }
    : {
        code: "bug",
        what: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
        hint: BUG_HINT,
        place: null,
        color: "red",
      };
  if (json) {
    const { code, what, hint, place } = problem;
    const failure: FailureRow = {
      code,
      what: gated(terminal, what),
      hint: hint === null ? null : gated(terminal, hint),
      path: place === null ? null : gated(terminal, place.path),
      line: place?.line ?? null,
    };
    printJson(terminal, { ok: false, error: failure });
  }
  printProblem(terminal, problem);
  const debug = terminal.env["HANDOFF_DEBUG"] ?? "";
  if (debug !== "" && debug !== "0" && error instanceof Error)
    for (let e: unknown = error; e instanceof Error; e = e.cause)
      for (const line of (e.stack ?? e.message).split("\n")) terminal.err(`  ${gated(terminal, line)}\n`);
  return known ? error.exitCode : EXIT.bug;
}
