// `--events`: what happens in a run as JSON lines (R25), to a file or to stdout. A file is added to, never overwritten.
import { createWriteStream } from "node:fs";
import { once } from "node:events";
import path from "node:path";
import { UsageError } from "../../model/errors.js";
import type { RunEventLine } from "../../model/run-events.js";
import type { Terminal } from "../terminal.js";

export interface EventSink {
  readonly write: (event: RunEventLine) => void;
  /** Resolves when everything is written, or cannot be. */
  readonly close: () => Promise<void>;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error);

/**
 * Opens it; `target` as the option has it. `onFault` hears once of a file that cannot be written any more. Throws UsageError
 * `run.events` for one that cannot be opened.
 */
export async function openEventSink(
  target: string | null,
  terminal: Terminal,
  onFault: (what: string) => void,
): Promise<EventSink> {
  if (target === null) return { write: () => undefined, close: async () => undefined };
  if (target === "-")
    return {
      write: (event) => terminal.content(`${JSON.stringify(event)}\n`),
      close: async () => undefined,
    };
  const file = path.resolve(terminal.cwd, target);
  const stream = createWriteStream(file, { flags: "a" });
  try {
    await once(stream, "open");
  } catch (error) {
    throw new UsageError(
      "run.events",
      `--events cannot be written: ${codeOf(error)}`,
      "name a file in a folder that is there, or - for stdout",
      { path: file },
    );
  }
  let isBroken = false;
  stream.on("error", (error) => {
    if (!isBroken) onFault(`events are lost from here on: ${codeOf(error)} (${target})`);
    isBroken = true;
  });
  return {
    write: (event) => {
      if (!isBroken) stream.write(`${JSON.stringify(event)}\n`);
    },
    close: () =>
      new Promise((resolve) => {
        if (isBroken) {
          resolve();
          return;
        }
        stream.once("error", () => resolve());
        stream.end(resolve);
      }),
  };
}
