// Plays the scenarios against an executor (O12): one process and one fresh repository each. A scenario whose capabilities are not
// all declared is not run, and never counts as passed.
import { CAPABILITIES } from "../../model/executor-messages.js";
import { type ExecutorCommand } from "./executor-process.js";
import { ScenarioFailure } from "./scenario-failure.js";
import { CRASH_SCENARIOS } from "./scenarios-crash.js";
import { RECORD_SCENARIOS } from "./scenarios-records.js";
import { REQUEST_SCENARIOS } from "./scenarios-requests.js";
import { openStage, readCapabilities, type Scenario } from "./stage.js";

/** All there are. */
export const SCENARIOS: readonly Scenario[] = [...REQUEST_SCENARIOS, ...CRASH_SCENARIOS, ...RECORD_SCENARIOS];

/** What became of one scenario. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly variant: string | null;
  readonly status: "passed" | "failed" | "not-run";
  /** Why it failed, or which capabilities are missing; null: it passed. */
  readonly detail: string | null;
  readonly proves: string;
  readonly duration_ms: number;
}

/** What became of all. */
export interface ConformanceReport {
  /** What the executor calls itself. */
  readonly executor: string;
  readonly capabilities: readonly string[];
  readonly results: readonly ScenarioResult[];
}

export interface ConformanceOptions {
  readonly command: ExecutorCommand;
  /** Instead of what the executor declares; null: what it declares. */
  readonly capabilities: readonly string[] | null;
  /** This one only; null: all. */
  readonly scenario: string | null;
  readonly onResult?: (result: ScenarioResult) => void;
}

async function play(scenario: Scenario, command: ExecutorCommand): Promise<string | null> {
  const stage = await openStage(command);
  try {
    await stage.greet();
    await scenario.play(stage);
    return null;
  } catch (error) {
    if (error instanceof ScenarioFailure) return error.message;
    throw error;
  } finally {
    await stage.close();
  }
}

/** Plays them in order. Rejects with NotStarted, and with ScenarioFailure where the executor does not even say who it is. */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const { command, scenario: only, onResult } = options;
  const { name, capabilities: declared } = await readCapabilities(command);
  const capabilities = (options.capabilities ?? declared).filter((one) =>
    CAPABILITIES.some((known) => known === one),
  );
  const results: ScenarioResult[] = [];
  for (const scenario of SCENARIOS.filter((one) => only === null || one.name === only)) {
    const missing = scenario.needs.filter((need) => !capabilities.includes(need));
    const from = performance.now();
    const failure = missing.length > 0 ? null : await play(scenario, command);
    const result: ScenarioResult = {
      scenario: scenario.name,
      variant: scenario.variant,
      status: missing.length > 0 ? "not-run" : failure === null ? "passed" : "failed",
      detail: missing.length > 0 ? `needs ${missing.join(", ")}` : failure,
      proves: scenario.proves,
      duration_ms: Math.round(performance.now() - from),
    };
    results.push(result);
    onResult?.(result);
  }
  return { executor: name, capabilities, results };
}
