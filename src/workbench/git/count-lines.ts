// Counts the lines of untracked files, as git would if they were added, within a fixed amount of reading.
import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { throwShortage } from "../../io/system-shortage.js";

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_TOTAL_BYTES = 16 * 1024 * 1024;
/** Git looks this far for a NUL to call a file binary. */
const BINARY_PROBE_BYTES = 8000;
const AT_ONCE = 16;

/** Lines per file, in the given order; null: binary, too large, over the total, or not readable. */
export async function countLines(files: readonly Buffer[]): Promise<(number | null)[]> {
  const sizes = await mapBounded(files, (file) =>
    lstat(file).then(
      (s) => (s.isSymbolicLink() ? "link" : s.isFile() && s.size <= MAX_FILE_BYTES ? s.size : null),
      () => null,
    ),
  );
  // Who fits is decided before any file is read: the order of finishing must not choose.
  let total = 0;
  const fits = sizes.map((size) => {
    if (typeof size !== "number" || total + size > MAX_TOTAL_BYTES) return false;
    total += size;
    return true;
  });
  return mapBounded(files, async (file, i) => {
    if (sizes[i] === "link") return 1; // git stores the target as one line
    const size = sizes[i];
    return fits[i] === true && typeof size === "number" ? countFile(file, size) : null;
  });
}

async function countFile(file: Buffer, size: number): Promise<number | null> {
  try {
    // Not followed and not waited for: the name may have become a link or a FIFO since it was listed.
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const buffer = Buffer.alloc(size);
      const { bytesRead } = await handle.read(buffer, 0, size, 0);
      return countText(buffer.subarray(0, bytesRead));
    } finally {
      await handle.close();
    }
  } catch (error) {
    throwShortage(error);
    return null;
  }
}

/** Lines of a text, an unfinished last one included; null for a binary. */
export function countText(text: Buffer): number | null {
  if (text.subarray(0, BINARY_PROBE_BYTES).includes(0)) return null;
  if (text.length === 0) return 0;
  let lines = text.at(-1) === 0x0a ? 0 : 1;
  for (let at = text.indexOf(0x0a); at !== -1; at = text.indexOf(0x0a, at + 1)) lines += 1;
  return lines;
}

async function mapBounded<T, R>(
  items: readonly T[],
  action: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    const slice = items.slice(start, start + AT_ONCE);
    results.push(...(await Promise.all(slice.map((item, i) => action(item, start + i)))));
  }
  return results;
}
