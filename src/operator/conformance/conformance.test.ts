// The harness is tested by what it must let pass and by its mutants (O12, O13): executors with one rule broken each, real
// processes and real repositories.
import path from "node:path";
import { describe, expect, test } from "vitest";
import { findPrograms } from "../../io/find-program.js";
import type { ExecutorCommand } from "./executor-process.js";
import { type ConformanceReport, runConformance, SCENARIOS } from "./run-conformance.js";

const FIXTURES = path.join(import.meta.dirname, "../../../fixtures/executors");
interface Mutant {
  readonly scenario: string;
  /** Words of why it fails. */
  readonly says: string;
}
const { MUTANTS }: { MUTANTS: Record<string, Mutant> } = await import(path.join(FIXTURES, "mutants.mjs"));

const command = (...words: string[]): ExecutorCommand => ({
  words,
  cwd: FIXTURES,
  env: { PATH: process.env["PATH"], HOME: "/nonexistent" },
  stepMs: 60_000,
});
const node = (file: string, ...args: string[]): ExecutorCommand =>
  command(process.execPath, path.join(FIXTURES, file), ...args);

const failedOf = ({ results }: ConformanceReport): string[] => [
  ...new Set(results.filter(({ status }) => status === "failed").map(({ scenario }) => scenario)),
];
const wrong = ({ results }: ConformanceReport): string[] =>
  results.filter(({ status }) => status !== "passed").map(({ scenario, detail }) => `${scenario}: ${detail}`);

describe("O12 an executor that keeps the rules passes", () => {
  test("O12 all scenarios of the list", async () => {
    const report = await runConformance({ command: node("honest.mjs"), capabilities: null, scenario: null });
    expect(wrong(report)).toEqual([]);
    expect([...new Set(report.results.map(({ scenario }) => scenario))]).toEqual([
      "handoff",
      "handoff-second-rejected",
      "handoff-superseded",
      "handoff-expired",
      "handoff-invalid-note",
      "handoff-late",
      "handoff-crash",
      "offline-while-running",
      "offline-reads",
      "recovery-retry",
      "recovery-release",
      "errors-reset",
      "sealed-after-outcome",
      "export-torn-read",
      "halt-records-last-halt",
    ]);
  });
});

/** Where there is no Python, the example stays an example. */
const PYTHON = findPrograms("python3", process.env)[0];

describe.skipIf(PYTHON === undefined)("O12 an executor in another language", () => {
  test("O12 passes what it says it can do; the rest is not run", async () => {
    const report = await runConformance({
      command: command(PYTHON ?? "", path.join(FIXTURES, "example.py")),
      capabilities: null,
      scenario: null,
    });
    const of = (status: string): string[] =>
      report.results.filter((one) => one.status === status).map(({ scenario }) => scenario);
    expect([of("passed"), of("failed")]).toEqual([["handoff", "handoff-superseded"], []]);
    expect(of("not-run")).toHaveLength(report.results.length - 2);
  });
});

/** In CI, and with `MUTANTS=all`: each on every scenario. */
const IS_WHOLE = process.env["MUTANTS"] === "all" || process.env["CI"] === "true";
const NAMES = [...new Set(SCENARIOS.map(({ name }) => name))];

/** A mutant's own scenario, the first, and two that are others for each, so that together they come through all. */
function sampleFor(scenario: string, at: number): readonly string[] {
  const others = NAMES.filter((name) => name !== scenario);
  const picked = [0, 1].flatMap((step) => others[(2 * at + step) % others.length] ?? []);
  return IS_WHOLE ? NAMES : [...new Set(["handoff", scenario, ...picked])];
}

describe("O13 a mutant fails exactly the scenario that is meant for it", () => {
  test.each(Object.entries(MUTANTS).map(([name, mutant], at) => [name, mutant, at] as const))(
    "O13 %s",
    async (name, { scenario, says }, at) => {
      const reports: ConformanceReport[] = [];
      for (const one of sampleFor(scenario, at))
        reports.push(
          await runConformance({
            command: node("mutants.mjs", name),
            capabilities: null,
            scenario: one,
          }),
        );
      expect(reports.flatMap(failedOf)).toEqual([scenario]);
      const results = reports.flatMap((report) => report.results);
      const [why = ""] = results.flatMap(({ status, detail }) => (status === "failed" ? [detail ?? ""] : []));
      expect(why).toContain(says);
      expect(results.every(({ status }) => status !== "not-run")).toBe(true);
    },
  );

  test("O13 every scenario has a mutant", () => {
    const meant = new Set(Object.values(MUTANTS).map(({ scenario }) => scenario));
    expect(SCENARIOS.filter(({ name }) => !meant.has(name)).map(({ name }) => name)).toEqual([]);
  });
});
