// One row of the token table. A row's pattern ends in a greedy class with nothing required behind it, so that no text
// makes it start over many times: the whole table is linear in the text.

/** One kind of token. */
export interface TokenRow {
  readonly kind: string;
  readonly pattern: RegExp;
  /** Part of every match: the pattern has no fixed beginning, so it is tried only where this stands. */
  readonly hint?: string;
  /** Who documents the shape, or why it is safe to take. */
  readonly evidence: string;
}

/** Not in the middle of a word; `\n` and `%20` before it are escapes, not letters. */
const LEFT = String.raw`(?<!(?<!\\|%[0-9A-Fa-f])[A-Za-z0-9])`;

/** A pattern whose beginning ordinary words may hold too. */
export const bounded = (pattern: RegExp): RegExp => new RegExp(LEFT + pattern.source);
