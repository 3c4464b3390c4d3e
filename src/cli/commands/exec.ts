// handoff exec: runs a command, passes everything through, and records it (A11). Most calls never come here: see
// exec/exec-line.ts.
import { UsageError, type ExitCode } from "../../model/errors.js";
import { idOption, integerOption, restOf, textOption, type Arguments } from "../arguments.js";
import { MAX_TIMEOUT_SECONDS } from "../exec/exec-line.js";
import { runExec } from "../exec/run-exec.js";
import { refuseSecretId } from "../refuse-secret-id.js";
import type { Terminal } from "../terminal.js";

/** Runs it; the process then ends as the command ended. Throws UsageError for what is not understood. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const session = idOption(args, "session");
  refuseSecretId("session", session, terminal);
  const timeoutSeconds = integerOption(args, "timeout", 1, MAX_TIMEOUT_SECONDS);
  const command = restOf(args);
  if (command.length === 0)
    throw new UsageError(
      "usage.arguments",
      "a command is missing",
      "handoff exec -- CMD …: what stands behind -- is run",
    );
  return runExec({
    cwd: terminal.cwd,
    env: terminal.env,
    root: textOption(args, "root"),
    session,
    note: textOption(args, "note"),
    timeoutSeconds,
    command,
  });
}
