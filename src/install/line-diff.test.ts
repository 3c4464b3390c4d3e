// A1: the diff that is shown first says exactly what changes.
import fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines, type DiffRow } from "./line-diff.js";

const shown = (before: string | null, after: string | null): string[] =>
  diffLines(before, after).map(({ sign, text }) => (sign === "gap" ? `@@ ${text}` : `${sign}${text}`));

test("A1 added, removed and replaced lines with two lines around them", () => {
  expect(shown("a\nb\nc\nd\ne\nf\ng\n", "a\nb\nc\nX\ne\nf\ng\nh\n")).toEqual([
    "@@ 2",
    " b",
    " c",
    "-d",
    "+X",
    " e",
    " f",
    " g",
    "+h",
  ]);
  expect(shown(null, "a\nb\n")).toEqual(["+a", "+b"]);
  expect(shown("a\r\nb\r\n", null)).toEqual(["-a", "-b"]);
  expect(shown("a\n", "a\n")).toEqual([]);
});

test("A1 the rows put together again are the texts", () => {
  const texts = fc.array(fc.constantFrom("a", "b", "c", "{", "}"), { maxLength: 12 });
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
      const rows = diffLines(text(before), text(after));
      const side = (sign: DiffRow["sign"], lines: readonly string[]): void => {
        const own = rows.filter((row) => row.sign === sign || row.sign === " ").map((row) => row.text);
        // Unchanged lines far from a change are left out: what is shown is a part of the text, in order.
        let at = 0;
        for (const line of own) {
          at = lines.indexOf(line, at) + 1;
          expect(at).toBeGreaterThan(0);
        }
        const changed = rows.filter((row) => row.sign === sign).length;
        const same = lines.length - changed;
        expect(same).toBe(before.length - rows.filter((row) => row.sign === "-").length);
      };
      side("-", before);
      side("+", after);
    }),
  );
});

test("A1 very long texts are told without comparing every pair of lines", () => {
  const lines = Array.from({ length: 5000 }, (_, i) => `line ${i}`);
  const rows = diffLines(lines.join("\n"), lines.map((line) => `${line}!`).join("\n"));
  expect(rows.length).toBe(10_000);
});
