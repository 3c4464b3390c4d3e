// R22: how long a retry waits.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { askedDelay, parseRetryAfter, retryDelay } from "./retry-delay.js";

const NOW = Date.parse("2026-03-01T12:00:00Z");

describe("R22 Retry-After", () => {
  test.each<[string, number | null]>([
    ["30", 30_000],
    [" 2.5 ", 2_500],
    ["0", 0],
    ["999999999", 86_400_000],
    ["Sun, 01 Mar 2026 12:00:45 GMT", 45_000],
    ["Sun, 01 Mar 2026 11:00:00 GMT", 0],
    ["Sun, 99 Mar 2026 11:00:00 GMT", null],
    ["-1", null],
    ["soon", null],
    ["2026-03-01T12:00:45Z", null],
    ["", null],
  ])("%s -> %s", (value, ms) => {
    expect(parseRetryAfter(value, NOW)).toBe(ms);
  });

  test.each<[string, number | null]>([
    ["Rate limit reached. Please try again in 20s.", 20_000],
    ["Please try again in 9m38.016s. Need more tokens?", 578_016],
    ["please try again after 1 seconds", 1_000],
    ["Please retry in 34.074824224s.", 34_075],
    ["Please retry after 26 seconds.", 26_000],
    ["try again in 250ms", 250],
    ["try again in 2 hours", 7_200_000],
    ['"retry-after": "12"', 12_000],
    ["retry-after: 60", 60_000],
    ["Retry After 120", 120_000],
    ["Please adjust your input and try again.", null],
    ["Overloaded", null],
    ["", null],
  ])("in a text: %s -> %s", (text, ms) => {
    expect(askedDelay(text)).toBe(ms);
  });
});

describe("R22 the pause", () => {
  test.each<[number, number, number]>([
    [1, 0, 500],
    [1, 1, 1_000],
    [2, 0.5, 1_500],
    [3, 1, 4_000],
    [6, 1, 32_000],
    [7, 1, 60_000],
    [99, 0, 30_000],
  ])("try %i with %d of jitter waits %i ms", (attempt, random, ms) => {
    expect(retryDelay({ attempt, random, now: NOW })).toEqual({ ms, from: "backoff" });
  });

  test("what the server asks for counts, the header first", () => {
    const asked = { attempt: 5, random: 0, now: NOW, text: "try again in 7s" };
    expect(retryDelay({ ...asked, retryAfter: "3" })).toEqual({ ms: 3_000, from: "server" });
    expect(retryDelay({ ...asked, retryAfter: "nonsense" })).toEqual({ ms: 7_000, from: "server" });
    expect(retryDelay(asked)).toEqual({ ms: 7_000, from: "server" });
  });

  test("it is a whole number of milliseconds, at most a day, and never shorter for a later try", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.option(fc.string()),
        fc.option(fc.string()),
        (attempt, random, retryAfter, text) => {
          const facts = { random, retryAfter, text, now: NOW };
          const { ms } = retryDelay({ ...facts, attempt });
          expect(Number.isInteger(ms) && ms >= 0 && ms <= 86_400_000).toBe(true);
          expect(retryDelay({ ...facts, attempt: attempt + 1 }).ms).toBeGreaterThanOrEqual(ms);
        },
      ),
    );
  });
});
