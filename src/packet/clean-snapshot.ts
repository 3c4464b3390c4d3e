// Cleans every prose text of a snapshot by itself, before any is put into a sentence of ours: an escape sequence that a value
// leaves open must not swallow the words that follow it (P36).
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { cleanText } from "../text/clean.js";

/**
 * Not prose: names stay exact (P9), commands show their controls as escapes, output is read as a terminal would before it
 * is cleaned, keys and pointers are compared, the predecessor is clean already.
 */
const EXACT = new Set([
  "path",
  "renamed_from",
  "touched_files",
  "scene",
  "branch",
  "command",
  "key",
  "passed_watched",
  "stdout_tail",
  "stderr_tail",
  "pointer",
  "resolved",
  "files",
  "predecessor",
]);

/** The value itself where there is nothing to clean: nearly always. */
function cleanValue(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const cleaned = items.map(cleanValue);
    return cleaned.every((item, i) => item === items[i]) ? items : cleaned;
  }
  let changed = false;
  const entries = Object.entries(value);
  for (const entry of entries) {
    const [key, inner]: [string, unknown] = entry;
    if (EXACT.has(key)) continue;
    entry[1] = cleanValue(inner);
    changed ||= entry[1] !== inner;
  }
  return changed ? Object.fromEntries(entries) : value;
}

/** The snapshot with every prose text cleaned; its shape is unchanged. */
export function cleanSnapshot(snapshot: WorkbenchSnapshot): WorkbenchSnapshot {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- strings are mapped to strings, nothing else changes
  return cleanValue(snapshot) as WorkbenchSnapshot;
}
