import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitLines } from "./line-splitter.js";

/** Lines of a text that comes in pieces of these sizes, one after the other and over again. */
function linesOf(bytes: Buffer, sizes: readonly number[], maxLine?: number): (string | null)[] {
  const lines: (string | null)[] = [];
  const splitter = splitLines((line) => lines.push(line), maxLine);
  // One buffer for every piece: what is kept of it must be a copy.
  const block = Buffer.alloc(Math.max(1, ...sizes));
  for (let at = 0, n = 0; at < bytes.length; n += 1) {
    const size = Math.min(sizes[n % sizes.length] ?? 1, bytes.length - at);
    bytes.copy(block, 0, at, at + size);
    splitter.push(block.subarray(0, size));
    block.fill(0x2a);
    at += size;
  }
  splitter.end();
  return lines;
}

describe("lines of a stream", () => {
  test("are the same however the bytes come, characters that are parted included", () => {
    const line = fc
      .string({ unit: "binary", maxLength: 40 })
      .map((text) => text.replaceAll(/[\r\n]/gu, " ").toWellFormed());
    const sizes = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 20 }),
        sizes,
        fc.constantFrom("\n", "\r\n"),
        (lines, by, end) => {
          const bytes = Buffer.from(lines.map((one) => one + end).join(""));
          expect(linesOf(bytes, by)).toEqual(lines);
        },
      ),
    );
  });

  test("the last one counts without its end, an empty one with it", () => {
    expect(linesOf(Buffer.from("one\n\ntwo"), [2])).toEqual(["one", "", "two"]);
    expect(linesOf(Buffer.from("one\n"), [64])).toEqual(["one"]);
    expect(linesOf(Buffer.from(""), [1])).toEqual([]);
  });

  test.each([1, 3, 64])(
    "one that is too long is given as null, and costs itself only (pieces of %i)",
    (size) => {
      const text = `short\n${"x".repeat(11)}\n${"y".repeat(10)}\n${"z".repeat(50)}`;
      expect(linesOf(Buffer.from(text), [size], 10)).toEqual(["short", null, "y".repeat(10), null]);
    },
  );

  test("bytes that are no UTF-8 are replaced", () => {
    expect(linesOf(Buffer.from([0x61, 0xff, 0x0a, 0x62]), [1])).toEqual(["a\ufffd", "b"]);
  });
});
