// Which process is this, and is that one still alive? By process id and start time, so that a reused id fools nobody.
import { readFileSync } from "node:fs";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { hasCode } from "./has-code.js";

/** A process on some machine. */
export interface ProcessIdentity {
  readonly pid: number;
  /** For people. */
  readonly host: string;
  /** Equal for processes that see each other's process ids: one boot of one machine, one container. */
  readonly machine: string;
  /** Start of the process in the system's own ticks; null where the system does not tell. */
  readonly started: string | null;
}

const orNull = (promise: Promise<string>): Promise<string | null> =>
  promise.then(
    (text) => text.trim(),
    () => null,
  );

/** State letter and start time in a process's own file, as Linux tells them (proc(5): fields 3 and 22). */
function parseStat(text: string): { state: string; started: string } | null {
  // The name in brackets may hold anything, brackets too.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state] = fields;
  const started = fields[19];
  return state === undefined || started === undefined ? null : { state, started };
}

/** Null where the system has no such files, and for a process that is gone. */
async function readProcess(pid: number): Promise<{ state: string; started: string } | null> {
  const text = await orNull(readFile(`/proc/${pid}/stat`, "utf8"));
  return text === null ? null : parseStat(text);
}

/** The identity of another process of this machine, at once: it may be gone a moment later. */
export function identityOf(pid: number, { host, machine }: ProcessIdentity): ProcessIdentity {
  try {
    return {
      pid,
      host,
      machine,
      started: parseStat(readFileSync(`/proc/${pid}/stat`, "utf8"))?.started ?? null,
    };
  } catch {
    return { pid, host, machine, started: null };
  }
}

/** The identity of this process. */
export async function readOwnIdentity(): Promise<ProcessIdentity> {
  const [boot, namespace, self] = await Promise.all([
    orNull(readFile("/proc/sys/kernel/random/boot_id", "utf8")),
    orNull(readlink("/proc/self/ns/pid")),
    readProcess(process.pid),
  ]);
  const host = hostname();
  const machine = [host, boot, namespace].filter((part) => part !== null).join(" ");
  return { pid: process.pid, host, machine, started: self?.started ?? null };
}

/** `unknown`: it runs (or ran) on another machine, and nothing here can tell. */
export async function readLiveness(
  other: ProcessIdentity,
  own: ProcessIdentity,
): Promise<"alive" | "dead" | "unknown"> {
  if (other.machine !== own.machine) return "unknown";
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    if (!hasCode(error, "EPERM")) return "dead";
  }
  const found = await readProcess(other.pid);
  // Killed, and its parent has not looked yet.
  if (found !== null && (found.state === "Z" || found.state === "X")) return "dead";
  return found !== null && other.started !== null && found.started !== other.started ? "dead" : "alive";
}
