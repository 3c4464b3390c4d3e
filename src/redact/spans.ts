// Where secrets stand in a text, and what is put in their place. Marks are ours: nothing matches them again.

/** A secret at `[start, end)` (UTF-16 units) of a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/** Found by where it stands (a password assignment, a header, a variable's value) and not by its own shape. */
export const CREDENTIAL = "credential";
/** A private key block, whole or cut off. */
export const PRIVATE_KEY = "private-key";
/** Stands for a field that could not be checked (S16). */
export const UNCHECKED = "unchecked";

/** What a secret of this kind is replaced with (S15). */
export function markOf(kind: string): string {
  return `[redacted:${kind}]`;
}

/**
 * Spans in order, overlapping ones joined. Of spans that cover the same characters the more telling kind stays; a
 * span that is part of a longer one takes the longer one's, so that the mark depends on the whole secret alone.
 */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const sorted = [...spans].sort((a, b) => a.start - b.start || b.end - a.end || rank(a) - rank(b));
  const merged: Span[] = [];
  for (const span of sorted) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else if (span.start === last.start && span.end === last.end) continue;
    else {
      const kind = span.kind === PRIVATE_KEY ? PRIVATE_KEY : last.kind;
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end), kind };
    }
  }
  return merged;
}

function rank({ kind }: Span): number {
  return kind === CREDENTIAL ? 1 : 0;
}

/** The text with every span (in order, disjoint) replaced by its mark. */
export function replaceSpans(text: string, spans: readonly Span[]): string {
  let out = "";
  let at = 0;
  for (const { start, end, kind } of spans) {
    out += text.slice(at, start) + markOf(kind);
    at = end;
  }
  return out + text.slice(at);
}
