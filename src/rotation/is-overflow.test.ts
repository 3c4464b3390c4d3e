// R9, R10: every message of fixtures/overflow/messages.tsv, alone and as clients wrap it. Of the messages, overflows and near
// misses alike, many are a provider's, server's or client's own words; the others are such wordings with other numbers, names
// and wrappers, or made up in their kind. The names beside them say whose kind it is, not who has sent it.
import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isOverflow, isOverflowWithStatus } from "./is-overflow.js";
import { OVERFLOW_PATTERNS } from "./overflow-patterns.js";
import { OVERFLOW_VETOES } from "./overflow-vetoes.js";
import { plainMessage } from "./plain-message.js";
import { visibleStatus } from "./visible-status.js";

const FILE = path.join(import.meta.dirname, "../../fixtures/overflow/messages.tsv");
const ROWS = readFileSync(FILE, "utf8")
  .split("\n")
  .slice(1)
  .filter((line) => line !== "")
  .map((line) => {
    const [message = "", provider = "", expected = "", status = ""] = line.split("\t");
    return { message, provider, expected: expected === "yes", status: status === "" ? null : Number(status) };
  });
const shown = (text: string): string => (text.length > 90 ? `${text.slice(0, 90)}…` : text);

describe("R9 R10 each message, with the status it came with", () => {
  test("there are enough of both kinds", () => {
    expect(ROWS.filter((row) => row.expected).length).toBeGreaterThan(250);
    expect(ROWS.filter((row) => !row.expected).length).toBeGreaterThan(250);
  });
  test.each(ROWS.map((row) => [row.expected ? "yes" : "no", row.provider, shown(row.message), row] as const))(
    "%s: %s: %s",
    (_expected, _provider, _shown, row) => {
      expect(isOverflowWithStatus(row.message, row.status)).toBe(row.expected);
    },
  );
});

describe("R9 a wrapper changes nothing", () => {
  /** Counts alone: digits within a name are none. */
  const regroup = (message: string, separator: string): string =>
    message.replaceAll(/(?<![\w.-])[1-9]\d{3,}(?![\w.-])/gu, (count) =>
      count.replaceAll(/\B(?=(?:\d{3})+$)/gu, separator),
    );
  const WRAPPERS: Readonly<Record<string, (message: string) => string>> = {
    "upper case": (m) => m.toUpperCase(),
    "a JSON body": (m) => JSON.stringify({ error: { message: m, type: "invalid_request_error" } }),
    "a JSON body in a JSON body": (m) => JSON.stringify({ body: JSON.stringify({ error: { message: m } }) }),
    "a Python client": (m) => `openai.BadRequestError: {'error': {'message': '${m}', 'code': None}}`,
    "a gateway": (m) =>
      `litellm.BadRequestError: OpenAIException - ${m}\nReceived Model Group=x\nFallbacks=None`,
    "a stack": (m) => `AI_APICallError: ${m}\n    at file:///x/node_modules/ai/dist/index.mjs:100:12`,
    "broken lines": (m) => m.replaceAll(" ", "\n"),
    "curly apostrophes": (m) => m.replaceAll("'", "’"),
    "counts as in Germany": (m) => regroup(m, "."),
    "counts as in code": (m) => regroup(m, "_"),
    "counts as in France": (m) => regroup(m, "\u{202F}"),
    "a request id": (m) => `${m} (request id: req_011CSUSAvG3cTgFStKLtDKp8)`,
  };
  const unwrapped = ROWS.filter((row) => row.status === null && visibleStatus(row.message) === null);
  test.each(Object.entries(WRAPPERS))("%s", (_name, wrap) => {
    const different = unwrapped.filter((row) => isOverflow(wrap(row.message)) !== row.expected);
    expect(different.map((row) => wrap(row.message))).toEqual([]);
  });
});

describe("the tables", () => {
  test.each(OVERFLOW_PATTERNS.map((row) => [row.provider, shown(row.message), row] as const))(
    "R9 %s: its own pattern finds %s",
    (_provider, _shown, row) => {
      expect(row.pattern.test(plainMessage(row.message))).toBe(true);
      expect(isOverflow(row.message)).toBe(true);
    },
  );
  test.each(OVERFLOW_VETOES.map((row) => [row.about, shown(row.message), row] as const))(
    "R10 %s: its own pattern finds %s",
    (_about, _shown, row) => {
      expect(row.pattern.test(plainMessage(row.message))).toBe(true);
      expect(isOverflow(row.message)).toBe(false);
    },
  );
  test("R9 every row is needed: without it some message goes unseen, or it is the provider's only one", () => {
    const seen = ROWS.filter((row) => row.expected).map((row) => plainMessage(row.message));
    const idle = OVERFLOW_PATTERNS.filter((row) => !seen.some((plain) => row.pattern.test(plain)));
    expect(idle.map((row) => row.provider)).toEqual([]);
  });
});

describe("R9 the call", () => {
  test("takes any number of texts, or none", () => {
    expect(isOverflow()).toBe(false);
    expect(isOverflow(null, undefined, "", "  ")).toBe(false);
    expect(isOverflow(null, "code 1", "prompt is too long")).toBe(true);
  });
  test("R10 the texts are one error: a veto in one counts for all", () => {
    expect(isOverflow("ThrottlingException", "Too many tokens")).toBe(false);
    expect(isOverflow("ValidationException", "Too many tokens")).toBe(true);
  });
  test("R10 to be told to adjust and try again is no veto, to wait is one", () => {
    const said = "prompt is too long: 2 tokens > 1 maximum";
    expect(isOverflow(`${said}. Please adjust your input and try again.`)).toBe(true);
    for (const later of ["Please try again later", "try again in 20s", "Please retry in 3.5s", "please wait"])
      expect(isOverflow(`${said}. ${later}`)).toBe(false);
  });
  test("R10 max_tokens too large for the window is overflow when a shorter input would fit", () => {
    const said = (cap: number, input: number): string =>
      `'max_tokens' or 'max_completion_tokens' is too large: ${cap}. This model's maximum context length is 8192 tokens and your request has ${input} input tokens (${cap} > 8192 - ${input}).`;
    expect(isOverflow(said(4096, 6336))).toBe(true);
    expect(isOverflow(said(8192, 14))).toBe(false);
    expect(isOverflow(said(10_000, 27))).toBe(false);
  });
  test("any text is fine", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.string({ unit: "binary" }))), (texts) => {
        expect(typeof isOverflow(...texts)).toBe("boolean");
      }),
    );
  });
  test("a text of a megabyte is read in one go, whatever it repeats", () => {
    // One that backtracks would not end within the test's time.
    const repeated = [
      "context ",
      "input length exceed ",
      "prompt tokens (",
      "max tokens (",
      " ",
      "a_b-C",
      '{"code": 40',
      "上下文",
      "inputs tokens + max new tokens ",
      "response output ",
      "prompt has 12 tokens ",
      "\n",
    ];
    for (const part of repeated) {
      const text = part.repeat(Math.ceil(1_000_000 / part.length));
      expect(isOverflow(`${text} prompt is too long: 300000 tokens > 200000 maximum`)).toBe(true);
    }
  });
});

describe("R10 the status a text shows", () => {
  test.each<[string, number | null]>([
    ["429 Too Many Requests", 429],
    ["API Error: 500 {}", 500],
    ["Error code: 413 - {'error': {}}", 413],
    ["Failed, status code: 500, message: <400> InternalError", 400],
    ['{"error":{"code":503,"message":"x"}}', 503],
    ["HTTP/1.1 502 Bad Gateway", 502],
    ["[400 Bad Request] too long", 400],
    ["stream error: 429 slow down", 429],
    ["Error: 503 litellm.APIConnectionError", 503],
    ["500 tokens over the limit", null],
    ["limit is 500 tokens, got: 429 tokens", null],
    ['{"code":"1261","message":"x"}', null],
    ["context window exceeds limit (2013)", null],
    ["HTTP 200 OK", null],
    ["", null],
  ])("%s -> %s", (text, status) => {
    expect(visibleStatus(text)).toBe(status);
  });
});
