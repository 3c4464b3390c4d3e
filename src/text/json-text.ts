// JSON as text that a terminal, an editor and a diff can show: what would command a terminal or hide is written as \u escapes.
// The value is exact (P9); only its spelling is safe (P36).

/** DEL and C1, and what bidirectional, zero-width and separator characters JSON itself leaves as they are. */
const UNSHOWABLE = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

function escapeOf(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}

/** Two-space JSON without a final newline. Outside of strings JSON is ASCII, so every match stands inside one. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(UNSHOWABLE, escapeOf);
}
