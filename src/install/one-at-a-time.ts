// Installations of one person on one machine, one after the other: each reads what the one before has written, the record
// included. What is held is a name that the system lends to one process and takes back with its end: nothing is left on the disk.
import { createServer, type Server } from "node:net";
import os from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { hasCode } from "../io/has-code.js";
import { sha256Hex } from "../text/digest.js";

/** Each takes a moment. Somebody who holds the name for longer is none of ours. */
const WAIT_MS = 20_000;
const LOOK_MS = 25;

/** A name that one process at a time can have; null: the system has none that goes with its process. */
function nameOf(): string | null {
  // One whose id has no name is somebody, too.
  if (process.platform === "linux") return `\0handoff-init-${process.getuid?.() ?? ""}`;
  if (process.platform !== "win32") return null;
  return `\\\\.\\pipe\\handoff-init-${sha256Hex(os.userInfo().username).slice(0, 16)}`;
}

/** `taken`: another process has it. null: it cannot be had at all. */
function hold(name: string): Promise<Server | "taken" | null> {
  return new Promise((resolve) => {
    // Nobody is listened to.
    const server = createServer((socket) => socket.destroy());
    server.on("error", (error) => resolve(hasCode(error, "EADDRINUSE") ? "taken" : null));
    server.listen({ path: name }, () => resolve(server));
    server.unref();
  });
}

/** Waits for the name, up to a bound; null: it is done without. */
async function take(): Promise<Server | null> {
  const name = nameOf();
  if (name === null) return null;
  for (const until = performance.now() + WAIT_MS; ; await delay(LOOK_MS)) {
    const held = await hold(name);
    if (held !== "taken") return held;
    if (performance.now() >= until) return null;
  }
}

/**
 * Runs `work` when no other one of this person runs here. After a bound, and where the system cannot tell, it is run all the
 * same: what it changes it looks at once more itself. Throws what `work` throws.
 */
export async function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const held = await take();
  try {
    return await work();
  } finally {
    held?.close();
  }
}
