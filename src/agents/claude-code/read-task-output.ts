// What a command in the background said, from the file that Claude Code keeps for it (measured with 2.1.332). The file's name
// comes from a prompt, which may be anybody's words: it is believed only if it is the very file of that task and session.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import path from "node:path";
import type { TaskOutput } from "../agent.js";

/** The end of an output says most; its beginning is cut anyway. */
const MAX_BYTES = 64 * 1024;
/** Claude Code's own last line, not the command's: `\n[exited with code 5]\n`. */
const OWN_END = /\n?\[exited with code -?\d{1,10}\]\n?$/u;

/** The end of the output of `task`, and the bytes before it; null when it is not that file or cannot be read. Never throws. */
export function readTaskOutput(file: string | null, task: string, sessionId: string): TaskOutput | null {
  if (file === null || !path.isAbsolute(file)) return null;
  // …/<session id>/tasks/<task id>.output
  const expected = [sessionId, "tasks", `${task}.output`].join("/");
  if (!path.normalize(file).replaceAll("\\", "/").endsWith(`/${expected}`)) return null;
  let fd: number;
  try {
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
    fd = openSync(file, flags);
  } catch {
    return null;
  }
  try {
    const facts = fstatSync(fd);
    if (!facts.isFile()) return null;
    const from = Math.max(0, facts.size - MAX_BYTES);
    const bytes = Buffer.alloc(Math.min(facts.size, MAX_BYTES));
    const got = readSync(fd, bytes, 0, bytes.length, from);
    return { text: bytes.toString("utf8", 0, got).replace(OWN_END, ""), cut_bytes: from };
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
