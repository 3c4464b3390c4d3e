// The person's keys while a run is looked at: nothing typed disturbs the view, Ctrl-C and Ctrl-Z do what they always do, and
// Enter means something when somebody is waited for. The system puts the terminal's mode back when the process ends.
import { openSync } from "node:fs";
import { ReadStream } from "node:tty";

export interface Keyboard {
  /** Resolves when Enter is pressed, after this call. */
  readonly enter: () => Promise<void>;
  /** Gives the keys back, until `resume`. */
  readonly rest: () => void;
  readonly resume: () => void;
  readonly end: () => void;
}

interface KeyListeners {
  readonly onInterrupt: () => void;
  /** The terminal is gone. */
  readonly onGone: () => void;
}

const INTERRUPT = "\u0003";
const SUSPEND = "\u001a";
const QUIT = "\u001c";

/** Opens the terminal that this process belongs to, whatever stdin is; null: there is none. */
export function openKeyboard({ onInterrupt, onGone }: KeyListeners): Keyboard | null {
  let input: ReadStream;
  try {
    input = process.platform === "win32" ? process.stdin : new ReadStream(openSync("/dev/tty", "r"));
    input.setRawMode(true);
  } catch {
    return null;
  }
  let waiting: (() => void)[] = [];
  input.setEncoding("utf8");
  input.on("error", onGone);
  input.on("data", (keys: string) => {
    for (const key of keys)
      if (key === INTERRUPT || key === QUIT) onInterrupt();
      else if (key === SUSPEND) process.kill(0, "SIGTSTP");
      else if (key === "\r" || key === "\n") {
        const released = waiting;
        waiting = [];
        for (const release of released) release();
      }
  });
  return {
    enter: () => new Promise((resolve) => waiting.push(resolve)),
    rest: () => {
      input.setRawMode(false);
      input.pause();
    },
    resume: () => {
      input.setRawMode(true);
      input.resume();
    },
    end: () => {
      input.setRawMode(false);
      input.destroy();
    },
  };
}
