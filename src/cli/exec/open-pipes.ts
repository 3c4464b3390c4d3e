// Real pipes for a child's output. Node's own are sockets, and a program that opens /dev/stdout or /dev/stderr fails on one;
// and one pipe for both streams keeps their order where both go to one place.
import { spawnSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A pipe, by its descriptors. */
export interface Pipe {
  /** For the child; closed here as soon as the child has it. */
  readonly write: number;
  /** Does not block. */
  readonly read: number;
  /** The same end once more, opened apart: it blocks, for a process that takes over. */
  readonly spare: number;
}

/** The system's program for named pipes: Node has no call for pipes at all. */
const FIFO_MAKER = "mkfifo";

function openPipe(file: string): Pipe {
  const read = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const write = openSync(file, constants.O_WRONLY);
  return { write, read, spare: openSync(file, constants.O_RDONLY) };
}

/** So many pipes, without names by now; null where the system has none to give. Never throws. */
export function openPipes(count: number): Pipe[] | null {
  if (process.platform === "win32") return null;
  let folder: string | null = null;
  const pipes: Pipe[] = [];
  try {
    folder = mkdtempSync(path.join(tmpdir(), "handoff-exec-"));
    const files = Array.from({ length: count }, (_, i) => path.join(folder ?? "", String(i)));
    const made = spawnSync(FIFO_MAKER, ["-m", "600", ...files], { stdio: "ignore" });
    if (made.status !== 0) return null;
    for (const file of files) pipes.push(openPipe(file));
    return pipes;
  } catch {
    for (const { write, read, spare } of pipes) for (const fd of [write, read, spare]) closeSync(fd);
    return null;
  } finally {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  }
}
