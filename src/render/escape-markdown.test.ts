// P38: whatever the text, it stays text. The judge is a GFM parser; what GitHub adds on top is judged by pattern.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ACTIVE_TEXT, nodesOf, parseMarkdown, shapeOf, visibleText } from "../../fixtures/markdown-tree.js";
import { cleanLine, cleanText, showControls } from "../text/clean.js";
import { codeFence, codeSpan, inlineProse, tableCode } from "./escape-markdown.js";

const hostile = JSON.parse(
  readFileSync(new URL("../../fixtures/hostile-markdown.json", import.meta.url), "utf8"),
) as string[];
const spiced = fc
  .array(
    fc.oneof(
      fc.stringMatching(/^[ -/:-@[-`{-~]{1,3}$/u),
      fc.constantFrom(...hostile.filter((text) => text.length < 40)),
      fc.string({ unit: "grapheme", maxLength: 4 }),
      fc.constantFrom(" ", "\n", "a", "é", "\u3000", "1", "“", "x y"),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(""));

/** Where a value may stand, with what must come out whatever the value. */
const PLACES: readonly (readonly [string, (value: string) => string])[] = [
  ["a line of its own", (v) => v],
  ["before other text", (v) => `${v} text`],
  ["inside a sentence", (v) => `before ${v}, after`],
  ["two lines in a row", (v) => `${v}\n${v}`],
  ["under a line", (v) => `text\n${v}`],
  ["a heading", (v) => `# ${v}`],
  ["a list item", (v) => `- ${v}\n- other`],
  ["a numbered item", (v) => `1. ${v}`],
  ["a quotation", (v) => `> ${v}`],
  ["a table cell", (v) => `| a | b |\n| --- | --- |\n| ${v} | ${v} |\n| c | d |`],
  ["beside emphasis", (v) => `**bold** ${v} *it* ~x~ [l](u)`],
  ["twice in a line", (v) => `${v}: ${v} (${v})`],
];

/** The structure of a text, and its plain text that GitHub would still act on. */
function judged(markdown: string): { shape: string; active: readonly string[] } {
  const tree = parseMarkdown(markdown);
  const texts = [...nodesOf(tree)].flatMap(({ type, value }) => (type === "text" ? [value ?? ""] : []));
  return { shape: shapeOf(tree), active: texts.filter((text) => ACTIVE_TEXT.test(text)) };
}
const modelOf = (place: (value: string) => string): { shape: string; active: readonly string[] } => ({
  shape: shapeOf(parseMarkdown(place("harmless"))),
  active: [],
});

describe("inlineProse (P38)", () => {
  it.each([
    ["A normal sentence, with (parens), snake_case; 2 * 3 = 6 - ok? a < b -> c!", null],
    ['Don\'t "quote" 50% of C# & AT&T, f(x) = {y}', null],
    ["fix @bob's #12 and org/repo#12, GH-12", "fix `@bob's` `#12` and `org/repo#12`, `GH-12`"],
    ["see (https://x.y/z?a=1).", "see (`https://x.y/z?a=1`)."],
    ["# h", "\\# h"],
    ["- a", "\\- a"],
    ["-q is a flag", null],
    ["--verbose too", null],
    ["1. x", "1\\. x"],
    ["v1. x", null],
    ["---", "\\---"],
    ["a | b", "a \\| b"],
    ["__init__.py and _x_ **b**", "`__init__.py` and `_x_` \\*\\*b\\*\\*"],
    ["`npm test` fails (`x`).", "`npm test` fails (`x`)."],
    ["a `x", "a \\`x"],
    ["`a|b` c", "`a`\\|`b` c"],
    ["<b>x</b> &amp;", "\\<b>x\\</b> \\&amp;"],
    ["C:\\Users\\x", null],
    ["\\*", "\\\\\\*"],
    ["costs $5", "costs `$5`"],
    ["foo[0]", "foo\\[0\\]"],
    [":smile: file.py:12:5: error", "`:smile:` `file.py:12:5`: error"],
    ["two\nlines", "two lines"],
    ["", "(empty)"],
    ["\u0000", "(empty)"],
  ])("%j", (text, expected) => {
    expect(inlineProse(text)).toBe(expected ?? text);
  });

  it.each(PLACES)("every hostile string stays text as %s", (_name, place) => {
    const model = modelOf(place);
    for (const text of hostile)
      expect({ text, ...judged(place(inlineProse(text))) }).toEqual({ text, ...model });
  });

  it("so does any mixture of them, anywhere", () => {
    fc.assert(
      fc.property(spiced, fc.constantFrom(...PLACES), (text, [, place]) => {
        expect(judged(place(inlineProse(text)))).toEqual(modelOf(place));
      }),
      { numRuns: 2000 },
    );
  });

  it("shows every character of the text but the backticks of code", () => {
    fc.assert(
      fc.property(spiced, (text) => {
        const seen = visibleText(parseMarkdown(`x ${inlineProse(text)} x`)).replaceAll("`", "");
        const line = cleanLine(text);
        expect(seen).toBe(`x ${line === "" ? "(empty)" : line.replaceAll("`", "")} x`);
      }),
      { numRuns: 2000 },
    );
  });

  it("cannot end an HTML comment or a fence that a template puts around it", () => {
    for (const text of hostile) {
      expect(inlineProse(text)).not.toMatch(/-->|^ {0,3}(?:```|~~~)[^`]*$/u);
    }
  });

  it.each([
    "`",
    "`a ",
    "_",
    "a_",
    "*",
    "[",
    "&#",
    "<",
    "\\",
    "|",
    "#",
    "@",
    ":a",
    "(",
    "(`",
    "a.",
    "-",
    "!",
    "é_",
  ])("takes a megabyte of %j", (part) => {
    expect(inlineProse(part.repeat(2 ** 20 / part.length)).length).toBeGreaterThan(2 ** 20 - 8);
  });
});

describe("codeSpan and tableCode (P38)", () => {
  it.each([
    ["npm test", "`npm test`"],
    ["a `b` c", "``a `b` c``"],
    ["`a`", "`` `a` ``"],
    [" a ", "`  a  `"],
    ["a\nb\tc\u001b", "`a\\nb\\tc\\x1b`"],
    ["", "(empty)"],
    ["  ", "(2 spaces)"],
  ])("%j -> %s", (text, expected) => {
    expect(codeSpan(text)).toBe(expected);
  });

  it("shows exactly the text, controls as escapes", () => {
    fc.assert(
      fc.property(fc.oneof(spiced, fc.constantFrom(...hostile)), (text) => {
        fc.pre(showControls(text).trim() !== "");
        const [paragraph] = parseMarkdown(`x ${codeSpan(text)} x`).children ?? [];
        expect(paragraph?.children?.map(({ type }) => type)).toEqual(["text", "inlineCode", "text"]);
        expect(paragraph?.children?.[1]?.value).toBe(showControls(text));
      }),
      { numRuns: 800 },
    );
  });

  it("shows exactly the text inside a table cell too, pipes and all", () => {
    fc.assert(
      fc.property(fc.oneof(spiced, fc.constantFrom(...hostile)), (text) => {
        fc.pre(showControls(text).trim() !== "");
        const row = (cell: string): string => `| a | b |\n| --- | --- |\n| ${cell} | ${cell} |`;
        const tree = parseMarkdown(row(tableCode(text)));
        expect(shapeOf(tree)).toBe(shapeOf(parseMarkdown(row("x"))));
        const cell = tree.children?.[0]?.children?.[1]?.children?.[0];
        expect(visibleText(cell ?? tree).trim()).toBe(showControls(text).trim());
      }),
      { numRuns: 2000 },
    );
  });
});

describe("codeFence (P38)", () => {
  it("holds any text exactly, at the top and inside a list item", () => {
    fc.assert(
      fc.property(fc.oneof(spiced, fc.constantFrom(...hostile)), (text) => {
        const expected = cleanText(text).replace(/\n+$/u, "");
        const top = parseMarkdown(`before\n\n${codeFence(text, { info: "text" })}\n\nafter`);
        expect(top.children?.map(({ type }) => type)).toEqual(["paragraph", "code", "paragraph"]);
        expect(top.children?.[1]?.value).toBe(expected);
        const inList = parseMarkdown(`- item\n\n${codeFence(text, { indent: 2 })}\n\n- next`);
        expect(shapeOf(inList)).toBe(shapeOf(parseMarkdown("- item\n\n  ```\n  x\n  ```\n\n- next")));
        expect(inList.children?.[0]?.children?.[0]?.children?.[1]?.value).toBe(expected);
      }),
      { numRuns: 800 },
    );
  });
});
