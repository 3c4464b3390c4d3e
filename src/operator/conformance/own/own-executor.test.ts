// Our own runner is an executor like any other (O13): it passes every scenario, and with one of its rules broken it fails the one
// that is meant for that rule.
import { rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BuiltChild, buildChild } from "../../../store/testing/build-child.js";
import type { ExecutorCommand } from "../executor-process.js";
import { runConformance, SCENARIOS } from "../run-conformance.js";

let child: BuiltChild;
beforeAll(async () => {
  child = await buildChild(path.join(import.meta.dirname, "own-executor-child.ts"));
});
afterAll(() => rmSync(child.folder, { recursive: true, force: true }));

const command = (...args: string[]): ExecutorCommand => ({
  words: [process.execPath, child.main, ...args],
  cwd: child.folder,
  env: { PATH: process.env["PATH"], HOME: "/nonexistent" },
  stepMs: 120_000,
});
const names = [...new Set(SCENARIOS.map(({ name }) => name))];

describe("O13 our own runner passes", () => {
  test.each(names)("O13 %s", async (scenario) => {
    const { results } = await runConformance({ command: command(), capabilities: null, scenario });
    expect(results.map(({ detail }) => detail)).toEqual(results.map(() => null));
    expect(results.every(({ status }) => status === "passed")).toBe(true);
  });
});

describe("O13 with a rule broken it fails", () => {
  /** The scenario that is meant, and the one that comes nearest to it. */
  test.each([
    ["note-after-clean-up", "handoff", "recovery-release"],
    ["begins-twice", "handoff", "handoff-invalid-note"],
    ["renews-the-clock", "handoff-expired", "handoff"],
    ["completes-after-a-crash", "handoff-crash", "recovery-release"],
  ])("O13 %s: %s, and not %s", async (broken, scenario, other) => {
    const failed: string[] = [];
    for (const name of [scenario, other]) {
      const { results } = await runConformance({
        command: command("--broken", broken),
        capabilities: null,
        scenario: name,
      });
      if (results.some(({ status }) => status !== "passed")) failed.push(name);
    }
    expect(failed).toEqual([scenario]);
  });
});
