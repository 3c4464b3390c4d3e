// How problems are told (P41): one line `handoff: <code>: <what> (<path>:<line>)`, then an indented hint; or rows for --json.
import path from "node:path";
import type { Diagnostic, DiagnosticSource } from "../model/diagnostic.js";
import { EXIT, HandoffError, type ExitCode } from "../model/errors.js";
import { cleanLine } from "../text/clean.js";
import { cutText } from "../text/cut.js";
import { describeDiagnostic, hintFor } from "../text/diagnostic-text.js";
import type { Terminal } from "./terminal.js";

/** Longest message shown, in bytes. */
const MAX_SHOWN = 2000;

/** A text from outside on one line, without control or escape sequences, of bounded length. */
export function shown(text: string): string {
  return cutText(cleanLine(text), MAX_SHOWN);
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
  readonly hint: string | null;
  readonly source: DiagnosticSource | null;
}

/** Diagnostics as `--json` gives them, through the gate. */
export function diagnosticRows(
  { redactor }: Pick<Terminal, "redactor">,
  diagnostics: readonly Diagnostic[],
): DiagnosticRow[] {
  const rows = diagnostics.map((diagnostic) => ({
    code: diagnostic.code,
    severity: diagnostic.severity,
    what: shown(describeDiagnostic(diagnostic)),
    hint: hintFor(diagnostic.code),
    source: diagnostic.source === null ? null : { ...diagnostic.source, path: shown(diagnostic.source.path) },
  }));
  return redactor.redactStrings(rows).value;
}

interface Problem {
  readonly code: string;
  readonly what: string;
  readonly hint: string | null;
  readonly place: { readonly path: string; readonly line?: number | undefined } | null;
  readonly color: "red" | "yellow" | "dim";
}

function printProblem({ cwd, err, errorColors }: Terminal, problem: Problem): void {
  const { code, what, hint, place, color } = problem;
  const line = place?.line === undefined ? "" : `:${place.line}`;
  const where = place === null ? "" : ` (${shownPath(place.path, cwd)}${line})`;
  err(`handoff: ${errorColors[color](shown(code))}: ${shown(what)}${where}\n`);
  if (hint !== null && hint !== "") err(`  ${errorColors.dim(shown(hint))}\n`);
}

/** Something worth telling that is neither a diagnostic nor a failure. */
export function printNote(terminal: Terminal, code: string, what: string, hint: string | null): void {
  printProblem(terminal, { code, what, hint, place: null, color: "yellow" });
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

/** Prints diagnostics to stderr; `info` only when `verbose`. */
export function printDiagnostics(
  terminal: Terminal,
  diagnostics: readonly Diagnostic[],
  verbose: boolean,
): void {
  for (const diagnostic of diagnostics) {
    if (diagnostic.severity === "info" && !verbose) continue;
    printProblem(terminal, {
      code: diagnostic.code,
      what: describeDiagnostic(diagnostic),
      hint: hintFor(diagnostic.code),
      place: diagnostic.source,
      color: SEVERITY_COLOR[diagnostic.severity],
    });
  }
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
    const result = {
      ok: false,
      error: {
        code,
        what: terminal.redactor.redactText(shown(what)).text,
        hint: hint === null ? null : shown(hint),
        path: place === null ? null : shown(place.path),
        line: place?.line ?? null,
      },
      diagnostics: diagnosticRows(terminal, terminal.diagnostics),
    };
    terminal.content(`${JSON.stringify(result, null, 2)}\n`);
  }
  printProblem(terminal, problem);
  const debug = terminal.env["HANDOFF_DEBUG"] ?? "";
  if (debug !== "" && debug !== "0" && error instanceof Error)
    for (let e: unknown = error; e instanceof Error; e = e.cause)
      for (const line of (e.stack ?? e.message).split("\n")) terminal.err(`  ${shown(line)}\n`);
  return known ? error.exitCode : EXIT.bug;
}
