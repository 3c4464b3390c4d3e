// R10-R13, R22: what a failed attempt means for the run.
import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { classifyError, type ErrorClass, type FailureFacts } from "./classify-error.js";

describe("R22 the status decides", () => {
  const table: readonly (readonly [ErrorClass, readonly number[]])[] = [
    ["retryable", [408, 409, 429, 500, 501, 502, 503, 504, 520, 522, 529, 599]],
    ["fatal", [400, 401, 402, 403, 404, 405, 406, 410, 413, 415, 418, 422, 425, 451, 499]],
  ];
  test.each(table.flatMap(([expected, statuses]) => statuses.map((status) => [status, expected] as const)))(
    "%i is %s",
    (status, expected) => {
      expect(classifyError({ text: "something went wrong", status })).toBe(expected);
      expect(classifyError({ text: "", status })).toBe(expected);
      expect(classifyError({ text: `API Error: ${status} {"message":"something went wrong"}` })).toBe(
        expected,
      );
    },
  );

  test("a known status outranks the one in the text", () => {
    expect(classifyError({ text: "401 no", status: 503 })).toBe("retryable");
    expect(classifyError({ text: "503 no", status: 401 })).toBe("fatal");
  });
});

describe("R10 the status vetoes the wording", () => {
  test.each<[number, ErrorClass]>([
    [400, "overflow"],
    [413, "overflow"],
    [422, "overflow"],
    [401, "fatal"],
    [402, "fatal"],
    [403, "fatal"],
    [404, "fatal"],
    [429, "retryable"],
    [500, "retryable"],
    [529, "retryable"],
    // An error inside a success is an error all the same: LM Studio answers 200.
    [200, "overflow"],
    [0, "overflow"],
  ])("prompt is too long with %i is %s", (status, expected) => {
    expect(classifyError({ text: "prompt is too long: 2 tokens > 1 maximum", status })).toBe(expected);
  });

  test.each([
    "Context size has been exceeded.",
    "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
    "prompt too long; exceeded max context length by 9 tokens",
    "Error: 503 litellm.APIConnectionError: OpenAIException - Requested token count exceeds the model's maximum context length of 131072 tokens.",
  ])("local servers report it as 500 too: %s", (text) => {
    expect(classifyError({ text, status: 500 })).toBe("overflow");
    expect(classifyError({ text, status: 401 })).toBe("fatal");
  });
});

describe("R12 a full context that nobody calls an error", () => {
  const window = 200_000;
  test.each<[string, FailureFacts, ErrorClass]>([
    [
      "a normal stop above the window",
      { stop_reason: "end_turn", usage: { input_tokens: 200_001 } },
      "overflow",
    ],
    [
      "a normal stop at the window",
      { stop_reason: "end_turn", usage: { input_tokens: 200_000 } },
      "retryable",
    ],
    [
      "cache counts as input",
      {
        stop_reason: "stop",
        usage: { input_tokens: 1, cache_read_input_tokens: 150_000, cache_creation_input_tokens: 50_000 },
      },
      "overflow",
    ],
    [
      "output does not",
      { stop_reason: "stop", usage: { input_tokens: 199_000, output_tokens: 2_000 } },
      "retryable",
    ],
    [
      "a stop for length with no output and a full window",
      { stop_reason: "length", usage: { input_tokens: 198_000, output_tokens: 0 } },
      "overflow",
    ],
    [
      "the same in Anthropic's word",
      { stop_reason: "max_tokens", usage: { input_tokens: 198_000 } },
      "overflow",
    ],
    [
      "just below 99 %",
      { stop_reason: "length", usage: { input_tokens: 197_999, output_tokens: 0 } },
      "retryable",
    ],
    [
      "with output it is an output limit",
      { stop_reason: "length", usage: { input_tokens: 198_000, output_tokens: 1 } },
      "retryable",
    ],
    ["without usage", { stop_reason: "stop" }, "retryable"],
    [
      "with an error's status",
      { stop_reason: "stop", usage: { input_tokens: 300_000 }, status: 401 },
      "fatal",
    ],
  ])("%s", (_name, facts, expected) => {
    expect(classifyError({ window, ...facts })).toBe(expected);
  });
  test("without a window nothing can be said", () => {
    expect(classifyError({ stop_reason: "stop", usage: { input_tokens: 9_000_000 } })).toBe("retryable");
  });
  test.each(["model_context_window_exceeded", "blocking_limit", "prompt_too_long"])(
    "%s is the agent's own word for it",
    (stop_reason) => {
      expect(classifyError({ text: "", stop_reason })).toBe("overflow");
    },
  );
});

describe("R22 without a status the wording decides", () => {
  test.each<[string, ErrorClass]>([
    ["", "retryable"],
    ["socket hang up", "retryable"],
    ["fetch failed: other side closed", "retryable"],
    ["read ECONNRESET", "retryable"],
    ["API Error (Connection error.)", "retryable"],
    ["stream disconnected before completion: error sending request for url", "retryable"],
    ["Request timed out.", "retryable"],
    ["The model took too long to answer.", "retryable"],
    ["Overloaded", "retryable"],
    ["Rate limit reached for gpt-4o on tokens per min (TPM)", "retryable"],
    ["Resource exhausted. Please try again later.", "retryable"],
    [
      "You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s.",
      "retryable",
    ],
    ["You exceeded your current quota, please check your plan and billing details.", "fatal"],
    ["Your credit balance is too low to access the Anthropic API.", "fatal"],
    ["Invalid API key · Please run /login", "fatal"],
    ["Unsupported parameter: context. Remove it and try again.", "fatal"],
    ["The model `gpt-9` does not exist or you do not have access to it.", "fatal"],
    ["model requires more system memory (12.0 GiB) than is available (8.0 GiB)", "fatal"],
    ["a sentence nobody has seen before", "fatal"],
  ])("%s -> %s", (text, expected) => {
    expect(classifyError({ text })).toBe(expected);
  });
});

// What the agents themselves said when a context was full, and when it was not (Claude Code 2.1.332, Codex 0.171.0).
describe("R13 the agents' own failures", () => {
  test.each<[string, FailureFacts, ErrorClass]>([
    [
      "Claude Code, overflow on the first turn",
      {
        text: "Prompt is too long · the request is ~210000 tokens (limit 200000) but this conversation is only ~2649 tokens — the rest is system prompt, tool definitions, and attachment content. A single-exchange conversation cannot be compacted; reduce attached files/tools or start with less context.",
        status: 400,
        stop_reason: "prompt_too_long",
      },
      "overflow",
    ],
    [
      "Claude Code, near the limit with compaction off",
      { text: "Prompt is too long", status: null, stop_reason: "blocking_limit" },
      "overflow",
    ],
    [
      "Claude Code, a turn that ended well",
      {
        text: "after all",
        stop_reason: "completed",
        window: 200_000,
        usage: {
          input_tokens: 179_000,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: 50,
        },
      },
      "fatal",
    ],
    [
      "Codex",
      {
        text: "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
      },
      "overflow",
    ],
    [
      "Codex, a remark that is no failure",
      {
        text: "`--dangerously-bypass-hook-trust` is enabled. Enabled hooks may run without review for this invocation.",
      },
      "fatal",
    ],
  ])("%s", (_name, facts, expected) => {
    expect(classifyError(facts)).toBe(expected);
  });
});

test("R9 classifyError calls overflow exactly what the fixtures do", () => {
  const file = path.join(import.meta.dirname, "../../fixtures/overflow/messages.tsv");
  const wrong = readFileSync(file, "utf8")
    .split("\n")
    .slice(1)
    .filter((line) => {
      const [text = "", , expected, status = ""] = line.split("\t");
      if (text === "") return false;
      const verdict = classifyError({ text, status: status === "" ? undefined : Number(status) });
      return (verdict === "overflow") !== (expected === "yes");
    });
  expect(wrong).toEqual([]);
});

test("any facts have a class", () => {
  fc.assert(
    fc.property(
      fc.record({
        text: fc.option(fc.string({ unit: "binary" })),
        status: fc.option(fc.oneof(fc.integer(), fc.double())),
        stop_reason: fc.option(fc.string()),
        window: fc.option(fc.double()),
        usage: fc.option(
          fc.record({ input_tokens: fc.option(fc.double()), output_tokens: fc.option(fc.double()) }),
        ),
      }),
      (facts) => {
        expect(["overflow", "retryable", "fatal"]).toContain(classifyError(facts));
      },
    ),
  );
});
