// R25, R26: the shapes of a run's ledger and of its events.
import { describe, expect, test } from "vitest";
import { type RunEventLine, runEventSchema } from "./run-events.js";
import { type RunLedger, runLedgerSchema } from "./run-ledger.js";

const AT = "2026-03-01T12:00:00.000Z";
const LEDGER: RunLedger = {
  run_id: "r-1",
  session_id: "s-2",
  retired: ["s-1"],
  status: "running",
  task: "build it",
  generations: [
    {
      generation: 1,
      agent: "claude-code",
      model: "claude-opus-5-5",
      session_id: "s-1",
      attempts: 1,
      context: 151_000,
      window: 200_000,
      window_source: "agent",
      cost_usd: 1.5,
      turns: 12,
      started_at: AT,
      ended_at: AT,
      packet_id: "hp_0123456789abcdef",
      degraded: null,
      errors: [{ at: AT, verdict: "retryable", status: 529, text: "Overloaded" }],
    },
    {
      generation: 2,
      agent: "codex",
      model: null,
      session_id: null,
      attempts: 0,
      context: 0,
      window: null,
      window_source: "unknown",
      cost_usd: null,
      turns: null,
      started_at: AT,
      ended_at: null,
      packet_id: null,
      degraded: "overflow",
      errors: [],
    },
  ],
};

describe("R26 the ledger", () => {
  test("takes a run in the middle of its second generation", () => {
    expect(runLedgerSchema.parse(LEDGER)).toEqual(LEDGER);
  });
  test.each<[string, object]>([
    ["an unknown key", { surprise: 1 }],
    ["a status there is none of", { status: "sleeping" }],
    ["a run id that leads out of its folder", { run_id: "../x" }],
    ["no task", { task: undefined }],
  ])("refuses %s", (_name, change) => {
    expect(runLedgerSchema.safeParse({ ...LEDGER, ...change }).success).toBe(false);
  });
});

describe("R25 events", () => {
  const common = { run_id: "r-1", generation: 1, session_id: "s-1", agent: "claude-code" };
  const events: readonly RunEventLine[] = [
    { event: "run_started", ...common, session_id: null, at: AT, task: "build it" },
    { event: "generation_started", ...common, at: AT, model: null, window: 200_000, window_source: "option" },
    {
      event: "attempt_failed",
      ...common,
      at: AT,
      attempt: 1,
      verdict: "retryable",
      status: 429,
      text: "slow down",
      delay_ms: 900,
    },
    { event: "near", ...common, context: 131_000, window: 200_000, at: 150_000, time: AT },
    { event: "writing", ...common, at: AT, context: 151_000, window: 200_000 },
    {
      event: "done",
      ...common,
      at: AT,
      context: 160_000,
      window: 200_000,
      degraded: null,
      path: "outputs/handoff/s-1/handoff.json",
      sections: ["doing", "next"],
      packet_id: "hp_0123456789abcdef",
    },
    {
      event: "generation_ended",
      ...common,
      at: AT,
      context: 160_000,
      window: 200_000,
      attempts: 0,
      cost_usd: null,
      turns: 3,
    },
    { event: "run_ended", ...common, at: AT, status: "done", rule: "done", exit: 0, message: null },
  ];
  test.each(events.map((event) => [event.event, event] as const))("%s", (_kind, event) => {
    expect(runEventSchema.parse(event)).toEqual(event);
    const { run_id: _, ...without } = event;
    expect(runEventSchema.safeParse(without).success).toBe(false);
  });
});
