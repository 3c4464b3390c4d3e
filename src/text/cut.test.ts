// P36: cutting keeps whole graphemes and never exceeds the bytes asked for.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteLength, cutText } from "./cut.js";

const FAMILY = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}";

/** The same by brute force: every boundary of the whole text tried. */
function longestCut(whole: string, maxBytes: number): string {
  if (maxBytes < 3) return "";
  const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
  const boundaries = [0, ...Array.from(segmenter.segment(whole), (s) => s.index + s.segment.length)];
  const best = boundaries.filter((end) => byteLength(whole.slice(0, end)) <= maxBytes - 3).at(-1) ?? 0;
  return `${whole.slice(0, best).trimEnd()}…`;
}

describe("cutText (P36)", () => {
  it.each([
    ["fits exactly", "abcdef", 6, "abcdef"],
    ["one too many", "abcdefg", 6, "abc…"],
    ["white space before the mark goes", "ab cdefg", 6, "ab…"],
    ["an emoji is kept whole", `a${FAMILY}bcdef`, 1 + 18 + 3, `a${FAMILY}…`],
    ["or left out whole", `a${FAMILY}bcdef`, 1 + 17 + 3, "a…"],
    ["a combining mark stays with its letter", "e\u0301e\u0301e\u0301", 6, "e\u0301…"],
    ["a flag is two letters", "\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}x", 11, "\u{1f1e9}\u{1f1ea}…"],
    ["CRLF is one", "a\r\nbcd", 5, "a…"],
    ["room for the mark alone", "abcdef", 3, "…"],
    ["no room for the mark", "abcdef", 2, ""],
    ["nothing at all", "abc", 0, ""],
    ["empty", "", 0, ""],
  ])("%s", (_name, text, maxBytes, expected) => {
    expect(cutText(text, maxBytes)).toBe(expected);
  });

  it("is at most maxBytes, a prefix on a grapheme boundary, and as long as can be", () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 200 }),
      fc
        .array(
          fc.constantFrom(
            "a",
            " ",
            "é",
            "e\u0301",
            FAMILY,
            "\u{1f1e9}\u{1f1ea}",
            "\r\n",
            "\u{1f469}\u{1f3fd}",
          ),
          { maxLength: 150 },
        )
        .map((p) => p.join("")),
      // One grapheme of hundreds of code units.
      fc.integer({ min: 0, max: 400 }).map((n) => `ab${"\u0301".repeat(n)}cd`),
    );
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 700 }), (whole, maxBytes) => {
        const cut = cutText(whole, maxBytes);
        expect(byteLength(cut)).toBeLessThanOrEqual(maxBytes);
        expect(cut).toBe(byteLength(whole) <= maxBytes ? whole : longestCut(whole, maxBytes));
      }),
      { numRuns: 1000 },
    );
  });

  it.each(["\u0301", "\u{1f1e9}", "\u200d", "a", "你", "\u{1f468}\u200d"])(
    "cuts a megabyte of %j",
    (part) => {
      const text = part.repeat(2 ** 20 / part.length);
      expect(byteLength(cutText(text, 500_000))).toBeLessThanOrEqual(500_000);
    },
  );
});

describe("byteLength", () => {
  it.each([
    ["", 0],
    ["é", 2],
    ["…", 3],
    ["\u{1f600}", 4],
  ])("%j is %i", (text, bytes) => {
    expect(byteLength(text)).toBe(bytes);
  });
});
