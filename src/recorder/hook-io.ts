// What a hook has of its process. Handed in, so that the entry point itself touches neither streams nor clock.
import type { Readable } from "node:stream";

export interface HookIo {
  readonly stdin: Readable;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder the agent started the hook in. */
  readonly cwd: string;
  /** The process that started the hook. */
  readonly parent: number;
  readonly now: () => Date;
  /** Milliseconds since the process began: agents count from there. */
  readonly elapsed: () => number;
  /** Writes to standard output in one piece. Never rejects: a reader that went away is no fault of ours. */
  readonly print: (text: string) => Promise<void>;
  /** Ends the process at once, with exit 0. */
  readonly exit: () => void;
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return process.env["PWD"] ?? "/";
  }
}

/** This process. Whatever goes wrong in it from here on ends it with exit 0 (A6). */
export function processHookIo(): HookIo {
  const exit = (): void => process.exit(0);
  process.on("uncaughtException", exit);
  process.on("unhandledRejection", exit);
  process.stdin.on("error", () => undefined);
  return {
    stdin: process.stdin,
    env: process.env,
    cwd: currentFolder(),
    parent: process.ppid,
    now: () => new Date(),
    elapsed: () => process.uptime() * 1000,
    // The stream is made when there is something to print: most hooks print nothing, and making it takes time (A10).
    print: (text) =>
      new Promise((resolve) => {
        process.stdout.on("error", () => resolve());
        process.stdout.write(text, () => resolve());
      }),
    exit,
  };
}
