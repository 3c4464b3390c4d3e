// For tests: this process is held up, as it is on a loaded machine or while it computes, until something has happened outside.
import { existsSync, readFileSync } from "node:fs";

const nap = new Int32Array(new SharedArrayBuffer(4));
const MOST_MS = 30_000;

/** Holds everything up until `isSo`, and at least for `ms`. Throws after half a minute. */
export function holdUp(ms: number, isSo: () => boolean): void {
  const start = performance.now();
  while (performance.now() - start < ms || !isSo()) {
    if (performance.now() - start > MOST_MS) throw new Error("what was waited for did not happen");
    Atomics.wait(nap, 0, 0, 5);
  }
}

/** True once the process whose id is in `file` has ended; its parent has not heard of it yet. */
export function hasEnded(file: string): boolean {
  const pid = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  if (pid === "") return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return true;
  }
}
