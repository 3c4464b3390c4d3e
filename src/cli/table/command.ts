// What a command of the command line is, and the options that several of them have.
import type { Options } from "yargs";
import type { ExitCode } from "../../model/errors.js";
import type { Arguments } from "../arguments.js";
import type { Terminal } from "../terminal.js";

/** What a command does with checked options; throws HandoffError for everything it cannot do. */
type RunCommand = (args: Arguments, terminal: Terminal) => Promise<ExitCode>;

/** One command of the command line. */
export interface Command {
  readonly name: string;
  /** Positional arguments, in yargs' notation. */
  readonly positionals: string;
  readonly describe: string;
  readonly options: Readonly<Record<string, Options>>;
  readonly examples: readonly (readonly [string, string])[];
  /** It takes the words behind `--` as they are. */
  readonly takesRest?: true;
  /** Options whose value may start with a dash, and the flag that a lone `-` stands for. */
  readonly dashes?: { readonly exact: readonly string[]; readonly alone: string };
  readonly load: () => Promise<{ readonly run: RunCommand }>;
}

export const text = (describe: string, placeholder: string): Options => ({
  type: "string",
  requiresArg: true,
  describe: `${describe} [${placeholder}]`,
});
export const flag = (describe: string): Options => ({ type: "boolean", describe });

export const PLACE = {
  root: text("the workbench; default: the nearest folder upwards that is one", "DIR"),
  config: text("configuration file; default: handoff.config.json in the root", "FILE"),
  out: text("where packets live; default: outputs/handoff", "DIR"),
} as const;
export const SUBJECT = {
  session: text("session id; default: the state's, else one made from the branch", "ID"),
  task: text("task id; default: the active task", "ID"),
  topic: text("packets of one branch and topic belong together; default: main", "ID"),
} as const;
export const VERBOSE = { verbose: flag("show what is merely worth knowing too") } as const;
export const JSON_RESULT = {
  json: flag("print the result as JSON: ok, packet, path, error, diagnostics, and more"),
} as const;
