// R27: where a run goes on whose runner is gone, from every phase; R18: a session that is gone.
import { describe, expect, test } from "vitest";
import { loseSession, resumeRun } from "./resume-run.js";
import { firstState, RUN_PHASES, type RunPhase, type RunState } from "./run-state.js";

const MIDDLE: RunState = {
  ...firstState(),
  generation: 3,
  session_id: "s-3",
  thresholds: { at: 150_000, warn_at: 130_000 },
  readings: { context: 60_000, first: 30_000 },
  failed_tries: 4,
  retired: 2,
  degraded_in_row: 1,
};
const FACTS = { isRetired: false, hasReply: false };
const words = (state: RunState, facts = FACTS): string => {
  const next = resumeRun(state, facts);
  return [next.state.phase, ...next.effects.map(({ kind }) => kind)].join(" ");
};

describe("resumeRun", () => {
  const expected: Readonly<Record<RunPhase, string>> = {
    working: "working continue_session",
    waiting: "working continue_session",
    cutting: "writing tell ask",
    writing: "writing tell ask",
    // Its words are not on record: it is asked again.
    publishing: "writing tell ask",
    pausing: "pausing pause",
    stopped: "working continue_session",
  };
  test.each(RUN_PHASES)("R27 %s", (phase) => {
    expect(words({ ...MIDDLE, phase })).toBe(expected[phase]);
  });

  test("R27 without a session the generation starts anew", () => {
    for (const phase of ["working", "waiting", "stopped"] as const) {
      const { state, effects } = resumeRun({ ...MIDDLE, phase, session_id: null }, FACTS);
      expect(effects).toEqual([{ kind: "start_session", generation: 3 }]);
      expect(state.generation).toBe(3);
    }
  });

  test("R17 R18 a packet that was being written is written, with the words on record or without any", () => {
    const publishing: RunState = { ...MIDDLE, phase: "publishing" };
    expect(resumeRun(publishing, { ...FACTS, hasReply: true }).effects).toEqual([
      { kind: "publish", degraded: null, reason: "context_threshold" },
    ]);
    expect(resumeRun({ ...publishing, degraded: "overflow" }, FACTS).effects).toEqual([
      { kind: "publish", degraded: "overflow", reason: "overflow" },
    ]);
    expect(resumeRun({ ...publishing, degraded: "timeout" }, FACTS).effects).toEqual([
      { kind: "publish", degraded: "timeout", reason: "context_threshold" },
    ]);
  });

  test("O9 a request ends with its runner: the session that was cut or asked for it goes on", () => {
    for (const phase of ["cutting", "writing", "publishing"] as const) {
      const asked: RunState = { ...MIDDLE, phase, ending: "operator", operator: "begun" };
      expect(words(asked, { ...FACTS, hasReply: true })).toBe("working continue_session");
      expect(resumeRun(asked, FACTS).state).toMatchObject({ operator: "none", ending: null });
    }
    const waits: RunState = { ...MIDDLE, operator: "asked" };
    expect(resumeRun(waits, FACTS).state.operator).toBe("none");
  });

  test("O9 at the pause the packet was out already: its successor is next, or the pause again", () => {
    const again: RunState = { ...MIDDLE, phase: "publishing", ending: "operator", operator: "begun" };
    const retired = { ...FACTS, isRetired: true };
    expect(words(again, retired)).toBe("working start_session");
    const paused: RunState = { ...again, limits: { ...again.limits, pause: true } };
    expect(words(paused, retired)).toBe("pausing pause");
    expect(resumeRun(paused, retired).state.ending).toBeNull();
  });

  test("R27 one that was interrupted over it goes on with its session", () => {
    const ending: RunState = { ...MIDDLE, phase: "publishing", ending: "signal" };
    expect(words(ending, { ...FACTS, hasReply: true })).toBe("working continue_session");
    expect(resumeRun(ending, FACTS).state.ending).toBeNull();
  });

  test("R19 R20 after the session was retired comes its successor; what led to the stop counts anew", () => {
    const stopped: RunState = { ...MIDDLE, phase: "stopped", degraded_in_row: 2, floors_in_row: 2 };
    const { state, effects } = resumeRun(stopped, { ...FACTS, isRetired: true });
    expect(effects).toEqual([{ kind: "start_session", generation: 4 }]);
    expect(state).toMatchObject({
      generation: 4,
      session_id: null,
      failed_tries: 0,
      degraded_in_row: 0,
      floors_in_row: 0,
      retired: 2,
    });
  });
});

describe("loseSession", () => {
  test("R27 nothing read of it: anew", () => {
    const { state, effects } = loseSession({ ...MIDDLE, readings: { context: 0, first: null } });
    expect(state).toMatchObject({ phase: "working", session_id: null, generation: 3 });
    expect(effects).toEqual([{ kind: "start_session", generation: 3 }]);
  });
  test("R18 it had begun: what it did is handed over", () => {
    const { state, effects } = loseSession(MIDDLE);
    expect(state).toMatchObject({ phase: "publishing", session_id: "s-3", degraded: "agent_failed" });
    expect(effects).toEqual([{ kind: "publish", degraded: "agent_failed", reason: "context_threshold" }]);
  });
});
