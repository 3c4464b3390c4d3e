// What the person is answered (O7, O8): the record of an attempt and the request that is alive, judged.
import { describe, expect, test } from "vitest";
import type { RunEnd } from "../rotation/run-options.js";
import { firstState } from "../rotation/run-state.js";
import { newLedger } from "../rotation/ledger-steps.js";
import { type AttemptRecord, newAttempt } from "./attempt-record.js";
import { liveVerdict } from "./attempt-verdict.js";
import type { LiveRequest } from "./operator.js";

const RUN = "run-3f2a91c04d7e";
const RECORD: AttemptRecord = {
  ...newAttempt({
    run_id: RUN,
    attempt: 2,
    branch: `handoff/${RUN}/2`,
    base_commit: "a".repeat(40),
    tree: "/tree",
    takes_over: false,
    started_at: "2026-11-29T10:00:00.000Z",
  }),
  outcome: { rule: "operator", handoff: true, session: "s-1" },
  packet_valid: true,
  elapsed_ms: 359_000,
};
const LIVE: LiveRequest = {
  request_id: "req-1",
  accepted_at: "2026-11-29T10:00:00.000Z",
  begun: true,
  elapsed_ms: 1000,
  publication_ms: 5000,
  publication_limit_ms: 120_000,
};
const END: RunEnd = {
  run_id: RUN,
  status: "stopped",
  exit: 1,
  rule: "operator",
  message: null,
  ledger: newLedger(RUN, "a job"),
  state: firstState(),
  handoff: null,
};

describe("O8 the verdict of the runner", () => {
  const held = { step: "clean_up", reason: `attempt 2 of ${RUN} is held at clean up: no space` } as const;
  test.each([
    ["within its time", {}, {}, null],
    ["over 360 s when the tree had gone", { elapsed_ms: 361_000 }, {}, "over_budget"],
    [
      "another outcome",
      { outcome: { rule: "done", handoff: false, session: "s-1" } },
      {},
      "outcome_not_handoff",
    ],
    ["never begun", {}, { begun: false }, "never_begun"],
    ["no usable packet", { packet_valid: false }, {}, "packet_invalid"],
    ["not looked at", { packet_valid: null }, {}, "packet_invalid"],
    ["an acceptance that nobody knows", {}, { accepted_at: null }, "acceptance_missing"],
    ["published too late", {}, { publication_ms: 121_000 }, "publication_late"],
    ["held", { held }, {}, "held"],
  ])("O8 %s", (_, record, live, reason) => {
    const verdict = liveVerdict({ ...RECORD, ...record }, END, { ...LIVE, ...live });
    expect(verdict).toMatchObject({
      request_id: "req-1",
      state: reason === null ? "completed" : "not_fulfilled",
      reason,
    });
    expect(verdict.detail === null).toBe(reason === null);
  });

  test("O7 of a held attempt the words name it", () => {
    expect(liveVerdict({ ...RECORD, held }, END, LIVE).detail).toBe(held.reason);
  });

  test("O4 nobody had asked: nobody is answered", () => {
    expect(liveVerdict(RECORD, END, null)).toEqual({
      request_id: null,
      state: null,
      reason: null,
      detail: null,
    });
  });
});
