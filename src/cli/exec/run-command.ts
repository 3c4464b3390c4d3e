// Runs a command as if we were not there (A11): its input is ours, its output goes through us unchanged, signals reach it, and
// how it ended is told in full.
import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { closeSync, fstatSync } from "node:fs";
import { isatty } from "node:tty";
import { endTree } from "../../io/process-tree.js";
import { openPipes, type Pipe } from "./open-pipes.js";
import { type Relay, relayPipe, relayStream } from "./relay.js";

/** Handed on to the command. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCONT"] as const;
/** These ask us to end. */
const ENDING = new Set<NodeJS.Signals>(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]);
/** A terminal sends these to everybody in front of it, the command included. */
const FROM_TERMINAL = new Set<NodeJS.Signals>(["SIGINT", "SIGQUIT"]);
/** We were told to end, and the command has: nobody may keep us longer by not reading. */
const LAST_WORDS_MS = 3000;
/** Out of time: between the request to end and the end of all patience. */
const GRACE_MS = 2000;

/** How it ended. `code` null: without an exit status; then `signal` or `error` says why. */
export interface CommandEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It never started: the system's code. */
  readonly error: string | null;
  readonly timedOut: boolean;
  /** The system's code for why some of its output did not get through; null: all of it did, or its reader went away. */
  readonly lost: string | null;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly stdout: Relay["window"] | null;
  /** null: it went to a terminal, or with stdout. */
  readonly stderr: Relay["window"] | null;
}

/** True when our two output streams are one and the same file or pipe. */
function areOne(): boolean {
  try {
    const [out, err] = [fstatSync(1), fstatSync(2)];
    return out.dev === err.dev && out.ino === err.ino;
  } catch {
    return false;
  }
}

/** Where the command's output goes: each stream to the terminal itself, or through a pipe of ours. */
interface Outlets {
  readonly stdio: StdioOptions;
  readonly pipes: readonly Pipe[];
  readonly relay: (child: ChildProcess) => { out: Relay | null; err: Relay | null };
}

function openOutlets(): Outlets {
  const [outPiped, errPiped] = [!isatty(1), !isatty(2)];
  const isOne = outPiped && errPiped && areOne();
  const pipes = openPipes(Number(outPiped) + Number(errPiped && !isOne)) ?? [];
  if (pipes.length === 0) {
    const way = (piped: boolean): "pipe" | "inherit" => (piped ? "pipe" : "inherit");
    return {
      stdio: ["inherit", way(outPiped), way(errPiped)],
      pipes,
      relay: ({ stdout, stderr }) => ({
        out: stdout === null ? null : relayStream(stdout, 1),
        err: stderr === null ? null : relayStream(stderr, 2),
      }),
    };
  }
  const out = outPiped ? (pipes[0] ?? null) : null;
  const err = errPiped ? (pipes.at(-1) ?? null) : null;
  return {
    stdio: ["inherit", out?.write ?? "inherit", err?.write ?? "inherit"],
    pipes,
    relay: () => ({
      out: out === null ? null : relayPipe(out, 1),
      err: err === null || err === out ? null : relayPipe(err, 2),
    }),
  };
}

type Ended = Pick<CommandEnd, "code" | "signal" | "error">;

/** Its end; a command that cannot be started ends at once. */
function endOf(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve) => {
    child.on("error", (error) => {
      const code = "code" in error ? String(error.code) : error.message;
      if (child.pid === undefined) resolve({ code: null, signal: null, error: code });
    });
    child.on("exit", (code, signal) => resolve({ code, signal, error: null }));
  });
}

function start(command: readonly string[], stdio: StdioOptions): ChildProcess | string {
  const [program = "", ...args] = command;
  try {
    return spawn(program, args, { stdio, windowsHide: true });
  } catch (error) {
    // Thrown, not told: a NUL in a word, too many words.
    return error instanceof Error && "code" in error ? String(error.code) : "EINVAL";
  }
}

/** Hands signals on for as long as it runs; `told` once one of them asked us to end. */
function handOn(to: () => ChildProcess | null): { readonly stop: () => void; readonly told: Promise<void> } {
  const atTerminal = [0, 1, 2].some((fd) => isatty(fd));
  const handlers = new Map<NodeJS.Signals, () => void>();
  const told = new Promise<void>((resolve) => {
    for (const signal of SIGNALS) {
      const handler = (): void => {
        if (ENDING.has(signal)) resolve();
        if (!atTerminal || !FROM_TERMINAL.has(signal)) to()?.kill(signal);
      };
      handlers.set(signal, handler);
      process.on(signal, handler);
    }
  });
  return {
    told,
    stop: () => {
      for (const [signal, handler] of handlers) process.off(signal, handler);
    },
  };
}

/**
 * Runs it to its end. Never rejects.
 * @param timeoutMs after so long it is stopped, with everything it started; null: it has all the time there is
 */
export async function runCommand(command: readonly string[], timeoutMs: number | null): Promise<CommandEnd> {
  const outlets = openOutlets();
  const startedAt = new Date();
  const begun = performance.now();
  let running: ChildProcess | null = null;
  // Before it starts: from now on no signal may end us and leave it behind.
  const signals = handOn(() => running);
  const child = start(command, outlets.stdio);
  for (const { write } of outlets.pipes) closeSync(write);
  if (typeof child === "string") {
    signals.stop();
    const failed = { code: null, signal: null, error: child, timedOut: false, lost: null };
    return { ...failed, startedAt, durationMs: 0, stdout: null, stderr: null };
  }
  running = child;
  const ending = endOf(child);
  const { out, err } = outlets.relay(child);
  const stopping: Promise<void>[] = [];
  let isOver = false;
  const stop = (): void => {
    if (!isOver && child.pid !== undefined) stopping.push(endTree(child.pid, GRACE_MS));
  };
  // Where we ourselves were held up, its end may be there already and merely not looked at yet: that is done first.
  const timer = timeoutMs === null ? null : setTimeout(() => setImmediate(stop), timeoutMs);
  const ended = await ending;
  isOver = true;
  const timedOut = stopping.length > 0;
  await Promise.all(stopping);
  const durationMs = Math.round(performance.now() - begun);
  if (timer !== null) clearTimeout(timer);
  const through = Promise.all([out?.finish(), err?.finish()]);
  const cutShort = signals.told.then(
    () => new Promise<void>((resolve) => setTimeout(resolve, LAST_WORDS_MS).unref()),
  );
  await Promise.race([through, cutShort]);
  signals.stop();
  return {
    ...ended,
    timedOut,
    lost: out?.lost() ?? err?.lost() ?? null,
    startedAt,
    durationMs,
    stdout: out?.window ?? null,
    stderr: err?.window ?? null,
  };
}
