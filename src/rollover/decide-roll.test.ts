// L12: the table of a roll, pair by pair, and what follows from it along any way through it.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decideRoll,
  hasEnded,
  MOST_TRIES,
  ROLL_EFFECTS,
  ROLL_EVENTS,
  ROLL_PHASES,
  SCHEDULED,
  type RollEvent,
  type RollPhase,
  type RollState,
} from "./decide-roll.js";
import { drawRoll } from "./draw-roll.js";

type Outcome = readonly [phase: RollPhase, ending: string | null, ...effects: string[]];

const GONE: Outcome = ["refused", "PANE_GONE"];
/** Every pair that changes something; all others stay. */
const CHANGES: Readonly<Partial<Record<RollPhase, Readonly<Partial<Record<RollEvent, Outcome>>>>>> = {
  accepted: {
    begun: ["settling", null, "watch_turn"],
    cleared: ["cancelled", "OVERTAKEN"],
    overtaken: ["cancelled", "OVERTAKEN"],
    deadline: ["refused", "TURN_NOT_SETTLED"],
    pane_gone: GONE,
    cancel_asked: ["cancelled", "CANCELLED"],
  },
  settling: {
    begun: ["settling", null, "watch_turn"],
    settled: ["clearing", null, "leave_packet", "send_clear", "watch_clear"],
    cleared: ["cancelled", "OVERTAKEN"],
    overtaken: ["cancelled", "OVERTAKEN"],
    deadline: ["refused", "TURN_NOT_SETTLED"],
    pane_gone: GONE,
    cancel_asked: ["cancelled", "CANCELLED"],
  },
  clearing: {
    begun: ["clearing", null, "watch_clear"],
    disturbed: ["settling", null, "take_packet_back", "watch_turn"],
    cleared: ["bootstrapping", null, "send_bootstrap", "watch_pickup"],
    overtaken: ["cancelled", "OVERTAKEN", "take_packet_back"],
    deadline: ["refused", "CLEAR_NOT_SEEN", "take_packet_back"],
    pane_gone: [...GONE, "take_packet_back"],
  },
  bootstrapping: {
    begun: ["bootstrapping", null, "watch_pickup"],
    picked_up: ["bootstrapped", null, "take_packet_back"],
    astray: ["refused", "BOOTSTRAP_ASTRAY", "take_packet_back"],
    overtaken: ["cancelled", "OVERTAKEN", "take_packet_back"],
    deadline: ["bootstrapping", null, "send_bootstrap", "watch_pickup"],
    pane_gone: [...GONE, "take_packet_back"],
  },
};

const pairs = ROLL_PHASES.flatMap((phase) => ROLL_EVENTS.map((event) => [phase, event] as const));

test.each(pairs)("L12 %s x %s", (phase, event) => {
  const state: RollState = { phase, tries: phase === "bootstrapping" ? 1 : 0, ending: null };
  const { state: next, effects } = decideRoll(state, event);
  const change = CHANGES[phase]?.[event];
  const { tries: _tries, ...seen } = next;
  const [to, ending, ...wanted] = change ?? [phase, null];
  expect({ seen, effects }).toEqual({ seen: { phase: to, ending }, effects: wanted });
});

/** A roll along events; all effects, in order. */
function follow(events: readonly RollEvent[]) {
  let state = SCHEDULED;
  const steps: { event: RollEvent; before: RollState; effects: readonly string[] }[] = [];
  for (const event of events) {
    const before = state;
    const step = decideRoll(state, event);
    state = step.state;
    steps.push({ event, before, effects: step.effects });
  }
  return { state, steps };
}

const anyWay = fc.array(fc.constantFrom(...ROLL_EVENTS), { maxLength: 40 });
const times = (steps: ReturnType<typeof follow>["steps"], effect: string): number =>
  steps.filter(({ effects }) => effects.includes(effect)).length;

describe("along any way", () => {
  test("L6 L11 clearing is sent for a settled turn only, and again only when nothing was sent off", () => {
    fc.assert(
      fc.property(anyWay, (events) => {
        const { steps } = follow(events);
        const sends = steps.filter(({ effects }) => effects.includes("send_clear"));
        for (const { event, before } of sends) expect([before.phase, event]).toEqual(["settling", "settled"]);
        const takenBack = steps.filter(
          ({ event, before }) => event === "disturbed" && before.phase === "clearing",
        ).length;
        expect(sends.length).toBeLessThanOrEqual(1 + takenBack);
        expect(sends.length).toBeLessThanOrEqual(MOST_TRIES);
      }),
    );
  });

  test("L6 the first prompt is sent three times at most, never before a fresh session was seen", () => {
    fc.assert(
      fc.property(anyWay, (events) => {
        const { steps } = follow(events);
        expect(times(steps, "send_bootstrap")).toBeLessThanOrEqual(MOST_TRIES);
        const first = steps.findIndex(({ effects }) => effects.includes("send_bootstrap"));
        const cleared = steps.findIndex(
          ({ event, before }) => event === "cleared" && before.phase === "clearing",
        );
        expect(first === -1 || (cleared !== -1 && cleared <= first)).toBe(true);
      }),
    );
  });

  test("L11 taking it up again sends nothing, whatever was sent before", () => {
    fc.assert(
      fc.property(anyWay, (events) => {
        const { state } = follow(events);
        expect(decideRoll(state, "begun").effects.filter((effect) => effect.startsWith("send"))).toEqual([]);
      }),
    );
  });

  test("L5 what is left for the fresh session is taken back at every end", () => {
    fc.assert(
      fc.property(anyWay, (events) => {
        const { state, steps } = follow(events);
        const open = times(steps, "leave_packet") - times(steps, "take_packet_back");
        expect(open).toBe(
          hasEnded(state) || state.phase === "accepted" || state.phase === "settling" ? 0 : 1,
        );
      }),
    );
  });

  test("L10 a roll that has not ended well says how it ended, and stays as it is", () => {
    fc.assert(
      fc.property(anyWay, fc.constantFrom(...ROLL_EVENTS), (events, more) => {
        const { state } = follow(events);
        expect(state.ending !== null).toBe(state.phase === "refused" || state.phase === "cancelled");
        const isOver = hasEnded(state);
        expect(isOver && decideRoll(state, more).state !== state).toBe(false);
      }),
    );
  });
});

test("L12 every effect is used", () => {
  const used = new Set(
    pairs.flatMap(([phase, event]) => [...decideRoll({ phase, tries: 0, ending: null }, event).effects]),
  );
  expect([...used].toSorted()).toEqual([...ROLL_EFFECTS].toSorted());
});

test("L12 the README has the table's own diagram", () => {
  const file = path.join(import.meta.dirname, "README.md");
  const block = /```mermaid\n(?<drawn>[^`]*)\n```/u;
  const readme = readFileSync(file, "utf8");
  if (process.env["UPDATE_GOLDENS"] === "1")
    writeFileSync(file, readme.replace(block, `\`\`\`mermaid\n${drawRoll()}\n\`\`\``));
  expect(block.exec(readFileSync(file, "utf8"))?.groups?.["drawn"]).toBe(drawRoll());
});
