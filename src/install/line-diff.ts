// What a change does to a text, as lines with `+` and `-` and a little around them. Pure.

/** One row of a diff. `gap`: unchanged lines are left out here; `text` then names the line that follows. */
export interface DiffRow {
  readonly sign: "+" | "-" | " " | "gap";
  readonly text: string;
}

const AROUND = 2;
/** Above this many pairs of lines to compare, the middle is told as replaced as a whole. */
const MAX_PAIRS = 4_000_000;

/** Longest common lines of two lists, as rows. */
function align(a: readonly string[], b: readonly string[]): DiffRow[] {
  const width = b.length + 1;
  if (a.length * b.length > MAX_PAIRS)
    return [
      ...a.map((text) => ({ sign: "-", text }) as const),
      ...b.map((text) => ({ sign: "+", text }) as const),
    ];
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const rows: DiffRow[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [one, other] = [a[i], b[j]];
    if (one !== undefined && one === other) {
      rows.push({ sign: " ", text: one });
      i += 1;
      j += 1;
    } else if (one !== undefined && (other === undefined || at(i + 1, j) >= at(i, j + 1))) {
      rows.push({ sign: "-", text: one });
      i += 1;
    } else {
      rows.push({ sign: "+", text: other ?? "" });
      j += 1;
    }
  }
  return rows;
}

/** Lines of a text; a final line end is not a line of its own. */
function linesOf(text: string | null): string[] {
  const lines = (text ?? "").split(/\r\n|\r|\n/u);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The rows of a change that a person needs to see; empty when only line ends differ, or nothing. */
export function diffLines(before: string | null, after: string | null): readonly DiffRow[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const unchanged = (lines: readonly string[]): DiffRow[] => lines.map((text) => ({ sign: " ", text }));
  const rows = [
    ...unchanged(a.slice(0, start)),
    ...align(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...unchanged(a.slice(a.length - end)),
  ];
  const isNear = rows.map((_, i) =>
    rows.slice(Math.max(0, i - AROUND), i + AROUND + 1).some(({ sign }) => sign !== " "),
  );
  const shown: DiffRow[] = [];
  let line = 0;
  for (const [i, row] of rows.entries()) {
    if (row.sign !== "-") line += 1;
    if (isNear[i] !== true) continue;
    if (i > 0 && isNear[i - 1] !== true) shown.push({ sign: "gap", text: String(line) });
    shown.push(row);
  }
  return shown;
}
