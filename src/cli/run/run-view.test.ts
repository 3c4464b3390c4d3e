// R26: what a run has cost, folded from its ledger, events and progress: every session once, also where one was stopped and
// goes on.
import { describe, expect, test } from "vitest";
import type { RunEventLine } from "../../model/run-events.js";
import type { RunGeneration, RunLedger, RunStatus } from "../../model/run-ledger.js";
import type { RunProgress } from "../../rotation/run-options.js";
import { costOf, firstView, foldEvent, foldProgress } from "./run-view.js";

const LIMITS = { enabled: true, max_attempts: 6 };
const AT = "2026-11-29T10:00:00.000Z";

function row(generation: number, cost_usd: number | null): RunGeneration {
  return {
    generation,
    agent: "claude-code",
    model: null,
    session_id: `s-${generation}`,
    attempts: 0,
    context: 0,
    window: null,
    window_source: "unknown",
    cost_usd,
    turns: null,
    started_at: AT,
    ended_at: AT,
    packet_id: null,
    degraded: null,
    errors: [],
  };
}
const ledger = (
  status: RunStatus,
  retired: readonly string[],
  ...generations: RunGeneration[]
): RunLedger => ({
  run_id: "run-3f2a91c04d7e",
  session_id: generations.at(-1)?.session_id ?? null,
  retired: [...retired],
  status,
  task: "x",
  generations,
});
const progress = (generation: number, cost_usd: number | null): RunProgress => ({
  generation,
  agent: "claude-code",
  session_id: `s-${generation}`,
  phase: "working",
  context: 0,
  window: null,
  window_source: "unknown",
  thresholds: null,
  commands: 0,
  failures: 0,
  handoff: null,
  cost_usd,
});
const ended = (generation: number, cost_usd: number | null): RunEventLine => ({
  event: "generation_ended",
  run_id: "run-3f2a91c04d7e",
  generation,
  session_id: `s-${generation}`,
  agent: "claude-code",
  at: AT,
  context: 0,
  window: null,
  attempts: 0,
  cost_usd,
  turns: null,
});

describe("R26 a run that goes on", () => {
  test.each(["interrupted", "failed", "stopped", "running"] as const)(
    "in the session that was at work when it was %s: that one's running total, once",
    (status) => {
      const found = ledger(status, ["s-1"], row(1, 0.5), row(2, 0.25));
      let view = firstView(LIMITS, 0, found);
      expect(costOf(view)).toBe(0.5);
      view = foldProgress(view, progress(2, 0.25));
      expect(costOf(view)).toBe(0.75);
      view = foldProgress(view, progress(2, 1));
      expect(costOf(view)).toBe(1.5);
      view = foldEvent(view, ended(2, 1));
      expect(costOf(view)).toBe(1.5);
      view = foldProgress(view, progress(3, 2));
      expect(costOf(view)).toBe(3.5);
    },
  );

  test("in a session whose cost was not known yet", () => {
    const found = ledger("failed", ["s-1"], row(1, 0.5), row(2, null));
    const view = foldProgress(firstView(LIMITS, 0, found), progress(2, 0.25));
    expect(costOf(foldEvent(view, ended(2, 0.25)))).toBe(0.75);
  });

  test("in the successor of one that was retired", () => {
    const found = ledger("interrupted", ["s-1", "s-2"], row(1, 0.5), row(2, 0.25));
    const view = foldProgress(firstView(LIMITS, 0, found), progress(2, 0.25));
    expect(costOf(view)).toBe(0.75);
    expect(costOf(foldProgress(view, progress(3, 1)))).toBe(1.75);
  });

  test("of one that is done there is nothing more to come", () => {
    const found = ledger("done", ["s-1"], row(1, 0.5), row(2, 0.25));
    expect(costOf(firstView(LIMITS, 0, found))).toBe(0.75);
  });
});
