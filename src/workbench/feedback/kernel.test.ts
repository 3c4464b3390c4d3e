// The kernel by itself: its binary is what its source compiles to, its ids, and that it really takes the fast path.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KernelIds } from "./kernel-ids.js";
import { KernelLineTaker, kernelReduction } from "./kernel-lines.js";
import { loadKernel, STOP, type Kernel } from "./kernel-memory.js";
import { newBook } from "./take-lines.js";

function kernelOrFail(): Kernel {
  const kernel = loadKernel();
  if (kernel === null) throw new Error("no WebAssembly with SIMD here");
  return kernel;
}

/** Runs `text` through the kernel; how many lines it took by itself, and how often it stopped. */
function take(text: string): { records: number; stops: number; total: number } {
  const kernel = kernelOrFail();
  let stops = 0;
  const counting: Kernel = Object.create(kernel, {
    takeLines: {
      value: (from: number, to: number) => {
        const stop = kernel.takeLines(from, to);
        if (stop !== STOP.allTaken) stops += 1;
        return stop;
      },
    },
  }) as Kernel;
  const reduction = kernelReduction(kernel, [], 2000);
  const taker = new KernelLineTaker(counting, reduction);
  taker.begin(0, newBook("log"));
  const length = kernel.buffer.write(text, 0, "utf8");
  taker.block(0, length, 0);
  return { records: kernel.records, stops, total: reduction.total };
}

describe("the kernel", () => {
  it("P18 is what its source compiles to", () => {
    const script = fileURLToPath(new URL("kernel/compile-kernel.mjs", import.meta.url));
    expect(execFileSync(process.execPath, [script, "--check"], { encoding: "utf8" })).toBe("");
  });

  it.each([
    [
      "python's layout",
      (i: number) =>
        `{"command": ["python3", "-V"], "agent_note": "é ${i}", "started_at": ${1795958752 + i}.6563687, "stdout_tail": "Python\\n\\u00e9", "exit_code": 0, "duration_ms": ${i}.5, "truncations": {"stdout": 0, "a": [1, {}]}}`,
    ],
    [
      "JavaScript's layout",
      (i: number) =>
        `{"command_id":"id-${i}","command":"npm run x${i}","exit_code":0,"ts":"2026-11-29T12:05:52.${100 + i}Z","ok":true,"error":null}`,
    ],
    [
      "keys in two orders",
      (i: number) =>
        i % 2 === 0
          ? '{"exitCode":0,"command":"a","timestamp":1795958752123}'
          : '{"timestamp":1795958752123,"command":"a","exitCode":0}',
    ],
  ])("P18 takes successes without a stop: %s", (_, lineOf) => {
    const lines = Array.from({ length: 200 }, (_unused, i) => lineOf(i));
    const { records, stops, total } = take(`${lines.join("\n")}\n`);
    expect([records, total]).toEqual([200, 200]);
    expect(stops).toBe(0);
  });

  it("P18 stops once at each failure, and at each success of the failed command", () => {
    const lines = Array.from(
      { length: 100 },
      (_, i) => `{"command":"a","exit_code":${i % 10 === 3 ? 1 : 0}}`,
    );
    const { records, stops } = take(`${lines.join("\n")}\n`);
    expect(records).toBe(100);
    // Ten failures, each resolved by the success behind it.
    expect(stops).toBe(20);
  });

  it.each([
    ["a control in a string", '{"command":"a","exit_code":0,"note":"x\u0001"}'],
    ["an unknown escape", '{"command":"a","exit_code":0,"note":"\\x"}'],
    ["a broken escape", '{"command":"a","exit_code":0,"note":"\\u00g0"}'],
    ["a leading zero", '{"command":"a","exit_code":0,"n":01}'],
    ["a dot without digits", '{"command":"a","exit_code":0,"n":1.}'],
    ["half a word", '{"command":"a","exit_code":0,"n":nul}'],
    ["a comma too many", '{"command":"a","exit_code":0,"n":[1,]}'],
    ["a key without value", '{"command":"a","exit_code":0,"n":{"a"}}'],
    ["a brace too many", '{"command":"a","exit_code":0,"n":1}}'],
    ["an open object", '{"command":"a","exit_code":0,"n":1'],
    ["glued objects", '{"command":"a","exit_code":0,"n":1}{"command":"a","exit_code":0,"n":1}'],
    ["a NUL", '{"command":"a","exit_code":0,"n":"a\u0000"}'],
  ])("P18 hands back %s", (_, bad) => {
    const good = '{"command":"a","exit_code":0,"note":"x","n":1}\n';
    const { records, stops, total } = take(`${good.repeat(40)}${bad}\n${good}`);
    expect([records, stops, total]).toEqual([41, 1, 41]);
  });

  it("P14 knows an id again by all of its bytes, whatever its length", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ unit: "binary", maxLength: 40 }),
            fc.constantFrom(
              "a",
              "a\u0000",
              "\ud800",
              "\ud801",
              "\ufffd",
              "x".repeat(300),
              "x".repeat(301),
              "y".repeat(16),
              "y".repeat(17),
            ),
          ),
          { maxLength: 60 },
        ),
        (texts) => {
          const ids = new KernelIds(kernelOrFail());
          const known = new Set<string>();
          for (const text of texts) {
            expect(ids.seen(text)).toBe(known.has(text));
            known.add(text);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it("P14 remembers the newest million ids exactly, and stays right when older ones are forgotten", () => {
    const ids = new KernelIds(kernelOrFail());
    const id = (n: number): string => `run-${n.toString(36)}`;
    let repeated = 0;
    for (let n = 0; n < 1_300_000; n += 1) if (ids.seen(id(n))) repeated += 1;
    expect(repeated).toBe(0);
    let known = 0;
    for (let n = 300_000; n < 1_300_000; n += 1) if (ids.seen(id(n))) known += 1;
    expect(known).toBe(1_000_000);
    expect(ids.seen(id(0))).toBe(false);
    expect(ids.seen(id(0))).toBe(true);
  });
});
