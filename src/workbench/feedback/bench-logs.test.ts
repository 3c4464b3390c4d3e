// P18, P19: what makes the scan fast and small, held without a clock: the kernel takes the lines of the logs that the bench
// measures, commands are read once, and what a scan keeps does not grow with its log.
import { closeSync, fstatSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOG_KINDS, writeLog } from "../../../fixtures/bench/generate-log.mjs";
import { KernelLineTaker, kernelReduction } from "./kernel-lines.js";
import { loadKernel, STOP, type Kernel } from "./kernel-memory.js";
import { readLines } from "./read-lines.js";
import { newBook } from "./take-lines.js";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "handoff-bench-logs-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Scans a log by the kernel and tells what that took. */
async function scan(log: string) {
  const kernel = loadKernel();
  if (kernel === null) throw new Error("no WebAssembly with SIMD here");
  const stops = { parsed: 0, commandsRead: 0, all: 0 };
  const counting = Object.create(kernel, {
    takeLines: {
      value: (from: number, to: number) => {
        const stop = kernel.takeLines(from, to);
        if (stop === STOP.allTaken) return stop;
        stops.all += 1;
        if (stop === STOP.parse || stop === STOP.parseAndLearn) stops.parsed += 1;
        else if (kernel.stopped.commandNumber === 0) stops.commandsRead += 1;
        return stop;
      },
    },
  }) as Kernel;
  const reduction = kernelReduction(counting, [], 2000);
  const taker = new KernelLineTaker(counting, reduction);
  const book = newBook("log");
  taker.begin(0, book);
  const fd = openSync(log, "r");
  try {
    await readLines(fd, 0, fstatSync(fd).size, taker, () => {});
  } finally {
    closeSync(fd);
  }
  const state = JSON.stringify([reduction.save(), book]).length;
  const tables = reduction.groups.parts().reduce((sum, { length }) => sum + length, 0);
  return {
    lines: book.lines,
    records: book.records,
    stops,
    kept: state + tables,
    memory: kernel.bytes.length,
  };
}

describe("the logs of the bench", () => {
  it.each(Object.entries(LOG_KINDS))("P19 the kernel takes nearly all lines: %s", async (_, kind) => {
    const log = join(folder, "log.jsonl");
    const written = writeLog(log, 8 * 2 ** 20, kind);
    const { lines, records, stops } = await scan(log);
    expect([lines, records]).toEqual([written, written]);
    expect(stops.parsed).toBeLessThan(lines * 0.05);
    // Nearly all lines that need JavaScript at all are of commands it has read before.
    const commands = kind.commands === 0 ? 302 : kind.commands;
    expect(stops.commandsRead).toBeLessThan(commands + lines * 0.15);
    // Each failure, and a few successes of what failed before.
    expect(stops.all).toBeLessThanOrEqual(Math.min(lines, (lines * kind.fails * 4) / 1000));
  });

  it("P18 what a scan keeps does not grow with the log", async () => {
    const sizes = [];
    for (const records of [30_000, 120_000]) {
      const log = join(folder, "growing.jsonl");
      const lines = Array.from({ length: records }, (_, i) => {
        const command = i % 2 === 0 ? `make t${i % 20}` : `make u${i % 5001}`;
        return `${JSON.stringify({ command_id: `id-${i}`, command, exit_code: i % 3, started_at: 1795958752 + i })}\n`;
      });
      writeFileSync(log, lines.join(""));
      sizes.push(await scan(log));
    }
    const [short, long] = sizes;
    expect([short?.records, long?.records]).toEqual([30_000, 120_000]);
    expect(long?.memory).toBe(short?.memory);
    // Four times the records; only the numbers themselves are longer.
    expect(long?.kept).toBeLessThan((short?.kept ?? 0) * 1.1);
  });
});
