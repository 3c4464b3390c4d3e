import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseTime } from "./parse-time.js";

const utc = (iso: string) => new Date(iso).getTime();

describe("P3 P34 parseTime", () => {
  test.each<readonly [unknown, number | null]>([
    [1_795_958_750.791_181_3, 1_795_958_750_791],
    [1_795_958_750_791, 1_795_958_750_791],
    ["1795958750.5", 1_795_958_750_500],
    [0, 0],
    ["2026-11-29T12:05:52.712Z", utc("2026-11-29T12:05:52.712Z")],
    ["2026-11-29T12:05:52.712345", utc("2026-11-29T12:05:52.712Z")],
    ["2026-11-29 12:05:52,712", utc("2026-11-29T12:05:52.712Z")],
    ["2026-11-29T12:05", utc("2026-11-29T12:05:00Z")],
    ["2026-11-29", utc("2026-11-29T00:00:00Z")],
    ["2026-11-29T12:05:52+01:00", utc("2026-11-29T11:05:52Z")],
    ["2026-11-29T12:05:52-0530", utc("2026-11-29T17:35:52Z")],
    ["2026-11-29T12:05:52+02", utc("2026-11-29T10:05:52Z")],
    ["2016-12-31T23:59:60Z", utc("2016-12-31T23:59:59Z")],
    [" 2026-11-29t12:05:52z ", utc("2026-11-29T12:05:52Z")],
    ["2026-02-30", null],
    ["2026-13-01", null],
    ["2026-11-29T24:00", null],
    ["0050-01-01", null],
    ["1969-12-31", null],
    ["yesterday", null],
    ["Nov 29 2026", null],
    ["", null],
    [-1, null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [1e300, null],
    [253_402_300_799_999, 253_402_300_799_999],
    [253_402_300_800_000, null],
    [null, null],
    [true, null],
    [{}, null],
    [[2026], null],
  ])("P3 %j", (value, expected) => {
    expect(parseTime(value)).toBe(expected);
  });

  test("P34 every instant it gives can be said in ISO 8601 with four digits for the year", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.double(), fc.date().map(String), fc.string(), fc.nat().map(String)),
        (value) => {
          const time = parseTime(value);
          expect(new Date(time ?? 0).toISOString()).toMatch(/^\d{4}-/u);
        },
      ),
    );
  });

  test("what toISOString writes comes back", () => {
    const range = { min: new Date(0), max: new Date(253_402_300_799_999), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(range), (date) => {
        expect(parseTime(date.toISOString())).toBe(date.getTime());
      }),
    );
  });
});
