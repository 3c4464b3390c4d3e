// The order of a finalization (O7) and what a recovery may do (O9): every state of a record.
import { describe, expect, test } from "vitest";
import { type AttemptRecord, FINALIZE_STEPS, type FinalizeStep } from "./attempt-record.js";
import { nextStep, stepBegun, stepDone } from "./finalize-steps.js";

type Progress = Pick<AttemptRecord, "step" | "done" | "held">;
const AT = "2026-11-29T10:00:00.000Z";
const FRESH: Progress = { step: null, done: [], held: null };

function walk(from: Progress, isRecovery: boolean): FinalizeStep[] {
  const steps: FinalizeStep[] = [];
  let record = from;
  for (let step = nextStep(record, isRecovery); step !== null; step = nextStep(record, isRecovery)) {
    steps.push(step);
    record = stepDone(stepBegun(record, step), step, AT);
  }
  return steps;
}

const through = (...steps: FinalizeStep[]): Progress => ({
  ...FRESH,
  step: steps.at(-1) ?? null,
  done: steps.map((step) => ({ step, at: AT })),
});

describe("O7 the order", () => {
  test("the packet is looked at before release, and after clean-up only the budget", () => {
    expect(walk(FRESH, false)).toEqual([
      "checkpoint",
      "validate",
      "publish",
      "hold_check",
      "release",
      "clean_up",
      "budget",
      "ledger",
      "complete",
    ]);
  });

  test.each(FINALIZE_STEPS.slice(0, 7))(
    "held at %s, only the ledger and the request's end follow",
    (step) => {
      const before = FINALIZE_STEPS.slice(0, FINALIZE_STEPS.indexOf(step) + 1);
      expect(walk({ ...through(...before), held: { step, reason: "x" } }, false)).toEqual([
        "ledger",
        "complete",
      ]);
    },
  );

  test.each(FINALIZE_STEPS)("from %s it goes on with what is behind it", (step) => {
    const at = FINALIZE_STEPS.indexOf(step);
    expect(walk(through(...FINALIZE_STEPS.slice(0, at)), false)).toEqual(FINALIZE_STEPS.slice(at));
  });
});

describe("O9 a recovery", () => {
  const cases: [FinalizeStep | "nothing", "begun" | "through", FinalizeStep[]][] = [
    ["nothing", "through", ["checkpoint", "hold_check", "release", "clean_up", "ledger", "complete"]],
    ["validate", "through", ["hold_check", "release", "clean_up", "ledger", "complete"]],
    ["publish", "begun", ["publish", "hold_check", "release", "clean_up", "ledger", "complete"]],
    ["publish", "through", ["hold_check", "release", "clean_up", "ledger", "complete"]],
    ["release", "begun", ["release", "clean_up", "ledger", "complete"]],
    ["clean_up", "through", ["ledger", "complete"]],
    ["ledger", "through", ["complete"]],
    ["complete", "through", []],
  ];
  test.each(cases)(
    "after %s, %s: carries out what is on record and lets go, judges nothing",
    (step, how, rest) => {
      const at = step === "nothing" ? 0 : FINALIZE_STEPS.indexOf(step) + 1;
      const done = FINALIZE_STEPS.slice(0, how === "begun" ? at - 1 : at);
      const record = through(...done);
      expect(walk(step === "nothing" ? record : { ...record, step }, true)).toEqual(rest);
    },
  );
});
