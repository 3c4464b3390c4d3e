// R5-R7, R15: what a generation's readings call for.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide, type Decision, type DecisionFacts, foldReading, NO_READINGS } from "./decide.js";
import { contextOf, outputOf, type Usage } from "./reading.js";

const FACTS: DecisionFacts = {
  enabled: true,
  thresholds: { at: 150_000, warn_at: 130_000 },
  context: 0,
  writing: false,
  session_id: "s-1",
};

describe("R6 R7 due and near", () => {
  test.each<[Partial<DecisionFacts>, Decision]>([
    [{ context: 0 }, "none"],
    [{ context: 129_999 }, "none"],
    [{ context: 130_000 }, "near"],
    [{ context: 149_999 }, "near"],
    [{ context: 150_000 }, "due"],
    [{ context: 10_000_000 }, "due"],
    [{ context: 160_000, enabled: false }, "none"],
    [{ context: 160_000, session_id: null }, "near"],
    [{ context: 160_000, thresholds: null }, "none"],
    // R15: the writing turn stands above the line by construction.
    [{ context: 160_000, writing: true }, "none"],
  ])("%j -> %s", (facts, expected) => {
    expect(decide({ ...FACTS, ...facts })).toBe(expected);
  });

  test("R6 more usage never gives a milder decision", () => {
    const weight: Record<Decision, number> = { none: 0, near: 1, due: 2 };
    const tokens = fc.integer({ min: 0, max: 2_000_000 });
    fc.assert(
      fc.property(
        tokens,
        tokens,
        fc.record({
          enabled: fc.boolean(),
          writing: fc.boolean(),
          session_id: fc.option(fc.constant("s")),
          thresholds: fc.option(
            fc
              .integer({ min: 10_000, max: 1_000_000 })
              .map((at) => ({ at, warn_at: Math.max(1_000, at - 20_000) })),
          ),
        }),
        (a, b, facts) => {
          const [less, more] = a < b ? [a, b] : [b, a];
          expect(weight[decide({ ...facts, context: more })]).toBeGreaterThanOrEqual(
            weight[decide({ ...facts, context: less })],
          );
        },
      ),
    );
  });
});

describe("R5 readings", () => {
  test.each<[Usage, number, number]>([
    [
      {
        input_tokens: 1_000,
        cache_read_input_tokens: 195_000,
        cache_creation_input_tokens: 7,
        output_tokens: 9,
      },
      196_007,
      9,
    ],
    [{ input_tokens: 9_000 }, 9_000, 0],
    [{}, 0, 0],
    [{ input_tokens: null, cache_read_input_tokens: undefined, output_tokens: -4 }, 0, 0],
    [{ input_tokens: Number.NaN, cache_creation_input_tokens: 12.9 }, 12, 0],
  ])("%j fills %i tokens, of which output is no part", (usage, context, output) => {
    expect(contextOf(usage)).toBe(context);
    expect(outputOf(usage)).toBe(output);
  });

  test("subagents never count, the maximum never falls, the first stays the first", () => {
    const seen = [
      { context: 500_000, main_thread: false },
      { context: 40_000, main_thread: true },
      { context: 90_000, main_thread: true },
      { context: 12_000, main_thread: true },
      { context: 999_999, main_thread: false },
      { context: Number.NaN, main_thread: true },
      { context: -1, main_thread: true },
    ];
    expect(seen.reduce(foldReading, NO_READINGS)).toEqual({ context: 90_000, first: 40_000 });
  });

  test("the running maximum is the largest reading of the main thread", () => {
    const message = fc.record({ context: fc.integer({ min: 1, max: 1_000_000 }), main_thread: fc.boolean() });
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const own = messages.filter((m) => m.main_thread).map((m) => m.context);
        expect(messages.reduce(foldReading, NO_READINGS)).toEqual({
          context: Math.max(0, ...own),
          first: own[0] ?? null,
        });
      }),
    );
  });
});
