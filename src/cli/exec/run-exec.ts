// handoff exec from beginning to end: runs the command, records it, and ends as it ended (A11). Our own streams stay untouched
// by anything but the command's bytes, unless there is something of ours to tell.
import { constants } from "node:os";
import { HandoffError } from "../../model/errors.js";
import { asShortage } from "../../io/system-shortage.js";
import { readExecLine } from "./exec-line.js";
import { type ExecRequest, findRecordPlace, recordCommand } from "./record-command.js";
import { type CommandEnd, runCommand } from "./run-command.js";

/** As shells say it. */
const EXIT = { lost: 1, missing: 127, notStarted: 126, timedOut: 124, signalled: 128 } as const;
/** Signals that we would leave a core file by, or that Node keeps for itself: told by the exit code instead. */
const TOLD_BY_CODE = new Set<NodeJS.Signals>([
  ...(["SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGSYS"] as const),
  ...(["SIGXCPU", "SIGXFSZ", "SIGPIPE", "SIGUSR1", "SIGPROF"] as const),
]);
const DYING_MS = 500;

/** One line on stderr, in the form of all our problems. The terminal is only made now. */
async function tell(code: string, what: string, hint: string | null): Promise<void> {
  const [{ processTerminal }, { printNote }] = await Promise.all([
    import("../terminal.js"),
    import("../report.js"),
  ]);
  printNote(processTerminal(), code, what, hint);
}

function codeOf({ code, signal, error, timedOut, lost }: CommandEnd): number {
  if (timedOut) return EXIT.timedOut;
  if (error !== null) return error === "ENOENT" ? EXIT.missing : EXIT.notStarted;
  if (signal !== null) return EXIT.signalled + constants.signals[signal];
  // The command could not know; had it written itself, it would have failed.
  return code === 0 && lost !== null ? EXIT.lost : (code ?? 0);
}

/** Ends this process as the command ended. */
function endAs(end: CommandEnd): Promise<never> {
  const { signal, timedOut } = end;
  if (signal === null || timedOut || process.platform === "win32" || TOLD_BY_CODE.has(signal))
    process.exit(codeOf(end));
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // A signal that is blocked or ignored does not end us.
  return new Promise(() => setTimeout(() => process.exit(codeOf(end)), DYING_MS));
}

function wordsOf(error: unknown): string {
  const known = asShortage(error);
  if (known instanceof HandoffError) return `${known.message} (${known.place?.path ?? known.code})`;
  return error instanceof Error ? error.message : String(error);
}

/** Runs it and never comes back: the process ends as the command did, whether or not it could be recorded. */
export async function runExec(request: ExecRequest): Promise<never> {
  const finding = findRecordPlace(request).then(
    (place) => ({ place }),
    (error: unknown) => ({ error }),
  );
  const { timeoutSeconds, command } = request;
  const end = await runCommand(command, timeoutSeconds === null ? null : timeoutSeconds * 1000);
  try {
    const [program = ""] = command;
    if (end.error === "ENOENT")
      await tell("exec.missing", `no such command: ${program}`, "is it installed, and on the PATH?");
    else if (end.error !== null)
      await tell("exec.not_started", `${program} cannot be started: ${end.error}`, null);
    else if (end.timedOut)
      await tell(
        "exec.timed_out",
        `${program} was stopped after ${timeoutSeconds} s`,
        "--timeout gives it longer",
      );
    if (end.lost !== null)
      await tell(
        "exec.output_lost",
        `not all that ${program} wrote could be passed on: ${end.lost}`,
        "look at where its output goes",
      );
    const found = await finding;
    if ("error" in found) throw found.error;
    recordCommand(found.place, request, end);
  } catch (error) {
    await tell("exec.not_recorded", `the command ran, but was not recorded: ${wordsOf(error)}`, null).catch(
      () => undefined,
    );
  }
  return endAs(end);
}

/** The same of a line of words; comes back only when these are not plainly a call of exec. */
export async function runExecLine(argv: readonly string[]): Promise<void> {
  const line = readExecLine(argv);
  if (line === null) return;
  const { root = null, session = null, note = null, timeout } = line.options;
  const timeoutSeconds = timeout === undefined ? null : Number(timeout);
  const { command } = line;
  await runExec({ cwd: process.cwd(), env: process.env, root, session, note, timeoutSeconds, command });
}
