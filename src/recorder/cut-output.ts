// What is kept of a command's output (A7): its first 5 and last 30 lines, in 4 KiB. Pure.

const HEAD_LINES = 5;
const TAIL_LINES = 30;
/** Largest tail, in bytes of UTF-8, the line about what was left out included. */
export const MAX_TAIL_BYTES = 4096;
/** The beginning's share: what failed mostly stands at the end. */
const MAX_HEAD_BYTES = 1024;
const MARK_BYTES = 64;

/** Output as it is kept, and how many bytes of it are not. */
export interface CutOutput {
  readonly text: string;
  readonly cut_bytes: number;
}

/** True for a byte inside a character. */
const isInner = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** The beginning of a text, whole characters only. */
export function headBytes(text: string, max: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  let end = max;
  while (end > 0 && isInner(bytes[end])) end -= 1;
  return bytes.toString("utf8", 0, end);
}

function tailBytes(text: string, max: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  let start = bytes.length - max;
  while (isInner(bytes[start])) start += 1;
  return bytes.toString("utf8", start);
}

/** Cuts it. `max` bounds the result, in bytes. */
export function cutOutput(output: string, max: number = MAX_TAIL_BYTES): CutOutput {
  const text = output.toWellFormed();
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const fits = Buffer.byteLength(text) <= max;
  if (fits && lines.length <= HEAD_LINES + TAIL_LINES) return { text, cut_bytes: 0 };
  const few = lines.length <= HEAD_LINES + TAIL_LINES;
  const head = headBytes(
    few ? text : `${lines.slice(0, HEAD_LINES).join("\n")}\n`,
    Math.min(MAX_HEAD_BYTES, max >> 2),
  );
  const rest = few ? text.slice(head.length) : lines.slice(-TAIL_LINES).join("\n");
  const tail = tailBytes(rest, max - Buffer.byteLength(head) - MARK_BYTES);
  const cut_bytes = Buffer.byteLength(text) - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return {
    text: `${head}${head.endsWith("\n") ? "" : "\n"}[${cut_bytes} bytes left out]\n${tail}`,
    cut_bytes,
  };
}
