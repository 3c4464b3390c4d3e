// How a person ends a run: the first Ctrl-C asks for a packet before leaving, the second leaves at once, and a third does not
// even wait for that (R27). SIGTERM and a closed terminal ask like Ctrl-C.
import { EXIT } from "../../model/errors.js";

export interface StopAsked {
  readonly stop: AbortSignal;
  readonly kill: AbortSignal;
  /** As if Ctrl-C was pressed. */
  readonly ask: () => void;
  /** Signals do again what they did before. */
  readonly end: () => void;
}

export interface StopListeners {
  readonly onStop: () => void;
  readonly onKill: () => void;
  /** The terminal is gone. */
  readonly onHangup: () => void;
  /** The last chance to leave a terminal as it was. */
  readonly onLeave: () => void;
}

/** One press arrives twice where a wrapper hands it on. */
const ONE_PRESS_MS = 150;
/** The agent and what it started are ended in this time; then we leave anyway. */
const LEAVE_MS = 5000;

/** Listens for signals until `end`. */
export function listenForStop({ onStop, onKill, onHangup, onLeave }: StopListeners): StopAsked {
  const stop = new AbortController();
  const kill = new AbortController();
  let pressedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const leave = (): void => {
    onLeave();
    process.exit(EXIT.interrupted);
  };
  const ask = (): void => {
    const now = performance.now();
    if (now - pressedAt < ONE_PRESS_MS) return;
    pressedAt = now;
    if (!stop.signal.aborted) {
      onStop();
      stop.abort();
    } else if (kill.signal.aborted) leave();
    else {
      onKill();
      timer = setTimeout(leave, LEAVE_MS);
      timer.unref();
      kill.abort();
    }
  };
  const hangup = (): void => {
    onHangup();
    ask();
  };
  const signals = [
    ["SIGINT", ask],
    ["SIGTERM", ask],
    ["SIGHUP", hangup],
  ] as const;
  for (const [signal, listener] of signals) process.on(signal, listener);
  return {
    stop: stop.signal,
    kill: kill.signal,
    ask,
    end: () => {
      clearTimeout(timer);
      for (const [signal, listener] of signals) process.off(signal, listener);
    },
  };
}
