// Small files of ours in a session's folder: read and written, but never through a link and never with a wait, since what
// stands in their place may be anybody's link, FIFO or device (P43, A6). Synchronous: hooks do one thing and end.
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, writeFileSync } from "node:fs";
import path from "node:path";

/** Both are absent on Windows. */
const GUARD = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

function withFile<T>(file: string, flags: number, use: (fd: number, facts: Stats) => T): T {
  const fd = openSync(file, flags | GUARD, 0o666);
  try {
    const facts = fstatSync(fd);
    if (!facts.isFile()) throw new Error(`${path.basename(file)} is not a regular file`);
    return use(fd, facts);
  } finally {
    closeSync(fd);
  }
}

/** Its text; null when it is no plain file of at most `maxBytes`, or cannot be read. Never throws, never waits. */
export function readOwnFile(file: string, maxBytes: number): string | null {
  try {
    return withFile(file, constants.O_RDONLY, (fd, { size }) => {
      if (size > maxBytes) return null;
      const bytes = Buffer.alloc(size);
      return bytes.toString("utf8", 0, readSync(fd, bytes, 0, size, 0));
    });
  } catch {
    return null;
  }
}

/** Writes it anew. Throws what the system throws, and for whatever stands there and is no plain file. Never waits. */
export function writeOwnFile(file: string, text: string): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;
  withFile(file, flags, (fd) => writeFileSync(fd, text));
}
