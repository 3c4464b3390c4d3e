// Widths, wrapping, columns and ages of terminal text.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ageOf, cutColumns, hanging, layColumns, textWidth, wrapText } from "./lay-out.js";

describe("terminal layout", () => {
  it("counts columns as terminals do", () => {
    expect(["abc", "日本", "e\u0301", "👩‍👩‍👧", "…"].map(textWidth)).toEqual([3, 4, 1, 2, 1]);
  });

  it("cuts and wraps any text into its columns and loses no word", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 120 }),
        fc.integer({ min: 8, max: 40 }),
        (text, columns) => {
          expect(textWidth(cutColumns(text, columns))).toBeLessThanOrEqual(columns);
          const lines = wrapText(text, columns);
          for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
          expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(/\s+/gu, ""));
        },
      ),
    );
  });

  it("hangs and aligns", () => {
    expect(hanging("- ", "one two three four", 12)).toBe("- one two\n  three four");
    expect(
      layColumns(
        [
          ["a", "bb", "x"],
          ["aaa", "b", "a long last cell"],
        ],
        20,
      ),
    ).toEqual(["a    bb  x", "aaa  b   a long last…"]);
    expect(layColumns([["a", "a long last cell"]], null)).toEqual(["a  a long last cell"]);
  });

  it("says ages in one unit", () => {
    const now = Date.parse("2026-11-29T12:00:00.000Z");
    const ages = [
      "2026-11-29T11:59:30.000Z",
      "2026-11-29T11:48:00.000Z",
      "2026-11-29T07:00:00.000Z",
      "2026-11-01T12:00:00.000Z",
      "2027-01-01T00:00:00.000Z",
      null,
    ];
    expect(ages.map((time) => ageOf(time, now))).toEqual(["now", "12m", "5h", "28d", "now", "-"]);
  });
});
