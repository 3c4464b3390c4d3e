// The processes above one, with the words they were started with: who runs us, and for whom.
import { readFileSync } from "node:fs";
import { runProcess } from "./run-process.js";

/** A process above another. */
export interface Ancestor {
  readonly pid: number;
  /** Its command line, program first, where the system tells words apart; else split at blanks. */
  readonly words: readonly string[];
}

const LISTING = { cwd: "/", timeoutMs: 5000, maxBytes: 64 * 1024 * 1024 } as const;
/** No chain is ever that long. */
const MOST = 64;

function readLinuxParent(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name in brackets may hold anything, brackets too: state and parent follow it.
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
}

function readLinuxAncestry(pid: number): Ancestor[] {
  const found: Ancestor[] = [];
  try {
    for (let at = pid; at > 0 && found.length < MOST; at = readLinuxParent(at)) {
      const words = readFileSync(`/proc/${at}/cmdline`, "utf8").split("\0");
      found.push({ pid: at, words: words.at(-1) === "" ? words.slice(0, -1) : words });
    }
  } catch {
    // One of them ended, or is hidden from us: what is above it cannot be known.
  }
  return found;
}

async function readListedAncestry(pid: number): Promise<Ancestor[]> {
  const listed = await runProcess("ps", ["-axo", "pid=,ppid=,command="], LISTING);
  const rows = new Map<number, { parent: number; words: string[] }>();
  for (const line of listed.stdout.toString("utf8").split("\n")) {
    const [own = "", parent = "", ...words] = line.trim().split(/\s+/u);
    if (own !== "") rows.set(Number(own), { parent: Number(parent), words });
  }
  const found: Ancestor[] = [];
  for (let at = pid; found.length < MOST;) {
    const row = rows.get(at);
    if (row === undefined) break;
    found.push({ pid: at, words: row.words });
    at = row.parent;
  }
  return found;
}

/** `pid` itself and everything above it, nearest first, as far as it can be seen; empty on Windows. Never rejects. */
export async function readAncestry(pid: number): Promise<readonly Ancestor[]> {
  if (process.platform === "linux") return readLinuxAncestry(pid);
  if (process.platform === "win32") return [];
  return readListedAncestry(pid).catch(() => []);
}
