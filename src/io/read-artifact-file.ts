// Reads one file of a workbench: regular files inside the root only, never more than a limit, never a wait (S18).
// Bad input is an outcome, not an exception; the text is decoded as P7 asks, the digest is of the raw bytes. The calls to
// the system are made at once: these are dozens of small files, and a thread's round trip takes longer than each call.
import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
} from "node:fs";
import path from "node:path";
import { sha256Hex } from "../text/digest.js";
import { shortageOf } from "./system-shortage.js";

/** Largest JSON artifact that is read, in bytes. */
export const MAX_ARTIFACT_BYTES = 16 * 1024 * 1024;

/** Somebody makes and removes a file: after so many looks it counts as not there. */
const LOOKS = 3;

/** A file's bytes and their decoded text. */
export interface FileText {
  readonly status: "read";
  /** Without byte order mark. Invalid UTF-8 is replaced by U+FFFD. */
  readonly text: string;
  /** SHA-256 of the raw bytes, lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
  /** How many sequences were not valid UTF-8. */
  readonly invalid_sequences: number;
}

/** Why there is no text. `kind`, `bytes` and `limit` are for the diagnostic of the same name. */
export type FileProblem =
  | { readonly status: "missing" }
  | { readonly status: "outside_root" }
  | { readonly status: "not_regular"; readonly kind: string }
  | { readonly status: "too_large"; readonly bytes: number; readonly limit: number }
  | { readonly status: "unreadable"; readonly reason: string };

/** A regular file that may be read: its real path, every symbolic link resolved. */
export interface FoundFile {
  readonly status: "found";
  readonly real_path: string;
  readonly bytes: number;
}

/** The system's code. Throws UsageError where the system ran out of something: the file has nothing to do with it (S5). */
function reasonOf(error: unknown, file: string): string {
  if (!(error instanceof Error && "code" in error)) return "unknown";
  const short = shortageOf(String(error.code), file);
  if (short !== null) throw short;
  return String(error.code);
}

/** True when `inner` is `outer` or below it. Both absolute; symbolic links are the caller's business. */
export function isInside(inner: string, outer: string): boolean {
  const way = path.relative(outer, inner);
  return way === "" || (!path.isAbsolute(way) && way !== ".." && !way.startsWith(`..${path.sep}`));
}

/**
 * True for a path that is git's own folder or below it, in every spelling that some file system takes for `.git` (case,
 * trailing dots and spaces, a stream, the short name). What is written there can ruin the repository.
 */
export function isGitFolder(file: string): boolean {
  return file.split(/[/\\]/u).some((segment) => /^(?:\.git|git~\d+)[. ]*(?::.*)?$/iu.test(segment));
}

function kindOf(facts: Stats): string {
  if (facts.isDirectory()) return "folder";
  if (facts.isFIFO()) return "FIFO";
  if (facts.isSocket()) return "socket";
  return "device";
}

/** True when there is nothing at all: most places that are looked at, and an exception costs more than the look. */
function isAbsent(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) === undefined;
  } catch {
    // Whatever it is, the next look tells.
    return false;
  }
}

/**
 * `missing` for nothing at all; a link that leads nowhere is there, but cannot be read. Null: it is there again, as somebody makes
 * it anew.
 */
function explainMissing(file: string): FileProblem | null {
  try {
    return lstatSync(file).isSymbolicLink() ? { status: "unreadable", reason: "dangling link" } : null;
  } catch (error) {
    const reason = reasonOf(error, file);
    return reason === "ENOENT" || reason === "ENOTDIR"
      ? { status: "missing" }
      : { status: "unreadable", reason };
  }
}

/** Looks once; null: it went away and came back in between. */
function findOnce(realRoot: string | null, file: string): FoundFile | FileProblem | null {
  const absolute = realRoot === null ? path.resolve(file) : path.resolve(realRoot, file);
  if (isAbsent(absolute)) return { status: "missing" };
  let real: string;
  let facts: Stats;
  try {
    real = realpathSync.native(absolute);
    facts = lstatSync(real);
  } catch (error) {
    const reason = reasonOf(error, absolute);
    return reason === "ENOENT" || reason === "ENOTDIR"
      ? explainMissing(absolute)
      : { status: "unreadable", reason };
  }
  if (realRoot !== null && !isInside(real, realRoot)) return { status: "outside_root" };
  if (!facts.isFile()) return { status: "not_regular", kind: kindOf(facts) };
  return { status: "found", real_path: real, bytes: facts.size };
}

/**
 * Looks a file up without opening it.
 * @param realRoot real path of the folder that must hold it after every symbolic link; null: anywhere
 * @param file relative to `realRoot`, or absolute
 */
export async function findArtifactFile(
  realRoot: string | null,
  file: string,
): Promise<FoundFile | FileProblem> {
  return again(() => findOnce(realRoot, file));
}

/** Looks, and once more while what was there a moment ago was not there when it was reached for. */
function again<T>(look: () => T | null): T | FileProblem {
  for (let count = 1; count <= LOOKS; count += 1) {
    const found = look();
    if (found !== null) return found;
  }
  return { status: "missing" };
}

/** At most `limit` bytes; null when there are more, whatever the size said before. */
function readAtMost(fd: number, expected: number, limit: number): Buffer | null {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.min(1024 * 1024, Math.max(4096, expected + 1 - total)));
    const bytesRead = readSync(fd, chunk, 0, chunk.length, null);
    if (bytesRead === 0) return Buffer.concat(chunks, total);
    total += bytesRead;
    if (total > limit) return null;
    chunks.push(chunk.subarray(0, bytesRead));
  }
}

function countOf(bytes: Buffer, needle: string | Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + 1)) count += 1;
  return count;
}

function withoutMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

/** Decodes UTF-8, or UTF-16 when a byte order mark says so (some Windows shells write it). */
function decode(bytes: Buffer): { text: string; invalid: number } {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-16be";
  if (utf16 === "utf-16le" || (bytes[0] === 0xfe && bytes[1] === 0xff))
    return { text: new TextDecoder(utf16).decode(bytes), invalid: 0 };
  // Making a decoder takes longer than decoding a small file.
  if (isUtf8(bytes)) return { text: withoutMark(bytes.toString("utf8")), invalid: 0 };
  const text = new TextDecoder("utf-8").decode(bytes);
  // Replacement characters that were written as such are not invalid.
  const replaced = text.split("\ufffd").length - 1;
  return { text, invalid: Math.max(1, replaced - countOf(bytes, "\ufffd")) };
}

/** Reads once; null: it was there, and was not when it was opened. */
function readOnce(realRoot: string | null, file: string, limit: number): FileText | FileProblem | null {
  const found = findOnce(realRoot, file);
  if (found?.status !== "found") return found;
  if (found.bytes > limit) return { status: "too_large", bytes: found.bytes, limit };
  let fd: number | null = null;
  try {
    // O_NONBLOCK: between the look and the open a FIFO may have taken the file's place. Both flags are absent on Windows.
    fd = openSync(
      found.real_path,
      constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0),
    );
    const facts = fstatSync(fd);
    if (!facts.isFile()) return { status: "not_regular", kind: kindOf(facts) };
    const bytes = readAtMost(fd, facts.size, limit);
    if (bytes === null) return { status: "too_large", bytes: Math.max(facts.size, limit + 1), limit };
    const { text, invalid } = decode(bytes);
    const sha256 = sha256Hex(bytes);
    return { status: "read", text, sha256, bytes: bytes.length, invalid_sequences: invalid };
  } catch (error) {
    const reason = reasonOf(error, found.real_path);
    return reason === "ENOENT" || reason === "ENOTDIR" ? null : { status: "unreadable", reason };
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/**
 * Reads a file found at `file` (relative to `realRoot`, or absolute when `realRoot` is null).
 * A link inside the root to a file inside the root is followed. A FIFO, socket or device is never opened for long:
 * the open does not block, and what was opened is checked again. Never throws for what is on disk; UsageError when the
 * system has no more open files or memory to give.
 */
export async function readArtifactFile(
  realRoot: string | null,
  file: string,
  limit: number = MAX_ARTIFACT_BYTES,
): Promise<FileText | FileProblem> {
  return again(() => readOnce(realRoot, file, limit));
}
