// R2, R3, R8: the line of one generation, and what has to be said about it.
import { expect, test } from "vitest";
import { claudeDriver } from "../agents/claude-code/drive.js";
import { codexDriver } from "../agents/codex/drive.js";
import { lineOf } from "./line-of.js";

const PLAN = { headroom: null, at_percent: null, compact: "no_summary" } as const;

test.each([
  ["by default", 200_000, PLAN, 150_000, []],
  ["a million", 1_000_000, PLAN, 750_000, []],
  ["a headroom", 200_000, { ...PLAN, headroom: 40_000 }, 160_000, []],
  ["a percentage", 200_000, { ...PLAN, at_percent: 60 }, 120_000, []],
  ["little room", 200_000, { ...PLAN, headroom: 30_000 }, 170_000, ["headroom.small"]],
  ["too little room", 200_000, { ...PLAN, headroom: 20_000 }, 180_000, ["headroom.small"]],
  [
    "with the agent's own compaction on",
    200_000,
    { ...PLAN, headroom: 30_000, compact: "auto" },
    170_000,
    ["headroom.small", "compact.first"],
  ],
] as const)("R2 R3 %s", (_, window, plan, at, warnings) => {
  const line = lineOf(window, plan, claudeDriver);
  expect(line.thresholds?.at).toBe(at);
  expect(line.warnings.map(({ code }) => code)).toEqual(warnings);
});

test("R8 an agent that cannot be told not to compact is cut before it does", () => {
  expect(lineOf(200_000, PLAN, codexDriver)).toEqual({
    thresholds: { at: 150_000, warn_at: 130_000 },
    warnings: [],
  });
  const line = lineOf(200_000, { ...PLAN, at_percent: 95 }, codexDriver);
  expect(line.thresholds).toEqual({ at: 179_999, warn_at: 159_999 });
  expect(line.warnings.map(({ code }) => code)).toContain("line.lowered");
});

test("R3 a share that turns out to leave no room when the agent says its window is lowered, and said", () => {
  for (const source of ["agent", "calibration", "model_name"] as const)
    for (const [window, at] of [
      [200_000, 176_000],
      [40_000, 16_000],
      [20_000, 10_000],
    ] as const) {
      const line = lineOf(window, { ...PLAN, at_percent: 95 }, claudeDriver, source);
      expect(line.thresholds?.at).toBe(at);
      expect(line.warnings.map(({ code }) => code)).toEqual(["line.lowered"]);
    }
  const roomy = lineOf(1_000_000, { ...PLAN, at_percent: 95 }, claudeDriver, "agent");
  expect(roomy).toEqual({ thresholds: { at: 950_000, warn_at: 930_000 }, warnings: [] });
});

test("R4 no window, no line", () => {
  expect(lineOf(null, PLAN, claudeDriver)).toEqual({ thresholds: null, warnings: [] });
});
