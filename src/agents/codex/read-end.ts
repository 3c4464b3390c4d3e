// The end of a file that somebody else is writing, as much of it as is wanted, and no more.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** A part of a file. */
interface Part {
  readonly bytes: Buffer;
  /** Where in the file it begins. */
  readonly at: number;
}

/** At most the last `limit` bytes, and none before `from`; null when there are none or it cannot be read. Never throws. */
export function readEnd(file: string, from: number, limit: number): Part | null {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch {
    return null;
  }
  try {
    const facts = fstatSync(fd);
    const at = Math.max(from, facts.size - limit, 0);
    if (!facts.isFile() || facts.size <= at) return null;
    const bytes = Buffer.allocUnsafe(facts.size - at);
    let have = 0;
    while (have < bytes.length) {
      const got = readSync(fd, bytes, have, bytes.length - have, at + have);
      if (got === 0) break;
      have += got;
    }
    return { bytes: bytes.subarray(0, have), at };
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
