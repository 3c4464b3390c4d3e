// What an agent says reaches the terminal as text, and as nothing else.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../redact/create-redactor.js";
import { textWidth } from "../lay-out.js";
import { spokenLines } from "./spoken-lines.js";

const redactor = createRedactor();
const said = (text: string, columns: number | null = 80): string[] => spokenLines(text, redactor, columns);

describe("R25 what the agent says", () => {
  test("lines are indented, tabs are spaces, empty lines stay between", () => {
    expect(said("one\n\n\n\ttwo  \n")).toEqual(["  one", "", "      two"]);
  });

  test.each(["", "\n", " \n\t\n", "\u001b[31m\u001b[0m"])("%j says nothing", (text) => {
    expect(said(text)).toEqual([]);
  });

  test.each([
    ["\u001b[2J\u001b[Hgone", "  gone"],
    ["\u001b]0;title\u0007text", "  text"],
    ["\u001b[?1049h\u001b[31mred\u001b[0m", "  red"],
    ["a\u0008\u0008b\u0000", "  ab"],
    ["half a sequence \u001b[", "  half a sequence "],
    ["right\u202eleft", "  right\\u202eleft"],
  ])("%j is shown as %j", (text, line) => {
    expect(said(text)).toEqual([line.trimEnd()]);
  });

  test.each(["::error::x", "   ::error::x", "##[error]x", "##vso[task.complete]x"])(
    "%j commands no CI runner",
    (text) => {
      const [line = ""] = said(text, null);
      expect(line.trim()).not.toMatch(/^::|##\[|##vso\[/u);
    },
  );

  test("S13 a secret does not pass, not even one that would be cut", () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    for (const columns of [40, 80, null])
      expect(said(`${"x ".repeat(30)}${token}`, columns).join("")).not.toContain("a1B2");
  });

  test("words stay whole where they can, wide ones are broken", () => {
    const lines = said("the parser drops trailing commas in nested lists and nobody notices", 30);
    expect(lines).toEqual([
      "  the parser drops trailing",
      "  commas in nested lists and",
      "  nobody notices",
    ]);
    for (const line of said("界".repeat(60), 40)) expect(textWidth(line)).toBeLessThan(40);
  });

  test("code keeps its indent on every line", () => {
    const lines = said(`    if (${"a && ".repeat(12)}b)`, 40);
    for (const line of lines) expect(line).toMatch(/^ {6}\S/u);
  });

  test("a long line takes four lines, a long message sixteen; a file gets all of it", () => {
    expect(said("word ".repeat(500))).toHaveLength(4);
    const many = Array.from({ length: 100 }, (_, i) => `line ${i}`).join("\n");
    expect(said(many)).toHaveLength(16);
    expect(said(many).at(-1)).toBe("  … 85 more lines");
    expect(said(many, null)).toHaveLength(100);
  });

  test("any text fits any terminal, without control characters", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 400 }),
        fc.string({ unit: "binary", maxLength: 100 }),
        fc.integer({ min: 20, max: 200 }),
        (text, more, columns) => {
          for (const line of said(text + more, columns)) {
            expect(line).not.toMatch(/\p{Cc}/u);
            expect(textWidth(line)).toBeLessThan(columns);
          }
        },
      ),
      { seed: 4, numRuns: 300 },
    );
  });
});
