// P15: compact line ranges.
import { describe, expect, it } from "vitest";
import { formatLineRanges } from "./line-ranges.js";

describe("formatLineRanges (P15)", () => {
  it.each([
    [[{ path: "a", ranges: [[3, 3]], omitted: 0 }], false, "3"],
    [
      [
        {
          path: "a",
          ranges: [
            [3, 3],
            [7, 9],
          ],
          omitted: 0,
        },
      ],
      false,
      "3,7-9",
    ],
    [
      [
        {
          path: "a",
          ranges: [
            [3, 3],
            [7, 9],
          ],
          omitted: 40,
        },
      ],
      false,
      "3,7-9,+40 more",
    ],
    [
      [
        { path: "a", ranges: [[3, 3]], omitted: 0 },
        { path: "b", ranges: [[1, 2]], omitted: 5 },
      ],
      true,
      "a:3,b:1-2,b:+5 more",
    ],
    [[{ path: "a", ranges: [[3, 3]], omitted: 0 }], true, "a:3"],
    [[], false, ""],
  ] as const)("%j, several files %s -> %s", (lines, several, expected) => {
    expect(formatLineRanges(lines, several ? (path) => path : null)).toBe(expected);
  });
});
