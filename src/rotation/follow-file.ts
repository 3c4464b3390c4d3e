// Follows a file that an agent writes while it works, line by line, from where it stood: looked at now and then, since no
// file system promises to tell, and once more at the end.
import { open, stat, type FileHandle } from "node:fs/promises";
import { splitLines } from "../io/line-splitter.js";

const PIECE = 256 * 1024;
/** Longest pause between two looks for a file that is not there yet, in milliseconds. */
const LONGEST_PAUSE = 2000;

export interface FollowOptions {
  /** Its path, once it is there. */
  readonly find: () => Promise<string | null>;
  /** True: all of it; false: what comes after this moment. */
  readonly fromStart: boolean;
  readonly everyMs: number;
  /** null: a line that is too long to be kept. */
  readonly onLine: (line: string | null) => void;
}

/** A file being followed. */
export interface FollowedFile {
  /** Reads what is left, and stops. */
  readonly end: () => Promise<void>;
  /** True once it could be opened. */
  readonly found: () => boolean;
}

/** Starts to follow. A file that never comes, or cannot be read, says nothing. */
export function followFile({ find, fromStart, everyMs, onLine }: FollowOptions): FollowedFile {
  const lines = splitLines(onLine);
  const buffer = Buffer.alloc(PIECE);
  let handle: FileHandle | null = null;
  let position = 0;
  let pause = everyMs;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  const openIt = async (): Promise<FileHandle | null> => {
    const file = await find();
    if (file === null) return null;
    if (!fromStart) position = (await stat(file)).size;
    return open(file, "r");
  };
  const read = async (): Promise<void> => {
    try {
      handle ??= await openIt();
      for (;;) {
        const got = await handle?.read(buffer, 0, PIECE, position);
        if (got === undefined || got.bytesRead === 0) return;
        position += got.bytesRead;
        lines.push(buffer.subarray(0, got.bytesRead));
      }
    } catch {
      // Gone or unreadable: its agent's own output is all there is.
    }
  };
  let reading: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    await read();
    // Looking for a file costs more than looking into one.
    pause = handle === null ? Math.min(pause * 1.5, LONGEST_PAUSE) : everyMs;
    if (!isOver) timer = setTimeout(tick, pause);
  };
  const tick = (): void => {
    reading = look();
  };
  tick();
  return {
    found: () => handle !== null,
    end: async () => {
      isOver = true;
      clearTimeout(timer);
      await reading;
      await read();
      lines.end();
      await handle?.close().catch(() => undefined);
    },
  };
}
