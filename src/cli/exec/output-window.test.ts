// What is remembered of an output that passes through (A11): both ends of it, in bounded memory, however it comes in pieces.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutputWindow } from "./output-window.js";

function rememberOf(bytes: Buffer, sizes: readonly number[]): OutputWindow {
  const window = new OutputWindow();
  let at = 0;
  for (let i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] ?? 1;
    window.add(bytes.subarray(at, at + size));
    at += size;
  }
  return window;
}

describe("A11 OutputWindow", () => {
  it("A11 has the whole of what is short, characters in several pieces included", () => {
    const text = "größer als 出力 🎉\n".repeat(50);
    expect(rememberOf(Buffer.from(text), [1]).remembered()).toEqual({ text, cut_bytes: 0 });
    expect(new OutputWindow().remembered()).toEqual({ text: "", cut_bytes: 0 });
  });

  it("A11 has both ends of what is long, and counts the rest", () => {
    const line = (i: number) => `line ${String(i).padStart(9, "0")}\n`;
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, i) => line(i)).join(""));
    for (const sizes of [[64 * 1024], [7, 65_536, 1], [1_000_000]]) {
      const { text, cut_bytes } = rememberOf(bytes, sizes).remembered();
      expect(text.startsWith(line(0) + line(1))).toBe(true);
      expect(text.endsWith(line(99_998) + line(99_999))).toBe(true);
      expect(text).toContain(`\n[${cut_bytes} bytes left out]\n`);
      expect(cut_bytes + Buffer.byteLength(text)).toBe(
        bytes.length + `\n[${cut_bytes} bytes left out]\n`.length,
      );
    }
  });

  it("A11 copies what it keeps: the buffer is used again", () => {
    const buffer = Buffer.from("first");
    const window = new OutputWindow();
    window.add(buffer);
    buffer.write("other");
    window.add(buffer);
    expect(window.remembered().text).toBe("firstother");
  });

  it("A11 loses and doubles no byte, whatever the pieces", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 400_000 }),
        fc.array(fc.integer({ min: 1, max: 200_000 }), { minLength: 1, maxLength: 5 }),
        (length, sizes) => {
          const bytes = Buffer.from("0123456789".repeat(Math.ceil(length / 10)).slice(0, length));
          const { text, cut_bytes } = rememberOf(bytes, sizes).remembered();
          const mark = `\n[${cut_bytes} bytes left out]\n`;
          const [head = "", tail = ""] = cut_bytes === 0 ? [text] : text.split(mark);
          expect(bytes.toString().startsWith(head)).toBe(true);
          expect(bytes.toString().endsWith(tail)).toBe(true);
          expect(head.length + tail.length + cut_bytes).toBe(length);
          expect(cut_bytes === 0 || tail.length >= 128 * 1024).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });
});
