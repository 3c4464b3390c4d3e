// Compact line ranges, "3,7-9" (P15).
import type { LineRanges } from "../model/feedback.js";

/** Renders the ranges of a group: `3,7-9`; with several log files each range is prefixed `name:`; `+N more` for lines left out. */
export function formatLineRanges(lines: readonly LineRanges[], severalFiles: boolean): string {
  const parts = lines.flatMap(({ path, ranges, omitted }) => {
    const name = severalFiles ? `${path}:` : "";
    const shown = ranges.map(([from, to]) => `${name}${from === to ? from : `${from}-${to}`}`);
    return omitted > 0 ? [...shown, `${name}+${omitted} more`] : shown;
  });
  return parts.join(",");
}
