// Cuts texts to a length without breaking what a reader sees as one character (P36).

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

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
  const room = maxBytes - 3;
  if (room < 0) return "";
  let bytes = 0;
  let end = 0;
  // A slice bounds the segmenter's work; a grapheme that straddles its end is never reached, as room runs out before.
  for (const { segment, index } of segmenter.segment(text.slice(0, room + 64))) {
    bytes += byteLength(segment);
    if (bytes > room) break;
    end = index + segment.length;
  }
  return `${text.slice(0, end).trimEnd()}…`;
}
