// P42: a pattern is bounded before anything expands it. The bound is checked against what the matcher's own expander makes.
import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tempBench } from "../../../fixtures/artifacts/temp-bench.js";
import { findCandidates } from "./find-candidates.js";
import { countAlternatives, MAX_ALTERNATIVES, refusePattern } from "./refuse-pattern.js";

/** The expander fast-glob uses, found from where fast-glob is. */
const fromGlob = createRequire(createRequire(import.meta.url).resolve("fast-glob"));
const micromatch = fromGlob("micromatch") as {
  braces: (pattern: string, options: Readonly<Record<string, boolean>>) => string[];
};

/** Null where the expander itself gives up. */
function expand(pattern: string): string[] | null {
  try {
    return micromatch.braces(pattern, { expand: true, nodupes: true, keepEscaping: true });
  } catch {
    return null;
  }
}

describe("P42 patterns that are refused", () => {
  test.each([
    ["{1..1000000}", "alternatives"],
    ["{1..2000}.json", "alternatives"],
    ["{a..z}{a..z}{a..z}", "alternatives"],
    ["{0..99}{0..99}", "alternatives"],
    ["{1e9..2}", "alternatives"],
    ["{0x1..0xffffff}", "alternatives"],
    ["{1..999999999}", "alternatives"],
    ["{{1..9}..1000000}", "alternatives"],
    ["{<task_id>}", "alternatives"],
    ["{1..<session_id>}", "alternatives"],
    ["{a,b}".repeat(18), "alternatives"],
    ["{a,b,{c,d}}".repeat(9), "alternatives"],
    ["{a,".repeat(200) + "}".repeat(200), "alternatives"],
    [`{${"a,".repeat(1000)}b}`, "longer"],
    ["x".repeat(1025), "longer"],
    ["a\u0000*", "control"],
    ["a\n*", "control"],
    ["a\ud800*", "control"],
    ["+(a|aa)b", "repeats"],
    ["*(a|aa)b", "repeats"],
    ["(a|aa)+b", "repeats"],
    ["*a*a*a*a*a*b", "stars"],
  ])("%j", (pattern, reason) => {
    expect(refusePattern(pattern)).toContain(reason);
  });

  test.each([
    "outputs/verification/<task_id>.json",
    "{outputs,out}/{review,reviews}/<task_id>.{json,jsonl}",
    "{a,b,c,d,e,f,g,h,i,j,k,l}/x.json",
    "{outputs/<task_id>,reports/<task_id>}.json",
    "**/verification*report*.json",
    "{1..9}/{a..f}.json",
    "@(a|b)/!(c).json",
    "name (1).json",
    "odd..name.json",
  ])("%j is not", (pattern) => {
    expect(refusePattern(pattern)).toBeNull();
  });

  test("the bound is never below what the braces stand for", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      ",",
      "a",
      "b",
      "{a,b}",
      "{1..3}",
      "{c..a}",
      "[",
      "]",
      "\\",
      '"',
      "'",
      "(",
      ")",
      "$",
      "..",
      "{1..4..2}",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const pattern = pieces.join("");
        const bound = countAlternatives(pattern);
        fc.pre(bound <= MAX_ALTERNATIVES);
        expect(expand(pattern)?.length ?? 0).toBeLessThanOrEqual(bound);
      }),
      { numRuns: 3000 },
    );
  });

  test("P41 a pattern the matcher itself cannot read is an error of use", async () => {
    expect(expand("{{c..a}()")).toBeNull();
    await expect(
      findCandidates(tempBench(), ["{{c..a}()"], { task_id: null, session_id: null }),
    ).rejects.toMatchObject({ name: "UsageError", code: "config.invalid", exitCode: 2 });
  });

  test("S18 one that comes past the configuration is refused before it is expanded", async () => {
    const root = tempBench({ "a.json": {} });
    const ids = { task_id: "1..9999999", session_id: null };
    for (const pattern of ["{1..1000000}", "{a,b}".repeat(18), "{<task_id>}"])
      await expect(findCandidates(root, [pattern], ids)).rejects.toMatchObject({
        name: "UsageError",
        code: "config.invalid",
        exitCode: 2,
      });
  });
});
