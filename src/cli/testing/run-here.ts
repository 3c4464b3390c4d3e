// For tests: runs a command line in this process, on a terminal that keeps what it is told. As main.ts does it, but without
// a build and a start each time; what depends on a real process is tested with the built command line (use-cli.ts).
import pc from "picocolors";
import { EXIT } from "../../model/errors.js";
import { createRedactor } from "../../redact/create-redactor.js";
import { parseCommandLine } from "../parse-command-line.js";
import { reportFailure } from "../report.js";
import type { Terminal } from "../terminal.js";
import { plainEnvironment, type CliRun, type CliStart } from "./built-cli.js";

/** Runs it to its end, in a pipe and without colours. */
export async function runHere(argv: readonly string[], { cwd, env = {} }: CliStart): Promise<CliRun> {
  const told = { stdout: "", stderr: "" };
  const out = (text: string): void => {
    told.stdout += text;
  };
  const environment = plainEnvironment(env);
  const terminal: Terminal = {
    cwd,
    env: environment,
    redactor: createRedactor({ env: environment }),
    colors: pc.createColors(false),
    errorColors: pc.createColors(false),
    out: (text) => out(terminal.redactor.redactText(text).text),
    content: out,
    err: (text) => {
      told.stderr += terminal.redactor.redactText(text).text;
    },
    isInteractive: false,
    columns: 80,
    outColumns: null,
    diagnostics: [],
  };
  const run = async (): Promise<number> => {
    try {
      const line = await parseCommandLine(argv, "0.0.0", 80);
      if (line === null) return EXIT.ok;
      const command = await line.command.load();
      return await command.run(line.args, terminal);
    } catch (error) {
      return reportFailure(terminal, error, argv.includes("--json"));
    }
  };
  return { code: await run(), ...told };
}
