// Reads a log block by block into one buffer and hands out whole lines (P8, P18): no line is ever split, and a line that
// is too long for the buffer is gathered apart, up to 16 MiB.
import { readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";

/** Longest line that is loaded (P8). */
export const LINE_LIMIT = 16 * 1024 * 1024;
/** How often a scan lets other work of the process run. */
const BREATH = 32 * 1024 * 1024;
const NEWLINE = 10;

/** Takes the lines of one file, in order. */
export interface LineSink {
  /** Where blocks are read into. */
  readonly buffer: Buffer;
  /** Whole lines, each with its newline, in `buffer[from..to)`; `offset` is the file offset of `buffer[from]`. */
  block(from: number, to: number, offset: number): void;
  /** A line by itself, without newline: one too long for the buffer (null: too long at all), or an unended last one. */
  line(bytes: Buffer | null, offset: number, length: number): void;
  /** All lines that had their newline are taken in; what follows may be an unended last line. */
  atLineEnd(offset: number): void;
}

/**
 * Reads a file from `offset` (a line's beginning) to `size`. Returns the offset reached, which is less than `size` when the
 * file became shorter meanwhile. Throws what the system throws on a read error.
 */
export async function readLines(
  fd: number,
  from: number,
  size: number,
  sink: LineSink,
  onProgress: (offset: number) => void,
): Promise<number> {
  const { buffer } = sink;
  let offset = from; // of buffer[0]
  let held = 0; // bytes of a line that is not whole yet
  let breath = from + BREATH;
  const fill = (at: number, fileOffset: number): number =>
    readSync(fd, buffer, at, Math.min(buffer.length - at, Math.max(0, size - fileOffset)), fileOffset);

  for (;;) {
    const got = fill(held, offset + held);
    if (got === 0) break;
    const end = held + got;
    const last = buffer.subarray(held, end).lastIndexOf(NEWLINE);
    if (last !== -1) {
      const whole = held + last + 1;
      sink.block(0, whole, offset);
      buffer.copyWithin(0, whole, end);
      offset += whole;
      held = end - whole;
    } else if (end < buffer.length) held = end;
    else {
      const long = gatherLongLine(buffer, fill, offset);
      if (!long.ended) sink.atLineEnd(offset);
      sink.line(long.bytes, offset, long.length);
      offset += long.length + (long.ended ? 1 : 0);
      held = long.rest;
      // What was read past the line already holds other lines: hand them out before reading on.
      const lastOfRest = buffer.subarray(0, held).lastIndexOf(NEWLINE);
      if (lastOfRest !== -1) {
        sink.block(0, lastOfRest + 1, offset);
        buffer.copyWithin(0, lastOfRest + 1, held);
        offset += lastOfRest + 1;
        held -= lastOfRest + 1;
      }
      if (!long.ended) return offset;
    }
    if (offset > breath) {
      onProgress(offset);
      breath = offset + BREATH;
      await setImmediate();
    }
  }
  sink.atLineEnd(offset);
  if (held > 0) sink.line(buffer.subarray(0, held), offset, held);
  return offset + held;
}

/** The buffer is full and holds no newline: reads on until the line ends, keeping it only while it is within the limit. */
function gatherLongLine(
  buffer: Buffer,
  fill: (at: number, fileOffset: number) => number,
  offset: number,
): { bytes: Buffer | null; length: number; ended: boolean; rest: number } {
  let parts: Buffer[] | null = [Buffer.from(buffer)];
  let length = buffer.length;
  for (;;) {
    const got = fill(0, offset + length);
    const found = buffer.subarray(0, got).indexOf(NEWLINE);
    const piece = found === -1 ? got : found;
    length += piece;
    if (length > LINE_LIMIT) parts = null;
    else parts?.push(Buffer.from(buffer.subarray(0, piece)));
    if (found === -1 && got > 0) continue;
    const rest = found === -1 ? 0 : got - found - 1;
    buffer.copyWithin(0, got - rest, got);
    return { bytes: parts === null ? null : Buffer.concat(parts), length, ended: found !== -1, rest };
  }
}
