// O8: why a request was not fulfilled, and which of several reasons counts.
import { expect, test } from "vitest";
import { judgeRequest, type RequestFacts } from "./judge-request.js";
import { REASONS } from "./request-record.js";

const GOOD: RequestFacts = {
  is_handoff: true,
  begun: true,
  packet_valid: true,
  accepted_at: "2026-11-29T10:00:00.000Z",
  elapsed_ms: 360_000,
  publication_ms: 120_000,
  publication_limit_ms: 120_000,
  held: null,
};
/** What is wrong with each, the first of the list first. */
const WRONG: readonly (readonly [(typeof REASONS)[number], Partial<RequestFacts>])[] = [
  ["outcome_not_handoff", { is_handoff: false }],
  ["never_begun", { begun: false }],
  ["packet_invalid", { packet_valid: false }],
  ["acceptance_missing", { accepted_at: null }],
  ["over_budget", { elapsed_ms: 360_001 }],
  ["publication_late", { publication_ms: 120_001 }],
  ["held", { held: "attempt 1 of run-1 is held" }],
];

test("O8 fulfilled to the last millisecond", () => {
  expect(judgeRequest(GOOD)).toBeNull();
});

test.each(WRONG)("O8 %s", (reason, facts) => {
  expect(judgeRequest({ ...GOOD, ...facts })).toBe(reason);
});

test("O8 of everything that is wrong the first in the order counts", () => {
  for (const from of WRONG.keys()) {
    const rest = WRONG.slice(from);
    const facts = rest.reduce<RequestFacts>((all, [, one]) => ({ ...all, ...one }), GOOD);
    expect(judgeRequest(facts)).toBe(rest[0]?.[0]);
  }
  expect(WRONG.map(([reason]) => reason)).toEqual(REASONS.slice(0, WRONG.length));
});

test("O8 what was never published is late, and a time that nobody knows is missing", () => {
  expect(judgeRequest({ ...GOOD, publication_ms: null })).toBe("publication_late");
  expect(judgeRequest({ ...GOOD, elapsed_ms: null })).toBe("acceptance_missing");
});
