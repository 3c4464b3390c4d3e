// R4: who says which window a generation has, in which order, and what is said aloud about it.
import { describe, expect, test } from "vitest";
import { claudeDriver } from "../agents/claude-code/drive.js";
import { codexDriver } from "../agents/codex/drive.js";
import { type ChosenWindow, chooseWindow, type WindowFacts } from "./choose-window.js";

const EVERYTHING: WindowFacts = {
  option: 111_111,
  env: { HANDOFF_WINDOW: "222222", ANTHROPIC_MODEL: "claude-haiku-4-5" },
  config: 333_333,
  agent: { model: "claude-opus-4-1", window: 444_444 },
  calibration: 555_555,
};

describe("R4 the first of these that is there", () => {
  const order: readonly (readonly [ChosenWindow["source"], number | null, Partial<WindowFacts>])[] = [
    ["option", 111_111, {}],
    ["environment", 222_222, { option: null }],
    ["config", 333_333, { env: {} }],
    ["agent", 444_444, { config: null }],
    ["calibration", 555_555, { agent: { model: "claude-opus-4-1", window: null } }],
    ["model_name", 1_000_000, { calibration: null }],
    ["unknown", null, { agent: { model: "gpt-5.5" } }],
  ];
  test.each(order.map(([source, window], i) => [source, window, i] as const))("%s", (source, window, i) => {
    const facts = Object.assign({}, EVERYTHING, ...order.slice(0, i + 1).map(([, , without]) => without));
    expect(chooseWindow(facts as WindowFacts)).toMatchObject({ source, window });
  });
});

describe("R4 HANDOFF_WINDOW is a positive whole number, or ignored with a warning", () => {
  test.each(["0", "-5", "abc", "1e6", "200k", "1.5", "0x10", "99999999999999999999"])("%s", (value) => {
    const chosen = chooseWindow({ env: { HANDOFF_WINDOW: value }, agent: { window: 200_000 } });
    expect(chosen).toMatchObject({ window: 200_000, source: "agent" });
    expect(chosen.warnings).toEqual([{ code: "window.env_ignored", value }]);
  });
  test.each(["180000", " 180000 ", "+180000"])("'%s' is one", (value) => {
    expect(chooseWindow({ env: { HANDOFF_WINDOW: value } })).toMatchObject({
      window: 180_000,
      source: "environment",
      warnings: [],
    });
  });
  test("an agent has variables of its own for its model, or none", () => {
    const env = { ANTHROPIC_MODEL: "claude-opus-4-1", OTHER_MODEL: "small-haiku" };
    expect(chooseWindow({ env, modelVariables: [] })).toMatchObject({ window: null, model: null });
    expect(chooseWindow({ env, modelVariables: ["OTHER_MODEL"] })).toMatchObject({ window: 200_000 });
    expect(chooseWindow({ env, modelVariables: codexDriver.modelVariables })).toMatchObject({ window: null });
    expect(chooseWindow({ env, modelVariables: claudeDriver.modelVariables }).window).toBe(1_000_000);
  });
  test("empty means unset", () => {
    expect(chooseWindow({ env: { HANDOFF_WINDOW: "" }, agent: { window: 1 } }).warnings).toEqual([]);
  });
});

describe("R4 the model's name", () => {
  test.each<[WindowFacts, number | null, string | null]>([
    [{ env: {}, agent: { model: "claude-haiku[1m]" } }, 1_000_000, "claude-haiku[1m]"],
    [{ env: { ANTHROPIC_MODEL: "haiku" }, agent: { model: "" } }, 200_000, "haiku"],
    [
      { env: { ANTHROPIC_MODEL: "", ANTHROPIC_DEFAULT_OPUS_MODEL: "claude-opus-5" } },
      1_000_000,
      "claude-opus-5",
    ],
    [{ env: { ANTHROPIC_MODEL: "haiku" }, agent: { model: "opus" } }, 1_000_000, "opus"],
    [{ env: {} }, null, null],
    [{ env: {}, agent: { model: "gpt-5.5" } }, null, "gpt-5.5"],
  ])("%j -> %s of %s", (facts, window, model) => {
    expect(chooseWindow(facts)).toMatchObject({ window, model });
  });

  test("a guess is said aloud, and so is not knowing", () => {
    expect(chooseWindow({ env: {}, agent: { model: "haiku" } }).warnings).toEqual([
      { code: "window.guessed", model: "haiku", window: 200_000 },
    ]);
    expect(chooseWindow({ env: {}, agent: { model: "gpt-5.5" } }).warnings).toEqual([
      { code: "window.unknown", model: "gpt-5.5" },
    ]);
  });

  test("a window that is no count of tokens is passed over", () => {
    for (const window of [0, -1, Number.NaN, 1.5, Number.POSITIVE_INFINITY])
      expect(chooseWindow({ option: window, env: {}, agent: { window }, config: 10 })).toMatchObject({
        window: 10,
        source: "config",
      });
  });
});
