// Compact line ranges, "3,7-9" (P15).
import type { LineRanges } from "../model/feedback.js";

/**
 * Renders the ranges of a group: `3,7-9`; with several log files each range is prefixed `name:`; `+N more` stands for
 * records whose lines were left out. `nameOf` null: one log file, no prefix.
 */
export function formatLineRanges(
  lines: readonly LineRanges[],
  nameOf: ((path: string) => string) | null,
): string {
  const parts = lines.flatMap(({ path, ranges, omitted }) => {
    const prefix = nameOf === null ? "" : `${nameOf(path)}:`;
    const shown = ranges.map(([from, to]) => `${prefix}${from === to ? from : `${from}-${to}`}`);
    return omitted > 0 ? [...shown, `${prefix}+${omitted} more`] : shown;
  });
  return parts.join(",");
}
