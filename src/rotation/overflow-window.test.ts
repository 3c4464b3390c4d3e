// R4, R13: the window that an overflow shows.
import { describe, expect, test } from "vitest";
import { calibrateWindow, windowInOverflow } from "./overflow-window.js";

describe("R13 the window in a message", () => {
  test.each<[string, number | null]>([
    ["prompt is too long: 213462 tokens > 200000 maximum", 200_000],
    ["input length and `max_tokens` exceed context limit: 197202 + 21333 > 200000", 200_000],
    ["Prompt is too long · the request is ~210000 tokens (limit 200000) but", 200_000],
    [
      "This model's maximum context length is 128,000 tokens. However, your messages resulted in 130,518 tokens.",
      128_000,
    ],
    ["The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).", 1_048_575],
    [
      "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      32_768,
    ],
    ["This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072],
    ["prompt token count of 138898 exceeds the limit of 64000", 64_000],
    ["Your request exceeded model token limit: 262144 (requested: 291351)", 262_144],
    ["Range of input length should be [1, 129024]", 129_024],
    ["The input (61709 tokens) is longer than the model's context length (40960 tokens).", 40_960],
    ["request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it", 4_096],
    ["Current length is 42328 while limit is 40000", 40_000],
    ["`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000", 8_193],
    ["n_keep 13575 >= n_ctx 4096", 4_096],
    ["Prompt has 140,000 tokens, but the configured context size is 131,072 tokens", 131_072],
    ["Requested tokens exceed the maximum context length: 20000 > 16384", 16_384],
    ["the request exceeds the available context size: 9001 > 8192", 8_192],
    ["Prompt is too long. The prompt has 270000 tokens, the maximum is 256000 tokens.", 256_000],
    ["Context Window Exceeded: given model=gpt-4, messages=9100 tokens, max=8192", 8_192],
    ["prompt tokens (330095) exceed model maximum (278528) for base model abc", 278_528],
    [
      "too many tokens: size limit exceeded by 713295 tokens. The limit for this model is 288000 tokens.",
      288_000,
    ],
    ["prompt is too long to fit in the context (n_tokens = 9000, n_ctx = 8192)", 8_192],
    ["Your estimated chat context of 140,210 tokens exceeds the 128,000 token limit", 128_000],
    // Numbers that are something else.
    ["input length and `max_tokens` exceed context limit: 199000 + 64000", null],
    ["too many total text bytes: 9423012 > 9000000", null],
    ["Sent message larger than max (50000056 vs. 20971520)", null],
    ["invalid params, context window exceeds limit (2013)", null],
    ["prompt too long; exceeded max context length by 100918 tokens", null],
    ["Context window exceeded: requested 12000 tokens", null],
    ["Codex ran out of room in the model's context window.", null],
    ["Error code: 400 {'code': '1261', 'message': 'Prompt exceeds max length'}", null],
    ["maximum context length is 12 tokens", null],
    ["", null],
  ])("%s -> %s", (message, window) => {
    expect(windowInOverflow(message)).toBe(window);
  });

  test("else what still went through is what one may count on", () => {
    expect(calibrateWindow({ message: "Prompt is too long", context: 187_000 })).toBe(187_000);
    expect(calibrateWindow({ message: "Prompt is too long", context: 900 })).toBeNull();
    expect(calibrateWindow({ message: "prompt is too long: 9 tokens > 200000 maximum", context: 5 })).toBe(
      200_000,
    );
  });
});
