// O5: the person's side of the times.
import { expect, test } from "vitest";
import { ANSWER_MS } from "../../operator/ask-runner.js";
import { patience } from "./patience.js";

const ACCEPTED = "2026-11-29T10:00:00.000Z";
const AT = Date.parse(ACCEPTED);

test.each([
  ["just accepted", ACCEPTED, AT, 375_000],
  ["a while ago", ACCEPTED, AT + 300_000, 75_000],
  ["long ago", ACCEPTED, AT + 3_600_000, ANSWER_MS],
  ["by a clock that was put back since", ACCEPTED, AT - 3_600_000, 375_000],
  ["nobody knows when", null, AT, 375_000],
])("O5 accepted %s", (_, accepted_at, now, ms) => {
  expect(patience({ accepted_at }, now)).toBe(ms);
});
