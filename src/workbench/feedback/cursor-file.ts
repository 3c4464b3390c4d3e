// The cursor's bytes on disk (P20): one line with checksums, a JSON body, then tables as they lie in memory.
// Written beside and renamed, so there is never half a cursor; read with every checksum held, so a damaged one is none.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { sha256Hex } from "../../text/digest.js";

const NAME = "feedback-cursor.bin";
const MAGIC = "handoff-feedback-cursor";
/** Longest first line and body that is believed. */
const HEAD_LIMIT = 256;
const BODY_LIMIT = 64 * 1024 * 1024;

function headOf(body: Buffer, blobs: readonly Buffer[]): Buffer {
  const sum = blobs.reduce((crc, blob) => crc32(blob, crc), 0);
  const bytes = blobs.reduce((total, { length }) => total + length, 0);
  return Buffer.from(`${MAGIC} ${body.length} ${sha256Hex(body)} ${bytes} ${sum}\n`);
}

/** Throws when a folder on the way is a link: writes stay where the workbench is (P43). */
function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    throw Object.assign(new Error("is a link"), { code: "ELOOP", syscall: "lstat" });
  }
}

/** Writes the cursor atomically, making the folder on need. Throws what the system throws. */
export function writeCursorFile(folder: string, body: Buffer, blobs: readonly Buffer[]): void {
  refuseLink(dirname(folder));
  refuseLink(folder);
  mkdirSync(folder, { recursive: true });
  const temporary = join(folder, `${NAME}.${process.pid}.tmp`);
  rmSync(temporary, { force: true });
  try {
    // What is in here is no part of anybody's repository.
    writeFileSync(join(folder, ".gitignore"), "*\n");
    const fd = openSync(temporary, "wx", 0o600);
    try {
      for (const part of [headOf(body, blobs), body, ...blobs]) {
        for (let done = 0; done < part.length;) done += writeSync(fd, part, done);
      }
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, join(folder, NAME));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A cursor being read: the body is checked; the blobs are checked when they are taken. */
export interface CursorReader {
  readonly body: Buffer;
  /** Reads the blobs into `targets`; false when they are not what was written, and the targets are then spoilt. */
  takeBlobs(targets: readonly Buffer[]): boolean;
}

function readFully(fd: number, target: Buffer, at: number): boolean {
  let have = 0;
  while (have < target.length) {
    const got = readSync(fd, target, have, target.length - have, at + have);
    if (got === 0) return false;
    have += got;
  }
  return true;
}

/** Hands the cursor in `folder` to `use`; null when there is none, `damaged` when its checksum does not hold. */
export function readCursorFile<T>(folder: string, use: (cursor: CursorReader) => T): T | null | "damaged" {
  let fd: number;
  try {
    // A FIFO in its place must not hold us up.
    fd = openSync(join(folder, NAME), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stats = fstatSync(fd);
    const start = Buffer.alloc(Math.min(HEAD_LIMIT, stats.size));
    if (!stats.isFile() || !readFully(fd, start, 0)) return "damaged";
    const head = /^(\S+) (\d+) ([0-9a-f]{64}) (\d+) (\d+)\n/u.exec(start.toString("latin1"));
    const [line = "", magic, bodyBytes, digest, blobBytes, sum] = head ?? [];
    const length = Number(bodyBytes);
    if (magic !== MAGIC || length > BODY_LIMIT) return "damaged";
    if (stats.size !== line.length + length + Number(blobBytes)) return "damaged";
    const body = Buffer.alloc(length);
    if (!readFully(fd, body, line.length) || sha256Hex(body) !== digest) return "damaged";
    return use({
      body,
      takeBlobs(targets) {
        let at = line.length + length;
        let crc = 0;
        for (const target of targets) {
          if (!readFully(fd, target, at)) return false;
          crc = crc32(target, crc);
          at += target.length;
        }
        return at === stats.size && crc === Number(sum);
      },
    });
  } catch {
    return "damaged";
  } finally {
    closeSync(fd);
  }
}
