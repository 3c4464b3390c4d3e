// Runs git so that nothing outside the repository's own content can colour the answer (P9): fixed environment, fixed
// configuration, no locks, no prompts, no network. Says what a failed call means.
import { runProcess, type ProcessResult } from "../../io/run-process.js";
import { shortageInWords, shortageOf } from "../../io/system-shortage.js";
import type { Diagnostic, DiagnosticCode, DiagnosticSeverity } from "../../model/diagnostic.js";
import { findExecutable } from "../../io/find-program.js";

/** Git variables that choose configuration files or discovery limits, not a repository; everything else named GIT_* is dropped. */
const KEPT_VARIABLES =
  /^GIT_(?:CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM|CONFIG_COUNT|CONFIG_KEY_\d+|CONFIG_VALUE_\d+|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH)$/iu;

const FIXED_VARIABLES = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  // A partial clone would fetch what it lacks; reading a workbench never talks to a network.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  // A user's configuration may name a file that every call appends to.
  GIT_TRACE2: "0",
  GIT_TRACE2_EVENT: "0",
  GIT_TRACE2_PERF: "0",
  LC_ALL: "C",
  LANGUAGE: "",
};

const FIXED_ARGUMENTS = [
  "--no-pager",
  ...[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.safecrlf=false",
    "diff.orderFile=/dev/null",
    "status.relativePaths=false",
  ].flatMap((setting) => ["-c", setting]),
];

/** For all git calls of one snapshot together, in milliseconds. */
export const GIT_TIME_MS = 10_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Time that several users of git share: what runs at once counts once, and nothing counts while no call runs. */
export interface GitBudget {
  readonly totalMs: number;
  /** What is left, in milliseconds; 0 or less: nothing. */
  left(): number;
  /** Counts from the first `begin` to the `end` of the last call that runs. */
  begin(): void;
  end(): void;
}

/** Milliseconds by a clock that never goes back; `performance` is loaded when it is first named, and hooks start fast. */
const clock = (): number => process.uptime() * 1000;

/** A new budget of `totalMs`. */
export function openBudget(totalMs: number): GitBudget {
  let spent = 0;
  let running = 0;
  let since = 0;
  return {
    totalMs,
    left: () => totalMs - spent - (running > 0 ? clock() - since : 0),
    begin: () => {
      if (running === 0) since = clock();
      running += 1;
    },
    end: () => {
      running -= 1;
      if (running === 0) spent += clock() - since;
    },
  };
}

/**
 * One way to call git: bound to an executable, an environment and the time for all its calls. Calls reject only when the
 * system runs out of files, processes or memory (UsageError, S5): that says nothing about git or the repository.
 */
export interface Git {
  /** For all calls together. */
  readonly timeoutMs: number;
  readonly budget: GitBudget;
  /** The commands that ran out of time, in order. */
  readonly timedOut: readonly string[];
  run(cwd: string, args: readonly string[], input?: string | Uint8Array): Promise<ProcessResult>;
  /**
   * Starts a call whose answer will be wanted: the next `run` of the same arguments gets it. One that nobody asks for is
   * no failure.
   */
  begin(cwd: string, args: readonly string[]): void;
  /** The same git with further `-c` settings (`key=value`). */
  withSettings(settings: readonly string[]): Git;
}

/** The environment of every git call, made from `env` (which is left alone). */
export function gitEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^GIT_/iu.test(name) || KEPT_VARIABLES.test(name));
  return { ...Object.fromEntries(kept), ...FIXED_VARIABLES };
}

/**
 * Git as found on the PATH of `env`, or null when there is none.
 * @param time for all calls together: milliseconds, or a budget shared with others
 */
export async function openGit(env: NodeJS.ProcessEnv, time: number | GitBudget): Promise<Git | null> {
  const executable = findExecutable("git", env);
  if (executable === null) return null;
  const childEnv = gitEnvironment(env);
  const budget = typeof time === "number" ? openBudget(time) : time;
  const timedOut: string[] = [];
  const begun = new Map<string, Promise<ProcessResult>>();
  const takeBegun = (cwd: string, args: readonly string[]): Promise<ProcessResult> | undefined => {
    if (begun.size === 0) return undefined;
    const call = callKey(cwd, args);
    const result = begun.get(call);
    begun.delete(call);
    return result;
  };
  const start = (
    cwd: string,
    args: readonly string[],
    input?: string | Uint8Array,
  ): Promise<ProcessResult> | ProcessResult => {
    const timeoutMs = Math.floor(budget.left());
    return timeoutMs < 1 ? OUT_OF_TIME : runWithin(timeoutMs, cwd, args, input);
  };
  const bind = (fixed: readonly string[]): Git => ({
    timeoutMs: budget.totalMs,
    budget,
    timedOut,
    begin: (cwd, args) => {
      const all = [...fixed, ...args];
      begun.set(callKey(cwd, all), Promise.resolve(start(cwd, all)));
    },
    run: async (cwd, args, input) => {
      const all = [...fixed, ...args];
      const early = input === undefined ? takeBegun(cwd, all) : undefined;
      const result = await (early ?? start(cwd, all, input));
      refuseShortage(result);
      if (result.status === "timeout") timedOut.push(args[0] ?? "git");
      return result;
    },
    withSettings: (settings) => bind([...fixed, ...settings.flatMap((setting) => ["-c", setting])]),
  });
  const runWithin = async (
    timeoutMs: number,
    cwd: string,
    args: readonly string[],
    input: string | Uint8Array | undefined,
  ): Promise<ProcessResult> => {
    budget.begin();
    try {
      return await runProcess(executable, args, {
        cwd,
        env: childEnv,
        timeoutMs,
        maxBytes: MAX_OUTPUT_BYTES,
        ...(input === undefined ? {} : { input }),
      });
    } finally {
      budget.end();
    }
  };
  return bind(FIXED_ARGUMENTS);
}

/** What makes two calls without input the same. */
function callKey(cwd: string, args: readonly string[]): string {
  return [cwd, ...args].join("\0");
}

/** Throws UsageError when git, or something git needs, could not be started for want of the system's means. */
function refuseShortage({ status, reason, stderr }: ProcessResult): void {
  if (status === "ok" || status === "timeout") return;
  const short = status === "failed" ? shortageOf(reason ?? "") : shortageInWords(stderr);
  if (short !== null) throw short;
}

/** The answer of a call for which no time is left: it is not even started. */
const OUT_OF_TIME: ProcessResult = {
  status: "timeout",
  exitCode: null,
  signal: null,
  stdout: Buffer.alloc(0),
  stderr: "",
  reason: null,
};

/** A diagnostic about git itself. */
export function gitDiagnostic(
  code: DiagnosticCode,
  severity: DiagnosticSeverity,
  args: Readonly<Record<string, string | number>> = {},
  path: string | null = null,
): Diagnostic {
  return { code, severity, artifact: "git", source: path === null ? null : { path }, args };
}

/** A call that was stopped, or not started, because the time for all calls was over. */
export function explainTimeout(command: string, git: Git): Diagnostic {
  return gitDiagnostic("git.timeout", "error", { command, seconds: git.timeoutMs / 1000 });
}

/** What a call that did not end `ok` means. `command` names the git command for people. */
export function explainFailure(result: ProcessResult, command: string, git: Git): Diagnostic {
  if (result.status === "timeout") {
    return explainTimeout(command, git);
  }
  if (result.status === "too_large") {
    return gitDiagnostic("git.failed", "error", { command, reason: `more than ${MAX_OUTPUT_BYTES} bytes` });
  }
  if (result.status === "missing" || result.status === "failed") {
    return gitDiagnostic("git.unavailable", "warn", { reason: result.reason ?? result.status });
  }
  // Git's own words in the C locale; 2.35.2 is the first that checks ownership: "detected dubious ownership in
  // repository at '…'", before 2.38 "unsafe repository ('…' is owned by someone else)".
  if (/dubious ownership|unsafe repository/u.test(result.stderr)) {
    return gitDiagnostic("git.unsafe_ownership", "error");
  }
  return gitDiagnostic("git.failed", "error", { command, reason: failureReason(result) });
}

/** The line in which git gives its reason, shortened; the exit code when it gives none. */
function failureReason(result: ProcessResult): string {
  const lines = result.stderr.split("\n").filter((line) => line.trim() !== "");
  const line = lines.find((l) => /^(?:fatal|error):/u.test(l)) ?? lines.at(-1);
  return line?.slice(0, 300) ?? `exit ${result.exitCode ?? result.signal ?? "unknown"}`;
}
