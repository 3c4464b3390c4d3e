// Carries a child's output to one of our own streams: the same bytes in the same order, no faster than they are taken, both
// ends remembered. Whoever reads us and goes away is gone for the child too.
import { spawn } from "node:child_process";
import { closeSync, readSync, write } from "node:fs";
import { type OnReadOpts, Socket, type SocketConstructorOpts } from "node:net";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { hasCode } from "../../io/has-code.js";
import type { Pipe } from "./open-pipes.js";
import { OutputWindow } from "./output-window.js";

const CHUNK_BYTES = 64 * 1024;
/** No pipe holds more: what a child wrote before it ended is within the next so many bytes. */
const MAX_PIPE_BYTES = 1024 * 1024;
/** A stream that somebody made non-blocking is tried again after so long. */
const RETRY_MS = 5;
/** Where no real pipe could be had, silence of so long counts as the end. */
const SILENCE_MS = 500;
/** Copies its standard input to its standard output. */
const COPIER = "cat";

/** Not by process.stdout: that would make our streams non-blocking for everybody who shares them. */
const writeOnce = promisify(write);

async function writeSome(fd: number, bytes: Buffer): Promise<number> {
  try {
    return (await writeOnce(fd, bytes, 0, bytes.length, null)).bytesWritten;
  } catch (error) {
    if (!hasCode(error, "EAGAIN")) throw error;
    await delay(RETRY_MS);
    return 0;
  }
}

/** null when all of it is written; else the system's code for why nobody takes it any more. */
async function writeAll(fd: number, bytes: Buffer): Promise<string | null> {
  let left = bytes;
  try {
    while (left.length > 0) left = left.subarray(await writeSome(fd, left));
    return null;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "EIO";
  }
}

/** A reader that goes away has what it wanted; everything else (a full disk) is a loss. */
const lossOf = (failed: string): string | null => (failed === "EPIPE" ? null : failed);

/** One way from a child to one of our streams. */
export interface Relay {
  readonly window: OutputWindow;
  /** The system's code for why output was lost on its way; null: none was. */
  readonly lost: () => string | null;
  /** After the child ended: all that it wrote is through. */
  readonly finish: () => Promise<void>;
}

/** Relays what is written into a real pipe. */
export function relayPipe({ read, spare }: Pipe, fd: number): Relay {
  const window = new OutputWindow();
  const state: { isOver: boolean; isFinishing: boolean; lost: string | null } = {
    isOver: false,
    isFinishing: false,
    lost: null,
  };
  let pending: Promise<void> = Promise.resolve();
  const over = (): void => {
    if (state.isOver) return;
    state.isOver = true;
    socket.destroy();
    closeSync(spare);
  };
  const take = async (bytes: Buffer): Promise<void> => {
    window.add(bytes);
    const failed = await writeAll(fd, bytes);
    if (failed !== null) {
      state.lost ??= lossOf(failed);
      over();
    } else if (!state.isFinishing && !state.isOver) socket.resume();
  };
  const options: SocketConstructorOpts & { onread: OnReadOpts } = {
    fd: read,
    readable: true,
    writable: false,
    onread: {
      buffer: Buffer.allocUnsafe(CHUNK_BYTES),
      callback: (count, { buffer, byteOffset }) => {
        pending = take(Buffer.from(buffer, byteOffset, count));
        // No more until this is through.
        return false;
      },
    },
  };
  const socket = new Socket(options);
  socket.on("end", over);
  socket.on("error", over);

  /** What is in the pipe now. Afterwards it is empty, and over if nobody else has it open; or others write on and on. */
  const drain = async (): Promise<void> => {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let left = MAX_PIPE_BYTES; left > 0 && !state.isOver;) {
      let count: number;
      try {
        count = readSync(read, buffer);
      } catch (error) {
        if (!hasCode(error, "EAGAIN")) over();
        return;
      }
      left -= count;
      if (count === 0) over();
      else await take(buffer.subarray(0, count));
    }
  };
  /** Somebody the child left behind still has the pipe: a copier stays with it, so that we can end as the child did. */
  const leaveToOthers = (): void => {
    const copier = spawn(COPIER, [], { stdio: [spare, fd, "ignore"], detached: true });
    copier.on("error", () => undefined);
    copier.unref();
  };
  return {
    window,
    lost: () => state.lost,
    finish: async () => {
      state.isFinishing = true;
      if (!state.isOver) socket.pause();
      await pending;
      await drain();
      if (state.isOver) return;
      leaveToOthers();
      over();
    },
  };
}

/** The same of a stream of Node's. */
export function relayStream(stream: Readable, fd: number): Relay {
  const window = new OutputWindow();
  const state: { isOver: boolean; movedAt: number; lost: string | null } = {
    isOver: false,
    movedAt: 0,
    lost: null,
  };
  const copy = async (): Promise<void> => {
    for await (const chunk of stream) {
      if (!Buffer.isBuffer(chunk)) continue;
      window.add(chunk);
      const failed = await writeAll(fd, chunk);
      if (failed !== null) {
        state.lost = lossOf(failed);
        return;
      }
      state.movedAt = performance.now();
    }
  };
  const copying = copy()
    .catch(() => undefined)
    .finally(() => {
      state.isOver = true;
      stream.destroy();
    });
  const silence = async (): Promise<void> => {
    state.movedAt = performance.now();
    while (!state.isOver && performance.now() - state.movedAt < SILENCE_MS) await delay(SILENCE_MS / 10);
  };
  return {
    window,
    lost: () => state.lost,
    finish: async () => {
      await Promise.race([copying, silence()]);
      stream.destroy();
    },
  };
}
