// P18: the scanner, by either reader and with any block size, says what the naive reader says.
import { isUtf8 } from "node:buffer";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lineArb, logArb, nearLogArb } from "../../../fixtures/feedback/hostile-logs.js";
import { plainScan } from "../../../fixtures/feedback/plain-scan.js";
import { commandKey } from "../../text/shell-words.js";
import { scanFeedback } from "./scan-feedback.js";

const WATCH = ["pytest -q", "sleep 5", "日本語 é", "npx vitest run", "never"].map(commandKey);
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "handoff-scan-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(logs: readonly Buffer[]): { absolute: string; path: string }[] {
  return logs.map((log, index) => {
    const path = `log-${index}.jsonl`;
    writeFileSync(join(folder, path), log);
    return { absolute: join(folder, path), path };
  });
}

/** What a reader says, and what it should say. */
async function compare(
  logs: readonly Buffer[],
  reader: "kernel" | "plain",
  blockBytes: number,
  maxGroups = 2000,
): Promise<{ said: unknown; wanted: unknown }> {
  const files = write(logs);
  const plain = plainScan(files, { watch: WATCH, maxGroups });
  const options = { watch: WATCH, cacheDir: null, rescan: false, maxGroups };
  const { scan, diagnostics } = await scanFeedback(files, options, { reader, blockBytes });
  return {
    said: {
      scan,
      skips: diagnostics.filter(({ code }) => code === "feedback.skipped_line").map(({ source }) => source),
      encoding: diagnostics
        .filter(({ code }) => code === "feedback.encoding")
        .map(({ source }) => source?.path),
      nonzero: scan.failures.reduce((sum, { count }) => sum + count, 0) + scan.folded.records,
    },
    wanted: {
      scan: plain.scan,
      skips: files.flatMap(({ path }) => plain.skips.filter((skip) => skip.path === path).slice(0, 20)),
      encoding: files.filter((_, index) => !isUtf8(logs[index] ?? Buffer.of())).map(({ path }) => path),
      nonzero: plain.scan.nonzero,
    },
  };
}

describe.each(["plain", "kernel"] as const)("the %s reader against the naive one", (reader) => {
  it("P18 agrees on random and hostile logs, whatever the block size", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(logArb, { minLength: 1, maxLength: 3 }),
        fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 600, max: 65_536 })),
        fc.constantFrom(1, 2, 3, 2000),
        async (logs, blockBytes, maxGroups) => {
          const { said, wanted } = await compare(logs, reader, blockBytes, maxGroups);
          expect(said).toEqual(wanted);
        },
      ),
      { numRuns: 250 },
    );
  });

  it("P18 agrees where the same few lines come again and again", async () => {
    // Every line is met by a dictionary that knows its keys, so the fast path is taken as often as it may be.
    await fc.assert(
      fc.asyncProperty(
        fc.array(lineArb, { minLength: 2, maxLength: 8 }),
        fc.array(fc.nat(7), { minLength: 20, maxLength: 300 }),
        fc.integer({ min: 600, max: 5000 }),
        async (lines, picks, blockBytes) => {
          const ended = picks.map((pick) => Buffer.concat([lines[pick % lines.length]!, Buffer.from("\n")]));
          const { said, wanted } = await compare([Buffer.concat(ended)], reader, blockBytes);
          expect(said).toEqual(wanted);
        },
      ),
      { numRuns: 250 },
    );
  });

  it("P18 agrees on logs whose lines are all but what the fast path takes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(nearLogArb, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(700, 3000, 65_536),
        async (logs, blockBytes) => {
          const { said, wanted } = await compare(logs, reader, blockBytes);
          expect(said).toEqual(wanted);
        },
      ),
      { numRuns: 250 },
    );
  });

  it("P18 agrees on more commands than the kernel has room for", async () => {
    const commands = Array.from({ length: 18_000 }, (_, i) => ["make", `target-${i}`, "x".repeat(i % 300)]);
    const lines = [...commands, ...commands.slice(0, 3000)].map((command, i) =>
      JSON.stringify({ command, exit_code: i % 3 === 0 ? 0 : i % 2, started_at: 1795958752 + i }),
    );
    const { said, wanted } = await compare([Buffer.from(`${lines.join("\n")}\n`)], reader, 65_536, 20);
    expect(said).toEqual(wanted);
  });

  it("P18 agrees on more keys than the kernel has room for", async () => {
    const lines = Array.from({ length: 900 }, (_, i) =>
      JSON.stringify({
        command: "a",
        [`key-${i}`]: i,
        ["k".repeat(i % 90)]: 0,
        exit_code: i % 7 === 0 ? 1 : 0,
      }),
    );
    const { said, wanted } = await compare([Buffer.from(`${lines.join("\n")}\n`)], reader, 4096);
    expect(said).toEqual(wanted);
  });

  it.each(["\xc2", "\xff", "\xc3\xa9"])(
    "P7 sees the encoding of what is the same in every line: %j",
    async (bytes) => {
      const line = '{"command":"a","note":"?","meta":{"?":["?"]},"exit_code":0,"?":1}\n'.replaceAll(
        "?",
        bytes,
      );
      const { said, wanted } = await compare([Buffer.from(line.repeat(60), "latin1")], reader, 65_536);
      expect(said).toEqual(wanted);
    },
  );

  it.each([
    "2027-02-29",
    "2028-02-30",
    "2028-04-31",
    "2028-06-31",
    "2028-11-31",
    "2028-01-32",
    "2028-00-01",
    "2028-13-01",
  ])("P3 takes %s for no date, and its neighbours for one", async (date) => {
    const at = (day: string): string => `{"command":"a","exit_code":0,"ts":"${day}T10:00:00Z"}\n`;
    const days = ["2024-02-29", "2025-01-31", "2025-12-31", "2026-02-28", "2026-04-30"].map(at).join("");
    const { said, wanted } = await compare([Buffer.from(`${days.repeat(20)}${at(date)}`)], reader, 65_536);
    expect(said).toEqual(wanted);
    expect(said).toMatchObject({ scan: { newest_at: Date.UTC(2026, 3, 30, 10) } });
  });
});
