import fc from "fast-check";
import { expect, test } from "vitest";
import { cutOutput, MAX_TAIL_BYTES } from "./cut-output.js";

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, i) => `line ${i + 1}`).join("\n");

test("A7 35 lines stay as they are", () => {
  expect(cutOutput(`${numbered(35)}\n`)).toEqual({ text: `${numbered(35)}\n`, cut_bytes: 0 });
});

test("A7 of more lines the first 5 and the last 30 stay, and what is between is counted", () => {
  const { text, cut_bytes } = cutOutput(`${numbered(40)}\n`);
  const lines = text.split("\n");
  expect(lines.slice(0, 5)).toEqual(["line 1", "line 2", "line 3", "line 4", "line 5"]);
  expect(lines[5]).toBe(`[${cut_bytes} bytes left out]`);
  expect(lines.slice(6)).toEqual(numbered(40).split("\n").slice(-30));
  expect(cut_bytes).toBe(Buffer.byteLength("line 6\nline 7\nline 8\nline 9\nline 10\n") + 1);
});

test("A7 one long line keeps both ends, whole characters only", () => {
  const { text, cut_bytes } = cutOutput(`begin${"ü€😀".repeat(5000)}end`);
  expect(text.startsWith("begin")).toBe(true);
  expect(text.endsWith("end")).toBe(true);
  expect(text).not.toContain("\ufffd");
  expect(cut_bytes).toBeGreaterThan(40_000);
});

test("A7 whatever was said, at most 4 KiB stay and the end is among them", () => {
  const output = fc
    .array(
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 400 }),
        fc.string({ unit: "grapheme", maxLength: 3000 }),
      ),
      {
        maxLength: 60,
      },
    )
    .map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(output, (said) => {
      const { text, cut_bytes } = cutOutput(said);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_TAIL_BYTES);
      const whole = cut_bytes === 0 && text === said.toWellFormed();
      expect(whole || text.includes(`[${cut_bytes} bytes left out]`)).toBe(true);
    }),
  );
});
