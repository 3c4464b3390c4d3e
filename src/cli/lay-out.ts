// Text on a terminal's grid: widths as a terminal counts them, wrapping, columns, ages. What is laid out is clean already.

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f/u;

function graphemeWidth(grapheme: string): number {
  if (/^\p{M}/u.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}

/** Columns a text takes. */
export function textWidth(text: string): number {
  if (/^[ -~]*$/u.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** The beginning of a text that takes at most `columns`, with `…` where something is missing. */
export function cutColumns(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let out = "";
  let width = 1;
  for (const { segment } of segmenter.segment(text)) {
    width += graphemeWidth(segment);
    if (width > columns) break;
    out += segment;
  }
  return `${out.trimEnd()}…`;
}

/** Pieces of at most `columns`, spaces kept; for a word that no line holds, and for text whose spaces mean something. */
export function breakText(word: string, columns: number): string[] {
  if (textWidth(word) <= columns) return [word];
  const out: string[] = [];
  let piece = "";
  let width = 0;
  for (const { segment } of segmenter.segment(word)) {
    const next = graphemeWidth(segment);
    if (width + next > columns && piece !== "") {
      out.push(piece);
      piece = "";
      width = 0;
    }
    piece += segment;
    width += next;
  }
  return [...out, piece];
}

/** Lines of at most `columns`; words stay whole where they can. One empty line for an empty text. */
export function wrapText(text: string, columns: number): string[] {
  const room = Math.max(8, columns);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/u).filter((w) => w !== ""))
    for (const piece of breakText(word, room)) {
      if (line !== "" && textWidth(line) + 1 + textWidth(piece) > room) {
        lines.push(line);
        line = piece;
      } else line = line === "" ? piece : `${line} ${piece}`;
    }
  return [...lines, line];
}

/** Wrapped lines behind a first prefix and an indent of the same width. */
export function hanging(first: string, text: string, columns: number): string {
  const indent = " ".repeat(textWidth(first));
  return wrapText(text, columns - textWidth(first))
    .map((line, i) => (i === 0 ? first : indent) + line)
    .join("\n");
}

/** Rows as aligned columns, two spaces between; the last column is cut so that a row takes at most `columns` (null: never). */
export function layColumns(rows: readonly (readonly string[])[], columns: number | null): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, textWidth(cell));
  return rows.map((row) => {
    const head = row.slice(0, -1).map((cell, i) => cell + " ".repeat((widths[i] ?? 0) - textWidth(cell)));
    const used = head.reduce((sum, cell) => sum + textWidth(cell) + 2, 0);
    const last = row.at(-1) ?? "";
    const tail = columns === null ? last : cutColumns(last, Math.max(12, columns - used));
    return [...head, tail].join("  ").trimEnd();
  });
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
] as const;

/** How long ago in one unit: `3d`, `5h`, `12m`, `now`; `-` for a time that is not known. */
export function ageOf(time: string | null, now: number): string {
  if (time === null) return "-";
  const ms = now - Date.parse(time);
  for (const [unit, size] of UNITS) if (ms >= size) return `${Math.floor(ms / size)}${unit}`;
  return "now";
}
