import { describe, expect, test } from "vitest";
import { defaultWindow, modelFromEnvironment } from "./default-window.js";

describe("R4 the window guessed from a model's name", () => {
  test.each<[string | undefined, number | null]>([
    ["claude-haiku[1m]", 1_000_000],
    ["claude-haiku-4-5-20251001", 200_000],
    ["CLAUDE-HAIKU-4-5", 200_000],
    ["haiku", 200_000],
    ["claude-opus-4-1", 1_000_000],
    ["claude-sonnet-4-5[1m]", 1_000_000],
    ["opus", 1_000_000],
    ["us.anthropic.claude-sonnet-4-20250514-v1:0", 1_000_000],
    ["model-1m", 1_000_000],
    ["1m", 1_000_000],
    ["llama-1mega", null],
    ["x11m", null],
    ["gpt-5", null],
    ["", null],
    [undefined, null],
  ])("%s -> %s", (model, window) => {
    expect(defaultWindow(model)).toBe(window);
  });

  test.each<[Record<string, string>, ReturnType<typeof modelFromEnvironment>]>([
    [
      { ANTHROPIC_MODEL: "a", ANTHROPIC_DEFAULT_OPUS_MODEL: "b" },
      { model: "a", from: "ANTHROPIC_MODEL" },
    ],
    [
      { ANTHROPIC_MODEL: "", ANTHROPIC_DEFAULT_OPUS_MODEL: "b" },
      { model: "b", from: "ANTHROPIC_DEFAULT_OPUS_MODEL" },
    ],
    [{ ANTHROPIC_MODEL: " " }, null],
    [{}, null],
  ])("the environment %j names %j", (env, expected) => {
    expect(modelFromEnvironment(env)).toEqual(expected);
  });
});
