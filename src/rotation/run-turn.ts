// One turn of an agent as a real process: prompt in, signals out, an interrupt when asked for, and never a process left behind.
// What a signal means for the run is decided by the caller.
import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { AgentDriver, AgentSignal, TurnRequest } from "../agents/driver.js";
import { endingOf, TURN_VARIABLE } from "./end-turn.js";
import { PATIENCE, type Patience } from "./patience.js";
import { readSignals } from "./turn-signals.js";

export interface TurnOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called for each signal in order. */
  readonly onSignal: (signal: AgentSignal) => void;
  /** The process runs: its id, to be written down before anything else happens (R27). */
  readonly onStarted?: (pid: number) => void;
  /** Aborted: the turn is interrupted (R14). */
  readonly stop?: AbortSignal;
  /** Aborted: the process is killed at once. */
  readonly kill?: AbortSignal;
  /** Longest time for the turn in milliseconds; null: none. */
  readonly timeoutMs?: number | null;
  readonly patience?: Patience;
}

export type TurnResult = Extract<AgentSignal, { readonly kind: "result" }>;

/** How a turn went. */
export interface TurnOutcome {
  readonly result: TurnResult;
  readonly exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null };
  /** We interrupted it, or it ran out of time. */
  readonly cut: boolean;
  readonly timed_out: boolean;
  /** There was no process: the system's code for why. Else null. */
  readonly start_failed: string | null;
  /** Lines that could not be read. */
  readonly torn: number;
  /** Lines of kinds that are not known. */
  readonly unknown: number;
}

function failedResult(text: string): TurnResult {
  return {
    kind: "result",
    outcome: "failed",
    text: "",
    error: { text, status: null, overflow: false },
    stop_reason: null,
    is_empty: true,
    turns: null,
  };
}

function notStarted(command: string, code: string): TurnOutcome {
  return {
    result: failedResult(`${command}: ${code === "ENOENT" ? "no such program" : code}`),
    exit: { code: null, signal: null },
    cut: false,
    timed_out: false,
    start_failed: code,
    torn: 0,
    unknown: 0,
  };
}

/** Runs one turn to its end. Never rejects, unless `onSignal` throws; then the process is gone all the same. */
export function runTurn(
  driver: AgentDriver,
  request: TurnRequest,
  options: TurnOptions,
): Promise<TurnOutcome> {
  const { command, args, env, input } = driver.turn(request);
  const mark = randomUUID();
  return new Promise((resolve, reject) => {
    let child: ChildProcess;
    try {
      child = spawn(command, args, {
        cwd: options.cwd,
        env: { ...options.env, ...env, [TURN_VARIABLE]: mark },
        stdio: "pipe",
        // A group of its own: a Ctrl-C in the terminal is for us, and we decide what the agent gets.
        detached: process.platform !== "win32",
        windowsHide: true,
      });
    } catch (error) {
      // Thrown, not emitted: a NUL in an argument, an argument list that is too long.
      const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
      resolve(notStarted(command, code));
      return;
    }
    // Also emitted when a signal cannot be sent; then the process goes on, and so do we.
    child.on("error", (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined) resolve(notStarted(command, error.code ?? error.message));
    });
    child.once("spawn", () => {
      // The agent may end before it has read everything.
      child.stdin?.on("error", () => undefined);
      child.stdin?.end(input);
      attend(child, { pid: child.pid ?? 0, mark }, driver, request, options).then(resolve, reject);
    });
  });
}

/** The end of a process and of what it says; pipes that others hold open are given up after a moment. */
function untilClosed(child: ChildProcess, drainMs: number): Promise<TurnOutcome["exit"]> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    child.once("exit", (code, signal) => {
      timer = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve({ code, signal });
      }, drainMs);
    });
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal });
    });
  });
}

async function attend(
  child: ChildProcess,
  marked: { readonly pid: number; readonly mark: string },
  driver: AgentDriver,
  request: TurnRequest,
  options: TurnOptions,
): Promise<TurnOutcome> {
  const patience = options.patience ?? PATIENCE;
  const ending = endingOf(child, marked, patience);
  let result: TurnResult | null = null;
  let torn = 0;
  let unknown = 0;
  let failure: { readonly error: unknown } | null = null;
  const take = (signal: AgentSignal): void => {
    if (failure !== null) return;
    if (signal.kind === "torn") torn += 1;
    else if (signal.kind === "unknown") unknown += 1;
    else if (signal.kind === "result") result = signal;
    try {
      options.onSignal(signal);
    } catch (error) {
      failure = { error };
      ending.kill();
    }
  };
  const signals = readSignals(driver, request, { env: options.env, onSignal: take });
  child.stdout?.on("data", signals.stdout);
  child.stderr?.on("data", signals.stderr);
  options.onStarted?.(marked.pid);

  const { stop, kill, timeoutMs } = options;
  let isLate = false;
  const timer =
    typeof timeoutMs === "number"
      ? setTimeout(() => {
          isLate = true;
          ending.interrupt();
        }, timeoutMs)
      : undefined;
  stop?.addEventListener("abort", ending.interrupt);
  kill?.addEventListener("abort", ending.kill);
  if (stop?.aborted === true) ending.interrupt();
  if (kill?.aborted === true) ending.kill();

  const exit = await untilClosed(child, patience.drainMs);
  clearTimeout(timer);
  stop?.removeEventListener("abort", ending.interrupt);
  kill?.removeEventListener("abort", ending.kill);
  await ending.settle();
  const cut = ending.wasCut();
  await signals.end({ ...exit, cut });
  return outcomeOf({ result, failure, exit, cut, timed_out: isLate, torn, unknown });
}

interface Attended extends Omit<TurnOutcome, "result" | "start_failed"> {
  readonly result: TurnResult | null;
  readonly failure: { readonly error: unknown } | null;
}

function outcomeOf({ result, failure, ...rest }: Attended): TurnOutcome {
  if (failure !== null) throw failure.error;
  const told = result ?? failedResult("");
  // What an agent calls a failure after our signal was cut all the same.
  const isCut = rest.cut && told.outcome === "failed" && told.error?.overflow !== true;
  return {
    ...rest,
    result: isCut ? { ...told, outcome: "interrupted", error: null } : told,
    start_failed: null,
  };
}
