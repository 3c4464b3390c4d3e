// R6, R7, R11-R15, R18-R23, R27: every phase with every event, and whole runs.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { beginRun, decideRun } from "./decide-run.js";
import type { Transition } from "./run-steps.js";
import {
  DEFAULT_LIMITS,
  firstState,
  RUN_PHASES,
  type RunEffect,
  type RunEvent,
  type RunPhase,
  type RunState,
  STOP_EXITS,
} from "./run-state.js";
import { stopMessage } from "./stop-message.js";

const THRESHOLDS = { at: 150_000, warn_at: 130_000 };
/** A generation in the middle of its work. */
const MIDDLE: RunState = {
  ...firstState(),
  session_id: "s-1",
  thresholds: THRESHOLDS,
  readings: { context: 60_000, first: 30_000 },
};

const WORDS: {
  readonly [K in RunEffect["kind"]]: (effect: Extract<RunEffect, { readonly kind: K }>) => string;
} = {
  start_session: (effect) => `start ${effect.generation}`,
  publish: (effect) => `publish ${effect.degraded ?? "whole"} for ${effect.reason}`,
  wait: (effect) => `wait ${effect.attempt}`,
  tell: (effect) => `tell ${effect.event}`,
  warn: (effect) => `warn ${effect.code}`,
  report: (effect) => `report ${effect.step}`,
  stop: (effect) => `stop ${effect.rule} ${effect.exit}`,
  continue_session: ({ kind }) => kind,
  interrupt: ({ kind }) => kind,
  ask: ({ kind }) => kind,
  calibrate: ({ kind }) => kind,
  pause: ({ kind }) => kind,
  kill: ({ kind }) => kind,
};
const effectInWords = (effect: RunEffect): string =>
  (WORDS[effect.kind] as (effect: RunEffect) => string)(effect);
const inWords = ({ state, effects }: Transition): string =>
  [state.phase, ...effects.map(effectInWords)].join(" | ");

/** Every event there is, in each of its variants. */
const EVENTS = {
  session: { kind: "session", session_id: "s-2" },
  "window unknown": { kind: "window", thresholds: null },
  "window smaller": { kind: "window", thresholds: { at: 50_000, warn_at: 30_000 } },
  "reading below": { kind: "reading", context: 129_999, main_thread: true },
  "reading near": { kind: "reading", context: 130_000, main_thread: true },
  "reading due": { kind: "reading", context: 150_000, main_thread: true },
  "reading of a subagent": { kind: "reading", context: 990_000, main_thread: false },
  compacting: { kind: "compacting" },
  ended: { kind: "turn_ended", interrupted: false },
  interrupted: { kind: "turn_ended", interrupted: true },
  overflow: { kind: "failed", verdict: "overflow" },
  retryable: { kind: "failed", verdict: "retryable" },
  fatal: { kind: "failed", verdict: "fatal" },
  "reply usable": { kind: "reply", unusable: null },
  "reply unusable": { kind: "reply", unusable: "section_missing" },
  published: { kind: "published" },
  "publish failed": { kind: "publish_failed" },
  "wait over": { kind: "wait_over" },
  released: { kind: "released" },
  signal: { kind: "stop_asked", by: "signal" },
  operator: { kind: "stop_asked", by: "operator" },
  asked: { kind: "handoff_asked" },
  forced: { kind: "handoff_forced" },
  withdrawn: { kind: "handoff_withdrawn" },
} as const satisfies Record<string, RunEvent>;
type EventName = keyof typeof EVENTS;

/** What each phase does with it; what is not listed leaves it as it is, without any effect. */
const EXPECTED: Readonly<Record<RunPhase, Partial<Record<EventName, string>>>> = {
  working: {
    "window smaller": "cutting | tell near | interrupt",
    "reading near": "working | tell near",
    "reading due": "cutting | tell near | interrupt",
    compacting: "cutting | interrupt",
    ended: "stopped | stop done 0",
    interrupted: "publishing | publish whole for operator_request",
    overflow: "publishing | calibrate | publish overflow for overflow",
    retryable: "waiting | wait 1",
    fatal: "stopped | stop agent_failed 3",
    signal: "publishing | interrupt | publish whole for operator_request",
    operator: "publishing | interrupt | publish whole for operator_request",
  },
  waiting: {
    asked: "writing | report delivered | report begun | tell writing | ask",
    forced: "writing | report delivered | report begun | tell writing | ask",
    "wait over": "working | continue_session",
    signal: "publishing | publish whole for operator_request",
    operator: "publishing | publish whole for operator_request",
  },
  cutting: {
    asked: "cutting | report delivered",
    forced: "cutting | report delivered",
    ended: "stopped | stop done 0",
    interrupted: "writing | tell writing | ask",
    overflow: "publishing | calibrate | publish overflow for overflow",
    retryable: "writing | tell writing | ask",
    fatal: "stopped | stop agent_failed 3",
    signal: "publishing | publish whole for operator_request",
    operator: "publishing | publish whole for operator_request",
  },
  writing: {
    asked: "writing | report delivered | report begun",
    forced: "writing | report delivered | report begun",
    overflow: "publishing | calibrate | publish overflow for overflow",
    retryable: "publishing | publish agent_failed for context_threshold",
    fatal: "publishing | publish agent_failed for context_threshold",
    "reply usable": "publishing | publish whole for context_threshold",
    "reply unusable": "publishing | publish section_missing for context_threshold",
    signal: "publishing | interrupt | publish interrupted for operator_request",
    operator: "publishing | interrupt | publish interrupted for operator_request",
  },
  publishing: {
    published: "working | tell done | start 2",
    "publish failed": "stopped | stop not_published 2",
  },
  pausing: {
    asked: "publishing | report delivered | report begun | publish whole for operator_request",
    forced: "publishing | report delivered | report begun | publish whole for operator_request",
    released: "working | start 2",
    signal: "stopped | stop signal 130",
    operator: "stopped | stop operator 1",
  },
  stopped: {},
};

describe("every phase takes every event", () => {
  const pairs = RUN_PHASES.flatMap((phase) =>
    (Object.keys(EVENTS) as EventName[]).map((name) => [phase, name] as const),
  );
  test.each(pairs)("%s: %s", (phase, name) => {
    const before: RunState = { ...MIDDLE, phase };
    expect(inWords(decideRun(before, EVENTS[name]))).toBe(EXPECTED[phase][name] ?? phase);
  });
});

/** The same while somebody waits for a handoff, where that changes what happens. */
const WITH_REQUEST: readonly (readonly [
  RunPhase,
  RunState["operator"],
  Partial<Record<EventName, string>>,
])[] = [
  [
    "working",
    "asked",
    {
      "window smaller": "cutting | tell near | report delivered | interrupt",
      "reading below": "cutting | report delivered | interrupt",
      "reading near": "cutting | report delivered | interrupt",
      "reading due": "cutting | report delivered | interrupt",
      compacting: "cutting | report delivered | interrupt",
      ended: "stopped | stop done 0",
      interrupted: "publishing | publish whole for operator_request",
      overflow:
        "publishing | calibrate | report delivered | report begun | publish overflow for operator_request",
      retryable: "writing | report delivered | report begun | tell writing | ask",
      fatal: "stopped | stop agent_failed 3",
      forced: "cutting | report delivered | interrupt",
      signal: "publishing | interrupt | publish whole for operator_request",
      operator: "publishing | interrupt | publish whole for operator_request",
    },
  ],
  [
    "cutting",
    "delivered",
    {
      ended: "stopped | stop done 0",
      interrupted: "writing | report begun | tell writing | ask",
      overflow: "publishing | calibrate | report begun | publish overflow for operator_request",
      retryable: "writing | report begun | tell writing | ask",
      fatal: "stopped | stop agent_failed 3",
      signal: "publishing | report begun | publish whole for operator_request",
      operator: "publishing | report begun | publish whole for operator_request",
    },
  ],
  [
    "writing",
    "begun",
    {
      overflow: "publishing | calibrate | publish overflow for operator_request",
      retryable: "publishing | publish agent_failed for operator_request",
      fatal: "publishing | publish agent_failed for operator_request",
      "reply usable": "publishing | publish whole for operator_request",
      "reply unusable": "publishing | publish section_missing for operator_request",
      signal: "publishing | interrupt | publish interrupted for operator_request",
      operator: "publishing | interrupt | publish interrupted for operator_request",
    },
  ],
  [
    "publishing",
    "begun",
    {
      published: "stopped | tell done | stop operator 1",
      "publish failed": "stopped | stop not_published 2",
    },
  ],
  [
    "publishing",
    "asked",
    {
      published: "publishing | report delivered | report begun | publish whole for operator_request",
      "publish failed": "stopped | stop not_published 2",
    },
  ],
  ["stopped", "begun", {}],
];

describe("O3 O4 every event while somebody waits for a handoff", () => {
  const rows = WITH_REQUEST.flatMap(([phase, operator, expected]) =>
    (Object.keys(EVENTS) as EventName[]).map(
      (name) => [phase, operator, name, expected[name] ?? phase] as const,
    ),
  );
  test.each(rows)("%s, %s: %s", (phase, operator, name, expected) => {
    const ending = operator === "asked" || phase === "stopped" ? null : "operator";
    const before: RunState = { ...MIDDLE, phase, operator, ending };
    expect(inWords(decideRun(before, EVENTS[name]))).toBe(expected);
  });

  test("O3 what waits for a boundary waits no longer once it is withdrawn; what was picked up is", () => {
    const asked = decideRun(MIDDLE, EVENTS.asked).state;
    expect(asked).toEqual({ ...MIDDLE, operator: "asked" });
    expect(decideRun(asked, EVENTS.withdrawn).state).toEqual(MIDDLE);
    const cut = decideRun(asked, EVENTS["reading below"]).state;
    expect(cut).toMatchObject({ operator: "delivered", ending: "operator" });
    expect(decideRun(cut, EVENTS.withdrawn).state).toEqual(cut);
  });

  test("O3 a request while somebody ends the run already changes nothing", () => {
    for (const phase of RUN_PHASES.filter((one) => one !== "waiting" && one !== "pausing")) {
      const ending: RunState = { ...MIDDLE, phase, ending: "signal" };
      expect(decideRun(ending, EVENTS.asked)).toEqual({ state: ending, effects: [] });
    }
  });

  test("O3 a subagent's message is no boundary, and before the session has a name there is none", () => {
    const asked: RunState = { ...MIDDLE, operator: "asked" };
    expect(decideRun(asked, EVENTS["reading of a subagent"]).effects).toEqual([]);
    const nameless: RunState = { ...asked, session_id: null };
    expect(decideRun(nameless, EVENTS["reading below"]).effects).toEqual([]);
    expect(inWords(decideRun(nameless, EVENTS.forced))).toBe("stopped | kill | stop operator 1");
    const waiting: RunState = { ...nameless, phase: "waiting" };
    expect(inWords(decideRun(waiting, EVENTS.asked))).toBe("stopped | stop operator 1");
  });

  test("R23 O3 as many sessions as are allowed are no reason against a person's packet", () => {
    const full: RunState = { ...MIDDLE, operator: "asked", retired: DEFAULT_LIMITS.max_generations };
    expect(inWords(decideRun(full, EVENTS["reading due"]))).toBe("cutting | report delivered | interrupt");
    expect(inWords(decideRun(full, EVENTS.overflow))).toContain("publish overflow for operator_request");
  });

  test("O4 at the pause the session is retired once, however often its packet is made", () => {
    const pausing: RunState = { ...MIDDLE, phase: "pausing", retired: 1 };
    const { state } = decideRun(pausing, EVENTS.asked);
    expect(decideRun(state, EVENTS.published).state).toMatchObject({ phase: "stopped", retired: 1 });
  });
});

/** A run driven by events; effects and states are collected. */
class Run {
  state: RunState;
  readonly effects: string[] = [];
  constructor(state: RunState = firstState()) {
    this.state = state;
    this.take(beginRun(state));
  }
  private take({ state, effects }: Transition): void {
    this.state = state;
    this.effects.push(...effects.map(effectInWords));
  }
  on(...events: readonly (RunEvent | EventName)[]): this {
    for (const event of events)
      this.take(decideRun(this.state, typeof event === "string" ? EVENTS[event] : event));
    return this;
  }
  /** Effects since the last call. */
  said(): readonly string[] {
    return this.effects.splice(0);
  }
}

const window = (thresholds: RunState["thresholds"]): RunEvent => ({ kind: "window", thresholds });
const reading = (context: number): RunEvent => ({ kind: "reading", context, main_thread: true });
const session = (session_id: string): RunEvent => ({ kind: "session", session_id });
/** A generation that starts below the line and goes above it, up to its packet. */
const full = (id: string): readonly (RunEvent | EventName)[] => [
  session(id),
  window(THRESHOLDS),
  reading(30_000),
  reading(151_000),
  "interrupted",
  "reply usable",
  "published",
];

describe("whole runs", () => {
  test("R14 R15 R20 over the line: near, cut, asked, published, succeeded", () => {
    const run = new Run().on(session("a"), window(THRESHOLDS), reading(40_000), reading(135_000));
    expect(run.said()).toEqual(["start 1", "tell near"]);
    run.on(reading(140_000));
    expect(run.said()).toEqual([]);
    run.on(reading(151_000));
    expect(run.said()).toEqual(["interrupt"]);
    run.on("interrupted");
    expect(run.said()).toEqual(["tell writing", "ask"]);
    run.on(reading(170_000), "compacting");
    expect(run.said()).toEqual([]);
    run.on("reply usable", "published");
    expect(run.said()).toEqual(["publish whole for context_threshold", "tell done", "start 2"]);
    expect(run.state).toMatchObject({
      generation: 2,
      retired: 1,
      session_id: null,
      thresholds: null,
      readings: { context: 0, first: null },
      near_told: false,
      failed_tries: 0,
    });
  });

  test("R6 a step that ends at one below the line is never cut", () => {
    const run = new Run().on(session("a"), window(THRESHOLDS), reading(149_999), "ended");
    expect(run.said()).toEqual(["start 1", "tell near", "stop done 0"]);
  });

  test("R5 a subagent above the line changes nothing", () => {
    const run = new Run().on(
      session("a"),
      window(THRESHOLDS),
      reading(10_000),
      "reading of a subagent",
      "ended",
    );
    expect(run.said()).toEqual(["start 1", "stop done 0"]);
  });

  test("R6 without a session nothing is cut; it is as soon as one is known", () => {
    const run = new Run().on(window(THRESHOLDS), reading(20_000), reading(151_000));
    expect(run.said()).toEqual(["start 1", "tell near"]);
    expect(run.on(session("a")).said()).toEqual(["interrupt"]);
  });

  test("R4 with an unknown window only an overflow rotates", () => {
    const run = new Run().on(session("a"), window(null), reading(9_000_000), "overflow");
    expect(run.said()).toEqual(["start 1", "calibrate", "publish overflow for overflow"]);
  });

  test("R13 an overflow without a session is an ordinary error", () => {
    expect(new Run().on("overflow").said()).toEqual(["start 1", "stop agent_failed 3"]);
  });

  test("R1 with rotation off nothing is cut, and an overflow is an ordinary error", () => {
    const off = firstState({ ...DEFAULT_LIMITS, enabled: false });
    const run = new Run(off).on(session("a"), window(THRESHOLDS), reading(160_000), "compacting", "overflow");
    expect(run.said()).toEqual(["start 1", "stop agent_failed 3"]);
  });

  test("R18 R19 one degraded handoff goes on, the second in a row ends the run with its packet published", () => {
    const run = new Run().on(...full("a").slice(0, 5), "reply unusable", "published");
    expect(run.said().slice(-3)).toEqual([
      "publish section_missing for context_threshold",
      "tell done",
      "start 2",
    ]);
    run.on(session("b"), "overflow", "published");
    expect(run.said()).toEqual([
      "calibrate",
      "publish overflow for overflow",
      "tell done",
      "stop degraded 1",
    ]);
    expect(run.state).toMatchObject({ retired: 2, phase: "stopped" });
  });

  test("R19 a whole handoff in between starts the count anew", () => {
    const degraded = [session("x"), "overflow", "published"] as const;
    const run = new Run().on(...degraded, ...full("b"), ...degraded);
    expect(run.state).toMatchObject({ generation: 4, retired: 3, degraded_in_row: 1, phase: "working" });
  });

  test("R23 eight sessions are retired; the ninth is stopped before another packet is written", () => {
    const run = new Run();
    for (let i = 1; i <= 8; i += 1) run.on(...full(`s-${i}`));
    expect(run.state).toMatchObject({ generation: 9, retired: 8, phase: "working" });
    run.said();
    run.on(session("s-9"), window(THRESHOLDS), reading(30_000), reading(151_000));
    expect(run.said()).toEqual(["tell near", "interrupt", "stop max_generations 1"]);
    expect(run.state.retired).toBe(8);
  });

  test("R23 an overflow counts like a rotation", () => {
    const run = new Run();
    for (let i = 1; i <= 8; i += 1) run.on(...full(`s-${i}`));
    run.said();
    expect(run.on(session("s-9"), "overflow").said()).toEqual(["calibrate", "stop max_generations 1"]);
  });

  test("R23 a fresh session above the line is said aloud, the second in a row ends the run", () => {
    const floor = (id: string): readonly RunEvent[] => [session(id), window(THRESHOLDS), reading(155_000)];
    const run = new Run().on(...floor("a"));
    expect(run.said()).toEqual(["start 1", "warn start_up_floor", "tell near", "interrupt"]);
    run.on("interrupted", "reply usable", "published");
    run.said();
    run.on(...floor("b"));
    expect(run.said()).toEqual(["interrupt", "stop start_up_floor 1"]);
    expect(run.state.retired).toBe(1);
  });

  test("R23 one that begins below the line in between starts the count anew", () => {
    const floor = (id: string): readonly (RunEvent | EventName)[] => [
      session(id),
      window(THRESHOLDS),
      reading(155_000),
      "interrupted",
      "reply usable",
      "published",
    ];
    const run = new Run().on(...floor("a"), ...full("b"), ...floor("c"));
    expect(run.state).toMatchObject({ generation: 4, phase: "working", floors_in_row: 1 });
  });

  test("R22 tries in a row are counted within a generation, rotations are none", () => {
    const run = new Run().on(session("a"));
    for (let i = 1; i <= 5; i += 1) run.on("retryable", "wait over");
    expect(run.said().slice(1)).toEqual([1, 2, 3, 4, 5].flatMap((n) => [`wait ${n}`, "continue_session"]));
    expect(run.on("retryable").said()).toEqual(["stop attempts 3"]);

    const rotated = new Run().on(session("a"));
    for (let i = 1; i <= 5; i += 1) rotated.on("retryable", "wait over");
    rotated.on(
      window(THRESHOLDS),
      reading(30_000),
      reading(151_000),
      "interrupted",
      "reply usable",
      "published",
    );
    rotated.said();
    expect(rotated.on(session("b"), "retryable").said()).toEqual(["wait 1"]);
  });

  test("R22 a model call that went through breaks the row, a subagent's does not", () => {
    const run = new Run().on(session("a"), window(THRESHOLDS));
    for (let i = 1; i <= 3; i += 1) run.on("retryable", "wait over", reading(20_000 + i));
    expect(run.said().slice(1)).toEqual([1, 1, 1].flatMap((n) => [`wait ${n}`, "continue_session"]));
    run.on("retryable", "wait over", "reading of a subagent", "retryable");
    expect(run.said()).toEqual(["wait 1", "continue_session", "wait 2"]);
  });

  test("R22 a try that failed before there was a session starts one anew, of the same generation", () => {
    const run = new Run().on("retryable", "wait over");
    expect(run.said()).toEqual(["start 1", "wait 1", "start 1"]);
  });

  test("R11 an old overflow never makes a later failure rotate", () => {
    const run = new Run().on(session("a"), "overflow", "published", session("b"), "retryable");
    expect(run.said().slice(-1)).toEqual(["wait 1"]);
  });

  test("R8 a compaction that comes all the same is due, whatever the readings say", () => {
    const run = new Run().on(session("a"), window(null), "compacting", "interrupted");
    expect(run.said()).toEqual(["start 1", "interrupt", "tell writing", "ask"]);
  });

  test("R21 the pause waits for a person, and only when it is asked for", () => {
    const run = new Run(firstState({ ...DEFAULT_LIMITS, pause: true })).on(...full("a"));
    expect(run.said().slice(-2)).toEqual(["tell done", "pause"]);
    expect(run.state).toMatchObject({ phase: "pausing", retired: 1 });
    expect(run.on("released").said()).toEqual(["start 2"]);
  });

  test("R27 Ctrl-C leaves with a packet, a second one at once", () => {
    const run = new Run().on(session("a"), "signal");
    expect(run.said()).toEqual(["start 1", "interrupt", "publish whole for operator_request"]);
    // The agent's own end is on its way, and means nothing any more.
    expect(run.on("interrupted", "fatal").said()).toEqual([]);
    const first = run.state;
    expect(run.on("published").said()).toEqual(["stop signal 130"]);
    expect(inWords(decideRun(first, EVENTS.signal))).toBe("stopped | kill | stop signal 130");
  });

  test("R27 Ctrl-C while a packet is written lets it be finished, and starts no successor", () => {
    const run = new Run().on(...full("a").slice(0, 6), "signal");
    run.said();
    expect(run.on("published").said()).toEqual(["stop signal 130"]);
  });

  test("R27 without a session there is nothing to hand over", () => {
    expect(new Run().on("signal").said()).toEqual(["start 1", "kill", "stop signal 130"]);
  });
});

describe("any sequence of events", () => {
  const event = fc.oneof(
    fc.constantFrom<RunEvent>(...Object.values(EVENTS)),
    fc.integer({ min: 1, max: 300_000 }).map(reading),
    fc
      .integer({ min: 10_000, max: 200_000 })
      .map((at) => window({ at, warn_at: Math.max(1_000, at - 20_000) })),
  );
  const limits = fc.record({
    enabled: fc.boolean(),
    max_generations: fc.integer({ min: 1, max: 4 }),
    max_consecutive_degraded: fc.integer({ min: 1, max: 3 }),
    max_attempts: fc.integer({ min: 1, max: 4 }),
    pause: fc.boolean(),
  });

  test("keeps the limits, stops once, and does nothing after", () => {
    fc.assert(
      fc.property(limits, fc.array(event, { maxLength: 200 }), (bounds, events) => {
        let state = firstState(bounds);
        let stops = 0;
        for (const next of events) {
          const { state: after, effects } = decideRun(state, next);
          const idle = state.phase !== "stopped" || (after === state && effects.length === 0);
          expect(idle).toBe(true);
          const stopped = effects.filter((effect) => effect.kind === "stop");
          stops += stopped.length;
          expect(stopped.every((effect) => effect.exit === STOP_EXITS[effect.rule])).toBe(true);
          expect(stopped.every((effect) => effects.at(-1) === effect)).toBe(true);
          expect(after.phase === "stopped").toBe(stops > 0);
          expect(after.retired).toBeLessThanOrEqual(bounds.max_generations);
          expect(after.generation).toBeLessThanOrEqual(after.retired + 1);
          expect(after.degraded_in_row).toBeLessThanOrEqual(bounds.max_consecutive_degraded);
          expect(after.failed_tries).toBeLessThanOrEqual(bounds.max_attempts);
          expect(after.readings.context).toBeGreaterThanOrEqual(
            after.generation === state.generation ? state.readings.context : 0,
          );
          // Plain data: a ledger can keep it.
          expect(JSON.parse(JSON.stringify(after))).toEqual(after);
          state = after;
        }
        expect(stops).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("near is told at most once in a generation (R7)", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200 }), (events) => {
        let state = firstState();
        const told = new Map<number, number>();
        for (const next of events) {
          const { state: after, effects } = decideRun(state, next);
          for (const effect of effects)
            if (effect.kind === "tell" && effect.event === "near")
              told.set(state.generation, (told.get(state.generation) ?? 0) + 1);
          state = after;
        }
        expect([...told.values()].every((count) => count === 1)).toBe(true);
      }),
    );
  });
});

describe("the end in words", () => {
  const facts = {
    state: {
      ...MIDDLE,
      retired: 8,
      degraded_in_row: 2,
      failed_tries: 6,
      readings: { context: 155_000, first: 152_000 },
    },
    window: 200_000,
    run_id: "r-1",
    error: "socket hang up",
  };
  test("R23 names the likely cause, the line, the window and the switches", () => {
    for (const rule of ["max_generations", "start_up_floor"] as const) {
      const message = stopMessage(rule, facts);
      expect(message?.code).toBe(`run.${rule}`);
      for (const part of ["start up", "150000", "200000"]) expect(message?.what).toContain(part);
      for (const part of ["--window", "--headroom", "--at-percent", "--max-generations"])
        expect(message?.hint).toContain(part);
    }
  });
  test("every ending but the good one says what to do", () => {
    for (const rule of Object.keys(STOP_EXITS) as (keyof typeof STOP_EXITS)[]) {
      const message = stopMessage(rule, { ...facts, window: null, error: null });
      expect(message === null).toBe(rule === "done");
      // A line that is too low for every session stays it, whoever goes on: that takes a new run.
      const command = rule === "start_up_floor" ? "in a new run" : `handoff run --resume ${facts.run_id}`;
      expect(message?.hint ?? command).toContain(command);
    }
    expect(stopMessage("attempts", facts)?.what).toBe("6 tries in a row failed: socket hang up");
  });
});
