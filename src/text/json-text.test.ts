import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonText } from "./json-text.js";

describe("jsonText", () => {
  it("P9 P36 keeps the value exact and shows no control, bidirectional or zero-width character", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 40 })), (strings) => {
        const value = Object.fromEntries(strings.map((text, i) => [text, { [i]: text, list: [text] }]));
        const text = jsonText(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(text).not.toMatch(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u);
      }),
    );
  });
  it.each([
    ["\u009b31m", '"\\u009b31m"'],
    ["a\u202eb", '"a\\u202eb"'],
    ["naïve 漢字 👍", '"naïve 漢字 👍"'],
  ])("%j is written %s", (value, text) => expect(jsonText(value)).toBe(text));
});
