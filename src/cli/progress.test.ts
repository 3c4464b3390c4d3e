import { describe, expect, test } from "vitest";
import { formatBytes, formatSeconds, progressBar, progressLine } from "./progress.js";

const MIB = 1024 * 1024;

describe("P44 the progress bar", () => {
  test("shows share, bytes, rate and time left", () => {
    expect(progressLine({ bytes: 256 * MIB, totalBytes: 1024 * MIB }, 2000)).toBe(
      "████░░░░░░░░░░░░  25 %  256.0 MiB of 1.0 GiB, 128.0 MiB/s, 6 s left",
    );
    expect(progressLine({ bytes: 10, totalBytes: 10 }, 0)).toBe(
      "████████████████ 100 %  10 B of 10 B, 0 B/s",
    );
    expect(progressLine({ bytes: 20, totalBytes: 10 }, 1000)).toContain("100 %");
    expect(progressLine({ bytes: 0, totalBytes: 0 }, 1000)).toContain("100 %");
  });

  test.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1536, "1.5 KiB"],
    [5 * 1024 * MIB, "5.0 GiB"],
  ])("%d bytes are %s", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  test.each([
    [0.2, "1 s"],
    [59.4, "59 s"],
    [125, "2 min 5 s"],
  ])("%d seconds are %s", (seconds, text) => {
    expect(formatSeconds(seconds)).toBe(text);
  });

  function drawn(isInteractive: boolean, times: readonly number[], columns = 80): string[] {
    const lines: string[] = [];
    let now = 0;
    const bar = progressBar({ isInteractive, columns, err: (text) => void lines.push(text) }, () => now);
    for (const time of times) {
      now = time;
      bar.update({ bytes: time, totalBytes: 1000 });
    }
    bar.done();
    return lines;
  }

  test("draws nothing in the first 300 ms, then at most every 100 ms, and clears its line", () => {
    const lines = drawn(true, [0, 100, 299, 300, 350, 399, 400, 900]);
    expect(lines.length).toBe(4);
    expect(lines.slice(0, 3).map((line) => /(\d+) %/u.exec(line)?.[1])).toEqual(["30", "40", "90"]);
    expect(lines[3]).toBe("\r\u001b[2K");
  });

  test("a line never wraps", () => {
    const [line = ""] = drawn(true, [400], 30);
    expect(line.replace("\r\u001b[2K", "")).toHaveLength(29);
  });

  test("a short scan leaves no trace, and neither does any scan when piped", () => {
    expect(drawn(true, [0, 100, 200])).toEqual([]);
    expect(drawn(false, [0, 400, 900])).toEqual([]);
  });
});
