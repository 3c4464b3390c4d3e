// How many bytes of handoff.json a packet takes, without writing it out again for every row that goes: what a row takes is
// remembered, and rows are never changed, only left out or replaced. Pure.
import type { HandoffPacket } from "../model/packet.js";
import { byteLength } from "../text/cut.js";
import { jsonText } from "../text/json-text.js";

/** A value's two-space JSON: bytes and line breaks, the latter since deeper values are indented. */
interface Size {
  readonly bytes: number;
  readonly breaks: number;
}

const known = new WeakMap<object, Size>();

function countBreaks(text: string): number {
  let breaks = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) breaks += 1;
  return breaks;
}

function sizeOfText(text: string): Size {
  return { bytes: byteLength(text), breaks: countBreaks(text) };
}

function sizeOfRow(row: unknown): Size {
  if (typeof row !== "object" || row === null) return sizeOfText(jsonText(row));
  const size = known.get(row) ?? sizeOfText(jsonText(row));
  known.set(row, size);
  return size;
}

/** A list's size from its rows': each stands on a line of its own, two further in. */
function sizeOfList(rows: readonly unknown[]): Size {
  if (rows.length === 0) return { bytes: 2, breaks: 0 };
  let bytes = 0;
  let breaks = 0;
  for (const row of rows) {
    const size = sizeOfRow(row);
    bytes += 2 + size.bytes + 2 * size.breaks;
    breaks += size.breaks;
  }
  // The brackets, a break behind the first and behind every row, a comma between two.
  return { bytes: bytes + 2 + rows.length + 1 + rows.length - 1, breaks: breaks + rows.length + 1 };
}

/** Bytes of handoff.json: two-space JSON with a final newline. The id has a fixed length. */
export function packetBytes(packet: Omit<HandoffPacket, "packet_id">): number {
  const whole: Readonly<Record<string, unknown>> = { packet_id: "hp_0123456789abcdef", ...packet };
  // The braces, the break behind the first one, the final newline.
  let total = 4;
  for (const [key, value] of Object.entries(whole)) {
    if (value === undefined) continue;
    const { bytes, breaks } = Array.isArray(value) ? sizeOfList(value) : sizeOfText(jsonText(value));
    // Two blanks, the key with its colon and blank, the value two further in, a comma or nothing, a break.
    total += 2 + byteLength(JSON.stringify(key)) + 2 + bytes + 2 * breaks + 2;
  }
  return total - 1;
}

/** Bytes a row takes in handoff.json: indented by four, with its comma. An estimate from above is enough. */
export function rowBytes(row: unknown): number {
  const { bytes, breaks } = sizeOfRow(row);
  return bytes + 4 * (breaks + 2) + 2;
}
