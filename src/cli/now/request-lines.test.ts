// O14: what the person's terminal says of a request.
import { expect, test } from "vitest";
import { newRequest, type RequestRecord } from "../../operator/request-record.js";
import { layOutState, stateLines, STATE_WIDTH } from "./request-lines.js";

const FILE = "outputs/handoff/4d55266f-e5b5-4c4f-8670-6d3a3fe244e8/handoff.json";
const AT = "2026-11-29T10:00:00.000Z";
const COMPLETED: RequestRecord = {
  ...newRequest({ request_id: "req-1", reason: null, accepted_at: AT }),
  state: "completed",
  delivered_at: AT,
  begun_at: AT,
  ended_at: AT,
  packet: { packet_id: "hp_ea18de7714b2bc19", path: FILE },
};
const HEAD = "10:00:00 ".length + STATE_WIDTH + 1;

test("O14 states come once each, in their order", () => {
  const lines = stateLines(COMPLETED, "run-1", new Set(["accepted"]));
  expect(lines.map(({ state }) => state)).toEqual(["delivered", "begun", "completed"]);
});

test.each([80, 120, 40])(
  "O14 on %i columns the packet's path stands whole on a line of its own",
  (columns) => {
    const [line] = stateLines(COMPLETED, "run-1", new Set(["accepted", "delivered", "begun"]));
    if (line === undefined) throw new Error("nothing is said of its end");
    expect(layOutState(line, HEAD, columns).split("\n").at(-1)).toBe(FILE);
    expect(layOutState(line, HEAD, null)).toBe(`packet hp_ea18de7714b2bc19: ${FILE}`);
  },
);

test("O14 an end in words is laid out under its word", () => {
  const what = "the session's note cannot be used, and this goes on for longer than a line of eighty has";
  const request: RequestRecord = { ...COMPLETED, state: "not_fulfilled", why: { reason: "held", what } };
  const line = stateLines(request, "run-1", new Set()).at(-1);
  if (line === undefined) throw new Error("nothing is said of its end");
  const laid = layOutState(line, HEAD, 80).split("\n");
  expect(laid.map((one) => one.trim()).join(" ")).toBe(what);
  expect(laid.slice(1).every((one) => one.startsWith(" ".repeat(HEAD)) && one.length < 80)).toBe(true);
});
