// S17: the words a pattern needs stand in every match, so looking for them first finds no less than running every pattern.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findSuspect } from "./flag-suspect-text.js";
import { patternOf, SUSPECT_PATTERNS, type SuspectPattern } from "./suspect-patterns.js";
import { plainViews, spokenText } from "./suspect-views.js";
import { patternsFor, patternsForAll } from "./suspect-words.js";

/** What running every pattern finds. */
function kindOf(text: string): string | null {
  const views = plainViews(text);
  const found = SUSPECT_PATTERNS.find((row) =>
    (row.on === "exact" ? [text] : views[row.on]).some((view) => view.search(patternOf(row)) !== -1),
  );
  return found?.kind ?? null;
}

/** A pattern without what it asks of the characters around it: generators know no look-around and no scripts. */
function bare({ source }: SuspectPattern): RegExp {
  const plain = source
    .replaceAll(/\(\?<?[=!](?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/gu, "")
    .replaceAll(String.raw`\p{L}\p{N}`, "a-z0-9")
    .replaceAll(String.raw`\p{L}`, "[a-z]")
    .replaceAll(String.raw`\1`, "user");
  return new RegExp(plain, "u");
}

/** Ways to write the same words: what the views see through. */
const DISGUISES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => text.replaceAll(" ", "_"),
  (text) => text.replaceAll(" ", " \n "),
  (text) => text.replaceAll(" ", "  "),
  (text) => `x\n\n${text.replaceAll("e", "**e")}\ny`,
  (text) => text.replaceAll("o", "\u043e"),
  (text) => text.replaceAll("r", "r\u200b"),
  (text) => text.replaceAll("r", String.raw`r\u200b`),
  (text) => text.replaceAll("'", "’"),
];

describe("S17 the words that patterns need", () => {
  it.each(SUSPECT_PATTERNS.map((row, i) => [`${i} ${row.kind}`, row] as const))("%s", (_, row) => {
    let matches = 0;
    fc.assert(
      fc.property(
        fc.stringMatching(bare(row), { maxLength: 300 }),
        fc.constantFrom(...DISGUISES),
        (text, disguise) => {
          const written = disguise(text);
          const expected = kindOf(written);
          if (expected !== null) matches += 1;
          expect(findSuspect(written)?.kind ?? null).toBe(expected);
          const spoken = spokenText(written);
          const many = patternsForAll(["nothing here", spoken, "and nothing there"]);
          expect(patternsFor(spoken).filter((pattern) => !many.includes(pattern))).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
    expect(matches).toBeGreaterThan(0);
  });

  it("are in few ordinary logs", () => {
    const log = [
      "AssertionError: expected 1 to be 2 at Object.<anonymous> (/home/u/app/src/limiter/window-1.ts:40:13)",
      "    at processTicksAndRejections (node:internal/process/task_queues:95:5)",
      "npx vitest run test/failing-1.test.ts --reporter dot",
      "E   assert 1 == 2",
    ].map(spokenText);
    expect(log.flatMap((text) => patternsFor(text))).toEqual([]);
    expect(patternsForAll(log).length).toBeLessThan(SUSPECT_PATTERNS.length / 4);
  });
});
