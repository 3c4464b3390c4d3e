// A6: how long a payload is waited for. The clock is the test's own.
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readPayload } from "./read-payload.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const LIMITS = { maxBytes: 20, silenceMs: 2000, waitMs: 6000 };

/** Pieces that come so many milliseconds after each other. */
async function comes(stdin: PassThrough, pieces: readonly string[], ms: number): Promise<void> {
  for (const piece of pieces) {
    stdin.write(piece);
    await vi.advanceTimersByTimeAsync(ms);
  }
}

describe("A6 a payload", () => {
  test("A6 that comes slowly is read whole", async () => {
    const stdin = new PassThrough();
    const read = readPayload(stdin, LIMITS);
    await comes(stdin, ["one ", "two ", "three"], 1500);
    stdin.end();
    expect(await read).toEqual({ status: "read", text: "one two three" });
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ["of which no more comes", ["one ", "two"], 2000, "one two"],
    ["that never ends", ["1", "2", "3", "4", "5", "6"], 1100, "123456"],
    ["of which nothing comes", [""], 2000, ""],
  ])("A6 %s holds nobody up, and what came counts", async (_what, pieces, ms, text) => {
    const stdin = new PassThrough();
    const read = readPayload(stdin, LIMITS);
    await comes(stdin, pieces.slice(0, -1), Math.min(ms, 1500));
    await comes(stdin, pieces.slice(-1), ms);
    // After the time is over there is one more look.
    await vi.advanceTimersByTimeAsync(1);
    expect(await read).toEqual({ status: "timeout", text });
    expect(stdin.destroyed).toBe(true);
  });

  test("A6 that is too large is not read to its end", async () => {
    const stdin = new PassThrough();
    const read = readPayload(stdin, LIMITS);
    await comes(stdin, ["x".repeat(15), "y".repeat(15), "z"], 100);
    expect(await read).toEqual({ status: "too_large" });
  });
});
