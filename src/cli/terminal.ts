// The two streams a command talks to: results on stdout, everything about them on stderr. Colours only where a person
// looks (NO_COLOR, FORCE_COLOR honoured); what came from outside is cleaned before it reaches a terminal.
import pc from "picocolors";
import type { Diagnostic } from "../model/diagnostic.js";
import { createRedactor, type Redactor } from "../redact/create-redactor.js";
import { cleanText } from "../text/clean.js";

type Colors = ReturnType<typeof pc.createColors>;

/** What colours depend on. */
interface Stream {
  readonly isTTY?: boolean;
}

/** True when a stream gets colours: NO_COLOR says no, FORCE_COLOR yes (`0` and `false` no), else a terminal that is not dumb. */
export function wantsColors(env: Readonly<Record<string, string | undefined>>, stream: Stream): boolean {
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  const force = env["FORCE_COLOR"];
  if (force !== undefined) return force !== "0" && force.toLowerCase() !== "false";
  return stream.isTTY === true && env["TERM"] !== "dumb";
}

/** A command's way to the outside. */
export interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For stdout and stderr. */
  readonly colors: Colors;
  readonly errorColors: Colors;
  /** Our own words on stdout: what came from outside in them is cleaned already, colours are not. */
  readonly out: (text: string) => void;
  /** A file's or result's bytes on stdout: exact when piped; on a terminal without what could command it. */
  readonly content: (text: string) => void;
  readonly err: (text: string) => void;
  /** stderr is a terminal: a progress bar may be drawn. */
  readonly isInteractive: boolean;
  /** Width of stderr, in characters. */
  readonly columns: number;
  /** Width of stdout where a person reads it; null in a pipe or file. */
  readonly outColumns: number | null;
  /** The gate (S13): knows the secrets of the environment, and the project's own patterns once its configuration is read. */
  redactor: Redactor;
  /** What the running command learned about its input so far; `--json` reports it for failures too. */
  readonly diagnostics: Diagnostic[];
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const { env, stdout, stderr } = process;
  const terminal: Terminal = {
    cwd: process.cwd(),
    env,
    colors: pc.createColors(wantsColors(env, stdout)),
    errorColors: pc.createColors(wantsColors(env, stderr)),
    out: (text) => void stdout.write(terminal.redactor.redactText(text).text),
    content: (text) => void stdout.write(stdout.isTTY ? cleanText(text) : text),
    err: (text) => void stderr.write(terminal.redactor.redactText(text).text),
    isInteractive: stderr.isTTY && env["TERM"] !== "dumb",
    columns: stderr.columns || 80,
    outColumns: stdout.isTTY ? stdout.columns || 80 : null,
    redactor: createRedactor({ env }),
    diagnostics: [],
  };
  return terminal;
}
