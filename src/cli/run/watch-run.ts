// A run and its person: the live view, the keys, the signals and the streams, held together from the start of a run to its
// end, and all put back as they were whatever the end is.
import type { RunLedger } from "../../model/run-ledger.js";
import type { RunPorts, RunProgress } from "../../rotation/run-options.js";
import type { RunLimits } from "../../rotation/run-state.js";
import type { Terminal } from "../terminal.js";
import type { EventSink } from "./event-sink.js";
import { openKeyboard } from "./keyboard.js";
import { openLiveView } from "./live-view.js";
import { pauseNotice } from "./render-block.js";
import { firstView, type RunView } from "./run-view.js";
import { isForeground, processScreen } from "./screen.js";
import { listenForStop } from "./stop-asked.js";

/** The ports that a person is behind. */
type PersonPorts = Pick<
  RunPorts,
  "onEvent" | "onText" | "onProgress" | "onWarning" | "pause" | "stop" | "kill"
>;

/** Something that was said aloud. */
export interface Warning {
  readonly code: string;
  readonly what: string;
}

export interface RunWatch {
  readonly ports: PersonPorts;
  /** Everything said aloud so far. */
  readonly warnings: readonly Warning[];
  readonly warn: (code: string, what: string) => void;
  readonly seen: () => RunView;
  /** Puts everything back. May be called again. */
  readonly end: () => void;
}

export interface WatchOptions {
  readonly terminal: Terminal;
  readonly sink: EventSink;
  readonly limits: RunLimits;
  /** Of a run that goes on. */
  readonly ledger: RunLedger | null;
  /** Events go to stdout: where that is the terminal, too, nothing can be drawn in place. */
  readonly hasEvents: boolean;
}

/** Made by us: no secret is in them, and a mark in one would make it useless. */
const OURS = new Set(["event", "run_id", "packet_id", "at", "time"]);

/** Takes a stream's failures on itself: a reader that goes away must not take the agent's work with it. */
function catchFailure(stream: NodeJS.WriteStream, onGone: () => void): () => void {
  const before = stream.listeners("error");
  stream.removeAllListeners("error");
  stream.on("error", onGone);
  return () => {
    stream.off("error", onGone);
    for (const listener of before) stream.on("error", (error) => Reflect.apply(listener, stream, [error]));
  };
}

/** Opens view, keys and signals. `end` has to be called. */
export function watchRun({ terminal, sink, limits, ledger, hasEvents }: WatchOptions): RunWatch {
  const all = processScreen(terminal);
  const screen = { ...all, isLive: all.isLive && !(hasEvents && process.stdout.isTTY) };
  const view = openLiveView(screen, firstView(limits, Date.now(), ledger), {
    redactor: terminal.redactor,
    now: () => Date.now(),
  });
  const warnings: Warning[] = [];
  const warn = (code: string, what: string): void => {
    warnings.push({ code, what });
    view.warn(`${code}: ${what}`);
  };
  const gone = (): void => {
    view.abandon();
    stopped.ask();
  };
  const stopped = listenForStop({
    onStop: () => view.stopping("after_packet"),
    onKill: () => view.stopping("at_once"),
    onHangup: () => view.abandon(),
    onLeave: () => end(),
  });
  const isWatched = process.stderr.isTTY && isForeground();
  const keyboard =
    screen.isLive || (isWatched && limits.pause)
      ? openKeyboard({ onInterrupt: () => stopped.ask(), onGone: gone })
      : null;
  const releaseOut = catchFailure(process.stdout, () => stopped.ask());
  const releaseError = catchFailure(process.stderr, gone);

  const suspend = (): void => {
    view.rest();
    keyboard?.rest();
    process.kill(process.pid, "SIGSTOP");
  };
  const goOn = (): void => {
    const isOurs = isForeground();
    if (isOurs) keyboard?.resume();
    view.resume(isOurs && screen.isLive);
  };
  if (screen.isLive) process.on("SIGTSTP", suspend).on("SIGCONT", goOn);

  const end = (): void => {
    view.end();
    keyboard?.end();
    stopped.end();
    releaseOut();
    releaseError();
    process.off("SIGTSTP", suspend).off("SIGCONT", goOn);
    process.off("uncaughtException", end).off("unhandledRejection", end).off("exit", end);
  };
  // A fault of ours ends the process from elsewhere: what is said of it comes after the view, not into it.
  process.prependListener("uncaughtException", end);
  process.prependListener("unhandledRejection", end);
  process.prependListener("exit", end);

  /** Listened for from the moment on that a person can see that Enter means something. */
  let released: Promise<void> | null = null;
  const onProgress = (progress: RunProgress): void => {
    if (progress.phase !== "pausing") released = null;
    else released ??= keyboard?.enter() ?? null;
    view.progress(progress);
  };
  const pause = async (): Promise<void> => {
    if (!screen.isLive) view.warn(pauseNotice(view.seen()));
    await (released ?? keyboard?.enter());
  };
  return {
    ports: {
      onEvent: (event) => {
        const isOurs = (way: readonly string[]): boolean => OURS.has(way.at(-1) ?? "");
        const { value } = terminal.redactor.redactStrings(event, { skip: isOurs });
        sink.write(value);
        view.event(value);
      },
      onText: view.say,
      onProgress,
      onWarning: warn,
      stop: stopped.stop,
      kill: stopped.kill,
      ...(keyboard === null ? {} : { pause }),
    },
    warnings,
    warn,
    seen: view.seen,
    end,
  };
}
