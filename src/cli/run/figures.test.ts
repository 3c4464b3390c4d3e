import { describe, expect, test } from "vitest";
import { count, formatCost, formatElapsed, formatTokens, shortSession } from "./figures.js";

describe("R25 numbers at a glance", () => {
  test.each([
    [0, "0"],
    [999, "999"],
    [1000, "1k"],
    [96_412, "96.4k"],
    // Not yet at the line, and not shown as if it were.
    [149_999, "149.9k"],
    [150_000, "150k"],
    [999_999, "999.9k"],
    [1_000_000, "1M"],
    [1_259_999, "1.25M"],
  ])("%d tokens are %s", (tokens, text) => {
    expect(formatTokens(tokens)).toBe(text);
  });

  test.each([
    [-5, "0:00"],
    [7999, "0:07"],
    [725_000, "12:05"],
    [3_729_000, "1:02:09"],
  ])("%d ms are %s", (ms, text) => {
    expect(formatElapsed(ms)).toBe(text);
  });

  test.each([
    [0, "$0.00"],
    [0.0042, "$0.0042"],
    [0.08, "$0.08"],
    [12.5, "$12.50"],
  ])("%d USD are %s", (usd, text) => {
    expect(formatCost(usd)).toBe(text);
  });

  test("one and many", () => {
    expect([count(1, "command"), count(2, "command")]).toEqual(["1 command", "2 commands"]);
  });

  test.each([
    ["5b1c02de-99f6-4df5-b3bb-5005f9d6eabf", "5b1c02de"],
    ["cmd-run-3f2a91c04d7e-2", "cmd-…-2"],
    ["short", "short"],
    ["a-very-long-session-id-of-some-agent", "…ession-id-of-some-agent".slice(-20).replace(/^./u, "…")],
  ])("session %s", (id, short) => {
    expect(shortSession(id, "run-3f2a91c04d7e")).toBe(short);
  });
});
