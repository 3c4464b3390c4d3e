// A handoff.json that somebody edited by hand and that no longer validates: where all that is wrong is a row that lacks what
// nobody would type (its id, where it came from), the row gets it. Pure; nothing else is guessed.
import { DEAD_END } from "../model/dead-end.js";
import type { HandoffPacket } from "../model/packet.js";
import { itemId } from "../text/digest.js";
import { checkPacketValue } from "./validate-packet.js";

/** Pointer of rows that were written by hand. */
const SOURCE_PATH = "handoff.json";

type Row = Readonly<Record<string, unknown>>;

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The row with what is missing; a row that has everything stays as it is. A plain text is a row of that text. */
function mendRow(value: unknown, kind: "decision" | "dead_end" | "question", pointer: string): unknown {
  const named = kind === "question" ? "text" : "what";
  const row = typeof value === "string" ? { [named]: value } : value;
  if (!isRow(row)) return value;
  const text = row[named];
  if (typeof text !== "string") return value;
  const isFailure = kind === "dead_end";
  if (isFailure && row["kind"] !== undefined && row["kind"] !== "dead_end") return value;
  const { id, ...rest } = row;
  const isId = typeof id === "string" && /^[0-9a-f]{8}$/u.test(id);
  return {
    id: isId ? id : itemId(kind, text),
    ...(kind === "question" ? {} : { why: null }),
    ...(isFailure ? DEAD_END : {}),
    carried_from: null,
    source: { path: SOURCE_PATH, pointer },
    ...rest,
  };
}

/** The packet that a parsed handoff.json gives once its rows written by hand are complete; null: more than that is wrong. */
export function mendPacket(value: unknown): HandoffPacket | null {
  if (!isRow(value)) return null;
  const mended = (field: string, kind: "decision" | "dead_end" | "question"): Row => {
    const rows = value[field];
    if (!Array.isArray(rows)) return {};
    return { [field]: rows.map((row: unknown, i) => mendRow(row, kind, `/${field}/${i}`)) };
  };
  const checked = checkPacketValue({
    ...value,
    ...mended("decisions", "decision"),
    ...mended("failed_attempts", "dead_end"),
    ...mended("questions_for_human", "question"),
  });
  return checked.ok ? checked.packet : null;
}
