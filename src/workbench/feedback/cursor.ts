// The cursor (P20): the whole state of a scan at a line's end, so that the next scan reads only what was appended. It is
// used only when the files, the options and this code are those it was taken with and the bytes it stands on are unchanged.
import { sha256Hex } from "../../text/digest.js";
import { readCursorFile, writeCursorFile } from "./cursor-file.js";
import { SCAN_KERNEL_WASM } from "./kernel/scan-kernel-wasm.js";
import type { Kernel } from "./kernel-memory.js";
import { readAt, type OpenLog } from "./open-log.js";
import type { LineReduction, LineReductionState } from "./reduce-lines.js";
import type { FileBook } from "./take-lines.js";

/** Raise it whenever the meaning of a line or of the state changes. */
const FORMAT = 2;
const VERSION = `${FORMAT}-${sha256Hex(SCAN_KERNEL_WASM).slice(0, 16)}`;
/** Bytes hashed at a file's beginning and before the place reached. */
const WINDOW = 64 * 1024;

/** The options a cursor depends on. */
export interface CursorOptions {
  readonly watch: readonly string[];
  readonly maxGroups: number;
}

interface FileState {
  readonly identity: string;
  /** Bytes taken in. Of the last file, up to a line's end. */
  readonly offset: number;
  readonly head: string;
  readonly window: string;
  readonly book: FileBook;
}

interface CursorBody extends CursorOptions {
  readonly version: string;
  readonly files: readonly FileState[];
  readonly reduction: LineReductionState;
  readonly tail: readonly number[];
  readonly ids: { readonly number: number; readonly bucket_bits: number };
}

function digestAt(log: OpenLog, from: number, to: number): string {
  const bytes = readAt(log, Math.max(0, from), to - Math.max(0, from));
  return `${bytes.length}:${sha256Hex(bytes)}`;
}

function digests(log: OpenLog, offset: number): { head: string; window: string } {
  return {
    head: digestAt(log, 0, Math.min(WINDOW, offset)),
    window: digestAt(log, offset - WINDOW, offset),
  };
}

/** Whether the bytes the cursor stands on are still there. Only the last file may have grown. */
function stands(file: FileState, log: OpenLog, last: boolean): boolean {
  const { head, window } = digests(log, file.offset);
  return (
    file.book.path === log.path &&
    file.identity === log.identity &&
    (last ? log.size >= file.offset : log.size === file.offset) &&
    file.head === head &&
    file.window === window
  );
}

function fits(body: CursorBody, options: CursorOptions, logs: readonly OpenLog[]): boolean {
  return (
    body.version === VERSION &&
    body.maxGroups === options.maxGroups &&
    JSON.stringify(body.watch) === JSON.stringify(options.watch) &&
    body.files.length === logs.length &&
    body.files.every((file, index) => {
      const log = logs[index];
      return log !== undefined && stands(file, log, index === logs.length - 1);
    })
  );
}

/** Where a resumed scan goes on: the books of all files; the last one's `bytes` is the place reached. */
export type ResumedBooks = readonly FileBook[];

/**
 * Puts a fresh kernel and reduction into the cursor's state. Null when the cursor does not fit or there is none; `damaged`
 * when its checksums do not hold. In both cases the kernel and the reduction may be spoilt: take fresh ones.
 */
export function resumeFromCursor(
  folder: string,
  options: CursorOptions,
  logs: readonly OpenLog[],
  kernel: Kernel,
  reduction: LineReduction,
): ResumedBooks | null | "damaged" {
  return readCursorFile(folder, (cursor) => {
    // The checksum held, so this is what saveCursor wrote; the version says by which code.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const saved = JSON.parse(cursor.body.toString("utf8")) as CursorBody;
    if (!fits(saved, options, logs)) return null;
    const { number, bucket_bits } = saved.ids;
    reduction.groups.makeRoom(saved.reduction.groups);
    const parts = [...kernel.idParts(number, bucket_bits), ...reduction.groups.parts()];
    if (!cursor.takeBlobs(parts)) return "damaged";
    kernel.setIds(number, bucket_bits);
    kernel.tail.set(saved.tail);
    reduction.restore(saved.reduction);
    return saved.files.map(({ book, offset }) => ({ ...book, bytes: offset }));
  });
}

/** Writes the state of a scan that has taken in everything up to `offset`, a line's end of the last file. Throws what the system throws. */
export function saveCursor(
  folder: string,
  options: CursorOptions,
  logs: readonly OpenLog[],
  books: readonly FileBook[],
  offset: number,
  kernel: Kernel,
  reduction: LineReduction,
): void {
  const [number, bucket_bits] = [kernel.getIdNumber(), kernel.getBucketBits()];
  const body: CursorBody = {
    version: VERSION,
    watch: options.watch,
    maxGroups: options.maxGroups,
    files: logs.flatMap((log, index) => {
      const book = books[index];
      if (book === undefined) return [];
      const reached = index === logs.length - 1 ? offset : book.bytes;
      return [{ identity: log.identity, offset: reached, ...digests(log, reached), book }];
    }),
    reduction: reduction.save(),
    tail: [...kernel.tail],
    ids: { number, bucket_bits },
  };
  writeCursorFile(folder, Buffer.from(JSON.stringify(body)), [
    ...kernel.idParts(number, bucket_bits),
    ...reduction.groups.parts(),
  ]);
}
