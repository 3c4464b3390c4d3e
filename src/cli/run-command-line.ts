// The command line's outermost shell: the only place that catches everything and sets the exit code (P41).
import { asShortage } from "../io/system-shortage.js";
import { EXIT, UsageError, type ExitCode } from "../model/errors.js";
import { ownVersion } from "./own-version.js";
import { reportFailure } from "./report.js";
import { processTerminal, type Terminal } from "./terminal.js";

async function runLine(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  // yargs asks for the current folder as soon as it is loaded.
  const { parseCommandLine } = await import("./parse-command-line.js");
  const line = await parseCommandLine(argv, ownVersion(), process.stdout.columns ?? 80);
  if (line === null) return EXIT.ok;
  const { run } = await line.command.load();
  return run(line.args, terminal);
}

/** Runs a command line and says with which exit code the process ends. Never throws. */
export async function runCommandLine(argv: readonly string[]): Promise<ExitCode> {
  try {
    process.cwd();
  } catch {
    process.stderr.write(
      "handoff: usage.cwd: the current folder does not exist any more\n  change into another folder\n",
    );
    return EXIT.usage;
  }
  if (argv[0] === "exec") {
    // Before anything touches our streams: they are the command's.
    const { runExecLine } = await import("./exec/run-exec.js");
    await runExecLine(argv);
  }
  const terminal = processTerminal();
  const json = (argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv).includes("--json");
  const outputFailed = (error: NodeJS.ErrnoException): void => {
    // The reader went away (`| head`): nothing is wrong and nobody listens.
    if (error.code === "EPIPE") process.exit(process.exitCode ?? EXIT.ok);
    const reason = new UsageError(
      "output.failed",
      `the output cannot be written: ${error.code ?? error.message}`,
      "look at where it is redirected to",
    );
    process.exit(reportFailure(terminal, reason, false));
  };
  process.stdout.on("error", outputFailed);
  process.stderr.on("error", () => process.exit(process.exitCode ?? EXIT.usage));
  const lateFailure = (error: unknown): void =>
    process.exit(reportFailure(terminal, asShortage(error), json));
  process.on("uncaughtException", lateFailure);
  process.on("unhandledRejection", lateFailure);
  try {
    return await runLine(argv, terminal);
  } catch (error) {
    return reportFailure(terminal, asShortage(error), json);
  }
}
