// R1-R3: the policy's defaults, the thresholds of a window, and what a headroom is too small for.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  checkHeadroom,
  DEFAULT_POLICY,
  defaultHeadroom,
  type ThresholdOptions,
  thresholds,
} from "./policy.js";

test("R1 the policy rotates, up to eight sessions and two degraded ones in a row", () => {
  expect(DEFAULT_POLICY).toEqual({
    enabled: true,
    window: null,
    headroom: null,
    max_generations: 8,
    max_consecutive_degraded: 2,
  });
});

describe("R2 R3 thresholds", () => {
  test.each<[ThresholdOptions, number, number]>([
    [{ window: 200_000, headroom: 50_000 }, 150_000, 130_000],
    [{ window: 1_000_000, headroom: 50_000 }, 950_000, 930_000],
    [{ window: 40_000, headroom: 25_000 }, 15_000, 1_000],
    [{ window: 200_000 }, 150_000, 130_000],
    [{ window: 1_000_000 }, 750_000, 730_000],
    [{ window: 40_000 }, 10_000, 1_000],
    [{ window: 30_000, headroom: 9_000 }, 21_000, 1_000],
    [{ window: 31_001, headroom: 1 }, 31_000, 11_000],
    [{ window: 8_000, headroom: 50_000 }, 10_000, 1_000],
    [{ window: 200_000, atPercent: 60 }, 120_000, 100_000],
    [{ window: 200_001, atPercent: 50 }, 100_000, 80_000],
    [{ window: 200_000, headroom: 30_000, atPercent: 10 }, 170_000, 150_000],
    [{ window: 200_000, headroom: null, atPercent: null }, 150_000, 130_000],
  ])("%j -> at %i, warn at %i", (options, at, warn_at) => {
    expect(thresholds(options)).toEqual({ at, warn_at });
  });

  test.each([
    [100_000, 50_000],
    [200_000, 50_000],
    [200_003, 50_000],
    [400_003, 100_000],
    [1_000_000, 250_000],
  ])("R3 the default headroom of %i is %i", (window, headroom) => {
    expect(defaultHeadroom(window)).toBe(headroom);
  });

  test("R2 the warning never comes after the line, and neither falls below its floor", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000_000 }),
        fc.option(fc.integer({ min: 1, max: 10_000_000 }), { nil: undefined }),
        (window, headroom) => {
          const { at, warn_at } = thresholds({ window, headroom });
          expect(at).toBeGreaterThanOrEqual(10_000);
          expect(warn_at).toBeGreaterThanOrEqual(1_000);
          expect(warn_at).toBeLessThan(at);
        },
      ),
    );
  });
});

describe("R3 a headroom below 33,000 warns, one below 24,000 is refused", () => {
  test.each<[ThresholdOptions, ReturnType<typeof checkHeadroom>]>([
    [
      { window: 200_000, headroom: 33_000 },
      { verdict: "ok", headroom: 33_000, least: null },
    ],
    [
      { window: 200_000, headroom: 32_999 },
      { verdict: "warn", headroom: 32_999, least: 33_000 },
    ],
    [
      { window: 200_000, headroom: 24_000 },
      { verdict: "warn", headroom: 24_000, least: 33_000 },
    ],
    [
      { window: 200_000, headroom: 23_999 },
      { verdict: "refuse", headroom: 23_999, least: 24_000 },
    ],
    [
      { window: 200_000, atPercent: 95 },
      { verdict: "refuse", headroom: 10_000, least: 24_000 },
    ],
    [
      { window: 1_000_000, atPercent: 95 },
      { verdict: "ok", headroom: 50_000, least: null },
    ],
    [
      { window: 200_000, atPercent: 85 },
      { verdict: "warn", headroom: 30_000, least: 33_000 },
    ],
    [{ window: 200_000 }, { verdict: "ok", headroom: 50_000, least: null }],
    // Nobody asked for what a small window leaves.
    [{ window: 32_000 }, { verdict: "warn", headroom: 22_000, least: 33_000 }],
    [
      { window: 40_000, headroom: 25_000 },
      { verdict: "warn", headroom: 25_000, least: 33_000 },
    ],
  ])("%j", (options, expected) => {
    expect(checkHeadroom(options)).toEqual(expected);
  });
});
