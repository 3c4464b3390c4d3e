// O2, O3, O5, O9, O10, O11: every state with every event, and the clock.
import { describe, expect, test } from "vitest";
import {
  decideRequest,
  nextDeadline,
  publicationLimit,
  type RequestEffect,
  type RequestEvent,
} from "./decide-request.js";
import { newRequest, REQUEST_STATES, type RequestRecord, type RequestState } from "./request-record.js";

const START = Date.parse("2026-11-29T10:00:00.000Z");
const after = (seconds: number): string => new Date(START + seconds * 1000).toISOString();
const AT = after(5);

const FRESH = newRequest({ request_id: "req-1", reason: null, accepted_at: after(0) });
/** How a request comes to each state. */
const IN: Readonly<Record<RequestState, RequestRecord>> = {
  accepted: FRESH,
  delivered: { ...FRESH, state: "delivered", delivered_at: after(1) },
  begun: { ...FRESH, state: "begun", delivered_at: after(1), begun_at: after(2) },
  completed: { ...FRESH, state: "completed", ended_at: after(3) },
  not_fulfilled: { ...FRESH, state: "not_fulfilled", ended_at: after(3) },
  superseded: { ...FRESH, state: "superseded", ended_at: after(3), superseded_by: "req-0" },
};

const PACKET = { packet_id: "hp_3f9a1c0d5b7e2a64", path: "outputs/handoff/s/handoff.json" };
/** Every event there is, in each of its variants. */
const EVENTS = {
  deliver: { kind: "deliver", at: AT },
  begin: { kind: "begin", at: AT },
  newer: { kind: "newer", at: AT, request_id: "req-2" },
  "tick early": { kind: "tick", at: after(59.999) },
  "tick 60 s": { kind: "tick", at: after(60) },
  "tick 240 s": { kind: "tick", at: after(240) },
  "tick 361 s": { kind: "tick", at: after(361) },
  publish: { kind: "publish", at: AT },
  published: { kind: "published", at: AT, packet: PACKET },
  "finalized well": { kind: "finalized", at: AT, reason: null, what: "" },
  "finalized badly": { kind: "finalized", at: AT, reason: "packet_invalid", what: "no next action" },
  crashed: { kind: "crashed", at: AT },
} as const satisfies Record<string, RequestEvent>;
type EventName = keyof typeof EVENTS;

const effectWords = (effect: RequestEffect): string =>
  effect.kind === "fault" ? `fault: ${effect.what}` : effect.kind;
const inWords = ({ request, effects }: ReturnType<typeof decideRequest>): string =>
  [
    request.state + (request.why === null ? "" : ` (${request.why.reason})`),
    ...effects.map(effectWords),
  ].join(" | ");

const EXPIRED = "not_fulfilled (expired) | record | tell | withdraw";
/** What is not listed leaves it as it is, without any effect. */
const EXPECTED: Readonly<Record<RequestState, Partial<Record<EventName, string>>>> = {
  accepted: {
    deliver: "delivered | record | tell",
    begin: "accepted | fault: it began what it had not picked up",
    newer: "superseded | record | tell",
    "tick 60 s": "accepted | record | interrupt_once",
    "tick 240 s": EXPIRED,
    "tick 361 s": EXPIRED,
    "finalized well": "completed | record | tell",
    "finalized badly": "not_fulfilled (packet_invalid) | record | tell",
    crashed: "not_fulfilled (crashed) | record | tell",
  },
  delivered: {
    deliver: "delivered | fault: it picked up twice",
    begin: "begun | record | tell",
    "tick 240 s": EXPIRED,
    "tick 361 s": EXPIRED,
    "finalized well": "completed | record | tell",
    "finalized badly": "not_fulfilled (packet_invalid) | record | tell",
    crashed: "not_fulfilled (crashed) | record | tell",
  },
  begun: {
    deliver: "begun | fault: it picked up twice",
    begin: "begun | fault: it began twice",
    publish: "begun | record",
    published: "begun | record | tell",
    "finalized well": "completed | record | tell",
    "finalized badly": "not_fulfilled (packet_invalid) | record | tell",
    crashed: "not_fulfilled (crashed) | record | tell",
  },
  completed: {},
  not_fulfilled: {},
  superseded: {},
};

describe("O11 every state takes every event", () => {
  const pairs = REQUEST_STATES.flatMap((state) =>
    (Object.keys(EVENTS) as EventName[]).map((name) => [state, name] as const),
  );
  test.each(pairs)("%s: %s", (state, name) => {
    const step = decideRequest(IN[state], EVENTS[name]);
    expect(inWords(step)).toBe(EXPECTED[state][name] ?? state);
    // What is changed is put on record, and nothing else is.
    const isRecorded = step.effects.some(({ kind }) => kind === "record");
    expect(step.request !== IN[state]).toBe(isRecorded);
  });
});

describe("O5 the clock", () => {
  test("one fallback interrupt, however often the clock is looked at", () => {
    const once = decideRequest(FRESH, { kind: "tick", at: after(61) }).request;
    expect(once.interrupted_at).toBe(after(61));
    expect(decideRequest(once, { kind: "tick", at: after(62) })).toEqual({ request: once, effects: [] });
  });

  test("everything counts from the acceptance", () => {
    expect(nextDeadline(FRESH)).toBe(START + 60_000);
    expect(nextDeadline({ ...FRESH, interrupted_at: after(60) })).toBe(START + 240_000);
    expect(nextDeadline(IN.delivered)).toBe(START + 240_000);
    expect(nextDeadline(IN.begun)).toBeNull();
    expect(nextDeadline({ ...FRESH, accepted_at: null })).toBeNull();
  });

  test.each([
    [0, 120_000],
    [240, 120_000],
    [241, 119_000],
    [360, 0],
    [400, 0],
    // A clock that was put back gives nobody more than there is.
    [-30, 120_000],
  ])("publishing after %i s has %i ms", (elapsed, limit) => {
    expect(publicationLimit(FRESH, after(elapsed))).toBe(limit);
    const { request } = decideRequest(IN.begun, { kind: "publish", at: after(elapsed) });
    expect(request.publication).toEqual({ started_at: after(elapsed), ended_at: null, limit_ms: limit });
  });

  test("O9 a request whose runner is gone says how far it was, and what is there", () => {
    const { request } = decideRequest({ ...IN.begun, packet: PACKET }, { kind: "crashed", at: AT });
    expect(request.why?.what).toBe(
      "the run's process was gone when the request was begun; its packet hp_3f9a1c0d5b7e2a64 is published all the same",
    );
  });
});
