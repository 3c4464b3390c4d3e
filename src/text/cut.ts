// Cuts texts to a length without breaking what a reader sees as one character (P36).

/** Made when it is first needed: that takes longer than most uses of it. */
let segmenter: Intl.Segmenter | null = null;

/** UTF-8 bytes of a well-formed string. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/**
 * The longest prefix of at most `maxBytes` UTF-8 bytes that ends on a grapheme boundary; `…` is appended when
 * something was cut (its 3 bytes counted). `maxBytes` below 3 gives an empty string when the text does not fit.
 */
export function cutText(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || byteLength(text) <= maxBytes) return text;
  if (maxBytes < 3) return "";
  const limit = unitsWithin(text, maxBytes - 3);
  return `${text.slice(0, graphemeFloor(text, limit)).trimEnd()}…`;
}

/** How many leading UTF-16 units fit into `maxBytes` UTF-8 bytes, whole code points only. */
function unitsWithin(text: string, maxBytes: number): number {
  const head = text.slice(0, maxBytes);
  // ASCII alone: a byte a unit.
  if (byteLength(head) === head.length) return head.length;
  let bytes = 0;
  let end = 0;
  while (end < text.length) {
    const point = text.codePointAt(end) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x8_00 ? 2 : point < 0x1_00_00 ? 3 : 4;
    if (bytes > maxBytes) break;
    end += point < 0x1_00_00 ? 1 : 2;
  }
  return end;
}

/** Units given to the segmenter at once: its cost a step grows with the length of the text it was given. */
const WINDOW = 256;

/** The last grapheme boundary at or before `limit`. */
function graphemeFloor(text: string, limit: number): number {
  let start = boundaryBetweenAscii(text, limit);
  if (start === limit) return limit;
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  let size = WINDOW;
  for (;;) {
    const window = text.slice(start, start + size);
    const last = start + window.length >= text.length;
    let next = start;
    for (const { segment, index } of segmenter.segment(window)) {
      const end = start + index + segment.length;
      // The window's last segment may go on behind it, so its end is not yet known.
      if (index + segment.length === window.length && !last) break;
      if (end > limit) return next;
      next = end;
    }
    if (next === limit || last) return next;
    size = next === start ? size * 2 : WINDOW;
    start = next;
  }
}

/** The last place at or before `limit` that lies between two printable ASCII characters, which is always a boundary; else 0. */
function boundaryBetweenAscii(text: string, limit: number): number {
  for (let i = limit; i > 0; i -= 1) {
    if (isPrintableAscii(text.charCodeAt(i)) && isPrintableAscii(text.charCodeAt(i - 1))) return i;
  }
  return 0;
}

function isPrintableAscii(unit: number): boolean {
  return unit >= 0x20 && unit < 0x7f;
}
