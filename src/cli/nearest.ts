// The word that somebody most likely meant.
import { closest, distance } from "fastest-levenshtein";

/** The nearest of `words`; null when none is near enough to be meant. */
export function nearest(word: string, words: readonly string[]): string | null {
  const near = closest(word, words);
  return distance(word, near) <= Math.max(2, Math.floor(word.length / 3)) ? near : null;
}
