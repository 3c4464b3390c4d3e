// One line to the end of a log, in one write: hooks run side by side, and none may tear another's line (A7).
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, writeSync } from "node:fs";
import path from "node:path";
import { hasCode } from "../io/has-code.js";
import { makeSessionFolder, refuseOutside, rootOf } from "./session-folder.js";

const APPEND =
  constants.O_RDWR |
  constants.O_APPEND |
  constants.O_CREAT |
  // A link or a FIFO in the log's place is not ours to follow or to wait for. Both are absent on Windows.
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);
const NEWLINE = 0x0a;

/** The session's folder is made when it is missing. Wherever it lies, a link must not lead out of the workbench (P43). */
function openLog(file: string): number {
  const folder = path.dirname(file);
  try {
    refuseOutside(folder, realpathSync(rootOf(folder)));
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    makeSessionFolder(folder);
  }
  return openSync(file, APPEND, 0o666);
}

/** True when the file ends in the middle of a line: a writer died, or the disk was full. */
function isTorn(fd: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== NEWLINE;
}

/**
 * Appends `line` (without newline) to a file in a session's folder. A torn last line is ended first, so that it costs
 * itself only. Throws what the system throws, also when only a part could be written.
 */
export function appendLine(file: string, line: string): void {
  const fd = openLog(file);
  try {
    const facts = fstatSync(fd);
    if (!facts.isFile()) throw new Error(`${path.basename(file)} is not a regular file`);
    const bytes = Buffer.from(`${isTorn(fd, facts.size) ? "\n" : ""}${line}\n`);
    const written = writeSync(fd, bytes);
    if (written !== bytes.length)
      throw new Error(`${path.basename(file)}: only ${written} of ${bytes.length} bytes could be written`);
  } finally {
    closeSync(fd);
  }
}
