// `--events`: what happens in a run as JSON lines (R25), to a file or to stdout. A file is added to, never overwritten. A pipe is
// one as well, and its reader may be slow, gone, or not there at all: none of that may hold up a run, or its end.
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { UsageError } from "../../model/errors.js";
import type { RunEventLine } from "../../model/run-events.js";
import type { Terminal } from "../terminal.js";

export interface EventSink {
  readonly write: (event: RunEventLine) => void;
  /** Resolves when everything is written, or cannot be. */
  readonly close: () => Promise<void>;
}

/** Pause before a reader that is slow is tried again, and the longest that the end of a run waits for one, in milliseconds. */
const AGAIN_MS = 20;
const LAST_MS = 2000;

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error);

/** Never waits for a reader. */
async function openFile(target: string, cwd: string): Promise<FileHandle> {
  const file = path.resolve(cwd, target);
  const { O_WRONLY, O_CREAT, O_APPEND, O_NONBLOCK } = constants;
  try {
    return await open(file, O_WRONLY | O_CREAT | O_APPEND | (O_NONBLOCK ?? 0));
  } catch (error) {
    const code = codeOf(error);
    throw new UsageError(
      "run.events",
      `--events cannot be written: ${code === "ENXIO" ? "nobody reads this pipe" : code}`,
      code === "ENXIO"
        ? "start its reader first, or name a file"
        : "name a file in a folder that is there, or - for stdout",
      { path: file },
    );
  }
}

/**
 * Opens it; `target` as the option has it. `onFault` hears once of a file that cannot be written any more. Throws UsageError
 * `run.events` for one that cannot be opened.
 */
export async function openEventSink(
  target: string | null,
  terminal: Pick<Terminal, "content" | "cwd">,
  onFault: (what: string) => void,
  lastMs = LAST_MS,
): Promise<EventSink> {
  if (target === null) return { write: () => undefined, close: async () => undefined };
  if (target === "-")
    return {
      write: (event) => terminal.content(`${JSON.stringify(event)}\n`),
      close: async () => undefined,
    };
  const handle = await openFile(target, terminal.cwd);
  let isBroken = false;
  /** The run is over: until then a slow reader has its time. */
  let until = Number.POSITIVE_INFINITY;
  const fail = (why: string): void => {
    if (!isBroken) onFault(`events are lost from here on: ${why} (${target})`);
    isBroken = true;
  };
  const append = async (line: Buffer): Promise<void> => {
    for (let at = 0; at < line.length;) {
      if (isBroken) return;
      try {
        at += (await handle.write(line, at)).bytesWritten;
      } catch (error) {
        const code = codeOf(error);
        if (code !== "EAGAIN") fail(code);
        else if (performance.now() >= until) fail("nobody reads them");
        else await delay(AGAIN_MS);
      }
    }
  };
  /** Lines follow each other whole. */
  let last: Promise<void> = Promise.resolve();
  return {
    write: (event) => {
      const line = Buffer.from(`${JSON.stringify(event)}\n`);
      last = last.then(() => append(line));
    },
    close: async () => {
      until = performance.now() + lastMs;
      await last;
      await handle.close().catch((error: unknown) => fail(codeOf(error)));
    },
  };
}
