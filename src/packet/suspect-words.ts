// Which patterns are worth a look (S17): those whose words stand in a text. Most packets have nothing that any pattern could
// match, and running them all costs more than all the rest of a packet.
import { SUSPECT_PATTERNS, type SuspectPattern } from "./suspect-patterns.js";

/** In many texts words are looked for by their first letters alone; a shorter one is taken to be there. */
const GRAM = 3;
const HASHES = 0x80_00;

/** Goes on from the hash of a text's last letters to that with one more; what came before the last three is shifted out. */
function roll(hash: number, unit: number): number {
  return ((hash << 5) ^ unit) & (HASHES - 1);
}

function hashOf(gram: string): number {
  let hash = 0;
  for (let i = 0; i < gram.length; i += 1) hash = roll(hash, gram.charCodeAt(i));
  return hash;
}

/** The beginnings of all words that any pattern needs, by their hash. */
function gramsByHash(): Map<number, Set<string>> {
  const grams = new Map<number, Set<string>>();
  for (const word of SUSPECT_PATTERNS.flatMap(({ needs }) => needs.flat())) {
    if (word.length < GRAM) continue;
    const gram = word.slice(0, GRAM);
    const hash = hashOf(gram);
    const known = grams.get(hash) ?? new Set();
    grams.set(hash, known.add(gram));
  }
  return grams;
}

function isMet({ needs }: SuspectPattern, isThere: (word: string) => boolean): boolean {
  return needs.every((group) => group.some(isThere));
}

/** The patterns that something in one of many spoken texts may match; a few too many. One pass over the texts. */
export function patternsForAll(texts: Iterable<string>): readonly SuspectPattern[] {
  const grams = gramsByHash();
  const isWanted = new Uint8Array(HASHES);
  for (const hash of grams.keys()) isWanted[hash] = 1;
  const found = new Set<string>();
  for (const text of texts)
    for (let i = 0, hash = 0; i < text.length; i += 1) {
      hash = roll(hash, text.charCodeAt(i));
      if (isWanted[hash] === 0) continue;
      const alike = grams.get(hash) ?? new Set();
      const gram = text.slice(i + 1 - GRAM, i + 1);
      if (!alike.delete(gram)) continue;
      found.add(gram);
      if (alike.size === 0) isWanted[hash] = 0;
    }
  return SUSPECT_PATTERNS.filter((pattern) =>
    isMet(pattern, (word) => word.length < GRAM || found.has(word.slice(0, GRAM))),
  );
}

/** Those of the patterns that something in a spoken text may match. */
export function patternsFor(
  spoken: string,
  patterns: readonly SuspectPattern[] = SUSPECT_PATTERNS,
): readonly SuspectPattern[] {
  return patterns.filter((pattern) => isMet(pattern, (word) => spoken.includes(word)));
}
