import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_JSON_DEPTH, parseJson } from "./parse-json.js";

const unexpected = (line: number, column: number) => ({
  ok: false,
  line,
  reason: `unexpected character in line ${line}, column ${column}`,
});
const tooEarly = (line: number) => ({ ok: false, line, reason: "it ends too early" });

describe("P7 parseJson", () => {
  test.each([
    ["", { ok: false, line: 1, reason: "it is empty" }],
    [" \n\t", { ok: false, line: 1, reason: "it is empty" }],
    ["\ufeff", { ok: false, line: 1, reason: "it is empty" }],
    ["{", tooEarly(1)],
    ['{"a": 1,\n', tooEarly(2)],
    ['{"a', tooEarly(1)],
    ['{"a"', tooEarly(1)],
    ["[1, 2,]", unexpected(1, 7)],
    ['{"a": 1,}', unexpected(1, 9)],
    ["{'a': 1}", unexpected(1, 2)],
    ["[1] [2]", unexpected(1, 5)],
    ['{"a": NaN}', unexpected(1, 7)],
    ['{"a": 01}', unexpected(1, 8)],
    ['{\n  "a": "x\ty"\n}', unexpected(2, 10)],
    ['["\\x"]', unexpected(1, 3)],
    ["[1}", unexpected(1, 3)],
    ["// a comment\n{}", unexpected(1, 1)],
    ["{1: 2}", unexpected(1, 2)],
    ['["a" "b"]', unexpected(1, 6)],
    ["nul", unexpected(1, 1)],
    ["\0", unexpected(1, 1)],
    [",", unexpected(1, 1)],
  ])("P7 %j", (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  test("P7 a byte order mark and CRLF are fine", () => {
    expect(parseJson('\ufeff{\r\n"a": [1, null, "\\u00e9"]\r\n}\r\n')).toEqual({
      ok: true,
      value: { a: [1, null, "é"] },
    });
  });

  test("S18 nesting: the limit is accepted, one level more is not, nor a million", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(parseJson(nested(MAX_JSON_DEPTH)).ok).toBe(true);
    const tooDeep = { ok: false, line: 1, reason: "nested deeper than 200 levels" };
    expect(parseJson(nested(MAX_JSON_DEPTH + 1))).toEqual(tooDeep);
    expect(parseJson(nested(1_000_000))).toEqual(tooDeep);
    expect(parseJson('{"a":'.repeat(1_000_000))).toEqual(tooDeep);
    expect(parseJson(JSON.stringify({ text: `\\"${"[".repeat(1000)}` })).ok).toBe(true);
  });

  test("S18 a very long string is no trouble, right or wrong", () => {
    const long = "x".repeat(15_000_000);
    expect(parseJson(`["${long}"]`).ok).toBe(true);
    expect(parseJson(`["${long}`)).toEqual(tooEarly(1));
    expect(parseJson(`["${"\\n".repeat(5_000_000)}"}`)).toEqual(unexpected(1, 10_000_004));
  });

  test("what JSON.parse takes is taken, with the same value", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), fc.constantFrom("", " ", "\n"), (text, space) => {
        expect(parseJson(space + text + space)).toEqual({ ok: true, value: JSON.parse(text) as unknown });
      }),
    );
  });

  test("what JSON.parse refuses is refused, with a place inside the text", () => {
    const mutated = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom("", "{", "}", "[", ",", ":", '"', "\\", "0", "\n", "t"))
      .map(
        ([text, at, put]) =>
          text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + 1),
      );
    fc.assert(
      fc.property(mutated, (text) => {
        let parses = true;
        try {
          JSON.parse(text);
        } catch {
          parses = false;
        }
        const parsed = parseJson(text);
        expect(parsed.ok).toBe(parses);
        const lines = text.split("\n").length;
        expect(parsed.ok || (parsed.line >= 1 && parsed.line <= lines)).toBe(true);
        // Our own scan finds the fault: at 1:1 only where the text does not even begin as JSON.
        const atStart = !parsed.ok && parsed.reason.endsWith("line 1, column 1");
        expect(atStart && /^[[{]/u.test(text)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});
