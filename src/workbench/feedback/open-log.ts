// Opens a log file safely (P8): never hangs on a FIFO, never throws for a file that is gone or forbidden.
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { throwShortage } from "../../io/system-shortage.js";
import type { Diagnostic } from "../../model/diagnostic.js";

/** A feedback log to scan. */
export interface LogFile {
  readonly absolute: string;
  /** Relative to the workbench root, forward slashes. */
  readonly path: string;
}

/** An open log. `size` is what it had when opened: what is written later belongs to the next scan. */
export interface OpenLog extends LogFile {
  readonly fd: number;
  readonly size: number;
  readonly identity: string;
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "folder";
  if (stats.isFIFO()) return "FIFO";
  return stats.isSocket() ? "socket" : "device";
}

function notRegular(path: string, kind: string): Diagnostic {
  const source = { path };
  return { code: "artifact.not_regular", severity: "error", artifact: "feedback", source, args: { kind } };
}

/** The diagnostic for a failed call on a log. Throws UsageError where the system ran out of something (S5). */
export function unreadable(path: string, error: unknown): Diagnostic {
  throwShortage(error);
  const args = { reason: systemCode(error) };
  return { code: "artifact.unreadable", severity: "error", artifact: "feedback", source: { path }, args };
}

/** Opens one log, or says why not. The caller closes it with {@link closeLog}. */
export function openLog(file: LogFile): OpenLog | Diagnostic {
  try {
    // O_NONBLOCK: opening a FIFO without a writer would wait for one. It changes nothing for a regular file.
    const fd = openSync(file.absolute, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(fd);
    if (stats.isFile()) {
      return { ...file, fd, size: stats.size, identity: `${stats.dev}:${stats.ino}` };
    }
    closeSync(fd);
    return notRegular(file.path, kindOf(stats));
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENXIO") return notRegular(file.path, "socket");
    // Some systems do not open a folder at all.
    return code === "EISDIR" ? notRegular(file.path, "folder") : unreadable(file.path, error);
  }
}

/** A failed call of the system, and not a mistake of ours. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

/** The system's code of a failed call, such as `EACCES`. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown";
}

export function closeLog(log: OpenLog): void {
  closeSync(log.fd);
}

/** Reads `length` bytes at `offset`; fewer when the file ends before. */
export function readAt(log: OpenLog, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, length));
  let have = 0;
  while (have < bytes.length) {
    const got = readSync(log.fd, bytes, have, bytes.length - have, offset + have);
    if (got === 0) break;
    have += got;
  }
  return bytes.subarray(0, have);
}
