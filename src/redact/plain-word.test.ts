// The quickest look lets every secret through that a rule could find: held against each row's own pattern and the whole gate.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SHAPED, UNSHAPED } from "./corpus-fixture.js";
import { createRedactor } from "./create-redactor.js";
import { PLACES, TELLING_PLACES } from "./places-fixture.js";
import { isPlainWord } from "./plain-word.js";
import { tokenTable } from "./token-table.js";

/** A project's pattern that finds nothing switches the quick look off: what the rules themselves say. */
const thorough = createRedactor({ patterns: { never: "\\u0001never\\u0001" } });
const quick = createRedactor();

const word = fc.string({
  unit: fc.stringMatching(/^[a-z0-9_.]$/u),
  maxLength: 15,
});
/** Words that begin like something the rules know. */
const telling = fc
  .tuple(
    fc.constantFrom(
      "ghp_",
      "sk_live_",
      "hf_",
      "npm_",
      "xox",
      "token",
      "secret_",
      "password",
      "sig",
      "pat",
      "v1.",
      "key.",
    ),
    word,
  )
  .map(([start, rest]) => (start + rest).slice(0, 15));

describe("a plain word (S14)", () => {
  it("holds nothing that any rule finds", () => {
    fc.assert(
      fc.property(fc.oneof(word, telling), (text) => {
        expect(isPlainWord(text)).toBe(true);
        expect(thorough.redactText(text)).toEqual({ text, counts: {} });
      }),
      { numRuns: 3000 },
    );
  });

  it.each(tokenTable().map(({ kind, pattern }) => [kind, pattern] as const))(
    "is no token: %s",
    (_, pattern) => {
      const bare = new RegExp(pattern.source.replaceAll(/\(\?<?[=!](?:[^()]|\([^()]*\))*\)/gu, ""), "u");
      fc.assert(
        fc.property(fc.stringMatching(bare, { maxLength: 400 }), (text) => {
          const [token = null] = pattern.exec(` ${text}`) ?? [];
          fc.pre(token !== null);
          expect(isPlainWord(token)).toBe(false);
        }),
        { numRuns: 40 },
      );
    },
  );

  it("is no secret of the corpus, nor any place of one", () => {
    const secrets = [...SHAPED.map(({ secret }) => secret), ...UNSHAPED];
    const places = [...Object.values(PLACES), ...Object.values(TELLING_PLACES)];
    expect(SHAPED.filter(({ secret }) => isPlainWord(secret))).toEqual([]);
    const texts = secrets.flatMap((secret) => places.map((place) => place(secret)));
    expect(texts.filter((text) => isPlainWord(text) && thorough.redactText(text).text !== text)).toEqual([]);
  });

  it("may be what the environment, the project or another field calls a secret", () => {
    const value = "zq8x_k2v9.t4";
    expect(isPlainWord(value)).toBe(true);
    const env = { SERVICE_PASSWORD: value };
    expect(createRedactor({ env }).redactText(value).text).toBe("[redacted:credential]");
    expect(createRedactor({ patterns: { horse: "k2v\\d+" } }).redactText(value).text).toBe(
      "zq8x_[redacted:horse].t4",
    );
    const fields = { line: `password=${value}`, beside: value };
    expect(JSON.stringify(quick.redactStrings(fields).value)).not.toContain(value);
    expect(createRedactor({ env, allow: ["zq8x_k2v9\\.t4"] }).redactText(value).text).toBe(value);
  });
});
