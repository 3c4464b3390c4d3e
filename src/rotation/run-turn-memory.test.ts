// R31, memory: a turn holds nothing of the events that went through it. What it costs in time is the bench's, no test's.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, expect, test } from "vitest";
import { claudeDriver } from "../agents/claude-code/drive.js";
import { runTurn } from "./run-turn.js";

const EVENTS = 300_000;
/** Six bytes of each event that comes after the first tenth would be more. */
const MOST_BYTES = 1.5 * 2 ** 20;
const BENCH = path.join(import.meta.dirname, "../../fixtures/bench/run-bench.mjs");

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");
const folder = mkdtempSync(path.join(tmpdir(), "handoff-turn-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function heapNow(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

test("R31 after hundreds of thousands of events a turn holds no more than after the first of them", async () => {
  const bin = path.join(folder, "agent");
  const talk = [process.execPath, BENCH, "talk", String(EVENTS)].map((word) => `'${word}'`).join(" ");
  writeFileSync(bin, `#!/bin/sh\ncat >/dev/null\nexec ${talk}\n`, { mode: 0o755 });
  let signals = 0;
  let early = 0;
  const request = {
    bin,
    args: [],
    prompt: "",
    resume: null,
    newSession: "11111111-2222-4333-8444-555555555555",
  };
  const outcome = await runTurn(
    claudeDriver,
    { ...request, compact: "no_summary", writing: false },
    {
      cwd: folder,
      env: process.env,
      onSignal: () => {
        signals += 1;
        if (signals === EVENTS / 10) early = heapNow();
      },
    },
  );
  expect(outcome).toMatchObject({ torn: 0, unknown: 0, result: { outcome: "done" } });
  expect(signals).toBeGreaterThan(EVENTS / 2);
  expect(early).toBeGreaterThan(0);
  expect(heapNow() - early).toBeLessThan(MOST_BYTES);
});
