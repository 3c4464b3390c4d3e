// Which patterns are worth a look (S17): those whose words stand in a text. Most packets have nothing that any pattern could
// match, and running them all costs more than all the rest of a packet.
import { SUSPECT_PATTERNS, type SuspectPattern } from "./suspect-patterns.js";

/** In many texts words are looked for by their first four letters, shorter ones whole; of less than three, they are taken to be there. */
const LONGEST = 4;
const SHORTEST = 3;
/** Bits that a letter takes in a hash of the last few, enough to tell letters apart; what came before these is shifted out. */
const SHIFT = 5;
const MASK = (1 << (SHIFT * LONGEST)) - 1;
const SHORT_MASK = MASK >> SHIFT;

function hashOf(gram: string): number {
  let hash = 0;
  for (let i = 0; i < gram.length; i += 1) hash = ((hash << SHIFT) ^ gram.charCodeAt(i)) & MASK;
  return gram.length === SHORTEST ? hash & SHORT_MASK : hash;
}

/** What of the words that any pattern needs is looked for. */
function wantedGrams(): Set<string> {
  const words = SUSPECT_PATTERNS.flatMap(({ needs }) => needs.flat());
  return new Set(words.filter(({ length }) => length >= SHORTEST).map((word) => word.slice(0, LONGEST)));
}

/** Those of the grams that stand in the texts. In one loop without a call: it runs over most of what a packet holds. */
function findGrams(texts: Iterable<string>, wanted: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  const longs = new Uint8Array(MASK + 1);
  const shorts = new Uint8Array(SHORT_MASK + 1);
  for (const gram of wanted) (gram.length === SHORTEST ? shorts : longs)[hashOf(gram)] = 1;
  for (const text of texts)
    for (let i = 0, hash = 0; i < text.length; i += 1) {
      hash = ((hash << SHIFT) ^ text.charCodeAt(i)) & MASK;
      if (longs[hash] === 1) {
        const gram = text.slice(i + 1 - LONGEST, i + 1);
        if (wanted.has(gram)) found.add(gram);
      }
      if (shorts[hash & SHORT_MASK] === 1) {
        const gram = text.slice(i + 1 - SHORTEST, i + 1);
        if (wanted.has(gram)) found.add(gram);
      }
    }
  return found;
}

function isMet({ needs }: SuspectPattern, isThere: (word: string) => boolean): boolean {
  return needs.every((group) => group.some(isThere));
}

/** The patterns that something in one of many spoken texts may match; a few too many. One pass over the texts. */
export function patternsForAll(texts: Iterable<string>): readonly SuspectPattern[] {
  const found = findGrams(texts, wantedGrams());
  return SUSPECT_PATTERNS.filter((pattern) =>
    isMet(pattern, (word) => word.length < SHORTEST || found.has(word.slice(0, LONGEST))),
  );
}

/** Those of the patterns that something in a spoken text may match. */
export function patternsFor(
  spoken: string,
  patterns: readonly SuspectPattern[] = SUSPECT_PATTERNS,
): readonly SuspectPattern[] {
  return patterns.filter((pattern) => isMet(pattern, (word) => spoken.includes(word)));
}
