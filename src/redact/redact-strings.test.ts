// Evidence for S13, S15 and S16 over whole values: every string, keys, argv, what one field says about another.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { made, PRIVATE_KEYS, SHAPED, UNSHAPED } from "./corpus-fixture.js";
import { createRedactor, MAX_TEXT } from "./create-redactor.js";
import { LOOK_ALIKES } from "./look-alikes-fixture.js";

const { redactStrings, redactText } = createRedactor();
const secret = made("strings", 24);

describe("every string of a value (S13)", () => {
  it("is checked, keys too, at any depth", () => {
    for (const { kind, secret: shaped } of SHAPED) {
      const value = { a: [{ b: { [`k ${shaped}`]: [1, null, true, `v ${shaped}`] } }] };
      expect(redactStrings(value)).toEqual({
        value: { a: [{ b: { [`k [redacted:${kind}]`]: [1, null, true, `v [redacted:${kind}]`] } }] },
        counts: { [kind]: 2 },
        failed: [],
      });
    }
  });

  it("keeps keys apart that hold different secrets", () => {
    const [one, two] = SHAPED.filter(({ kind }) => kind === "github-token");
    const { value } = redactStrings({ [one?.secret ?? ""]: 1, [two?.secret ?? ""]: 2 });
    expect(value).toEqual({ "[redacted:github-token]": 1, "[redacted:github-token]#2": 2 });
  });

  it("keeps the very value where there is nothing to take out", () => {
    const value = {
      texts: LOOK_ALIKES,
      n: 1,
      nested: [{ at: "2026-03-01T10:15:30.000Z" }],
      nothing: undefined,
    };
    const redacted = redactStrings(value);
    expect(redacted.value).toBe(value);
    expect(redacted).toEqual({ value, counts: {}, failed: [] });
  });

  it("keeps an own __proto__ key a key", () => {
    const parsed: unknown = JSON.parse(`{"__proto__": {"x": 1}, "password": "${secret}"}`);
    const { value } = redactStrings(parsed);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1},"password":"[redacted:credential]"}');
  });

  it("leaves out what is skipped, by path", () => {
    const value = {
      id: `hp_${secret}`,
      password: secret,
      list: [{ password: secret }, { password: secret }],
    };
    const paths: string[] = [];
    const { value: out } = redactStrings(value, {
      skip: (path) => {
        paths.push(path.join("/"));
        return path.join("/") === "list/0";
      },
    });
    expect(out.list).toEqual([{ password: secret }, { password: "[redacted:credential]" }]);
    expect(paths.slice(0, 4)).toEqual(["", "id", "password", "list"]);
  });
});

describe("what stands beside a string (S14)", () => {
  it.each(["password", "API_KEY", "clientSecret", "db.password", "x-api-key"])("is a key: %s", (name) => {
    for (const unshaped of UNSHAPED) {
      const { value, counts } = redactStrings({ [name]: unshaped, user: "app" });
      expect(value).toEqual({ [name]: "[redacted:credential]", user: "app" });
      expect(counts).toEqual({ credential: 1 });
    }
  });

  it.each([
    [{ Authorization: "Bearer abcdefgh" }, { Authorization: "Bearer [redacted:credential]" }],
    [{ authorization: "token abcdefgh" }, { authorization: "token [redacted:credential]" }],
    [{ cookie: "a=b; sid=abcdef123456" }, { cookie: "a=b; sid=[redacted:credential]" }],
    [
      { token: null, password: "" },
      { token: null, password: "" },
    ],
    [
      { password: "must have 12 characters", token: "expired" },
      { password: "must have 12 characters", token: "expired" },
    ],
    [
      { password: "$DB_PASSWORD", token: "<token>" },
      { password: "$DB_PASSWORD", token: "<token>" },
    ],
  ])("is a header or a message: %j", (value, expected) => {
    expect(redactStrings(value).value).toEqual(expected);
  });

  it.each([
    [
      ["tool", "--password", "hunter"],
      ["tool", "--password", "[redacted:credential]"],
    ],
    [
      ["tool", "--token", "abcdefgh", "-v"],
      ["tool", "--token", "[redacted:credential]", "-v"],
    ],
    [
      ["tool", "--password=hunter 2x"],
      ["tool", "--password=[redacted:credential]"],
    ],
    [
      ["curl", "-u", "app:hunter 2", "https://a"],
      ["curl", "-u", "app:[redacted:credential]", "https://a"],
    ],
    [
      ["mysql", "-uroot", "-phunter 2", "app"],
      ["mysql", "-uroot", "-p[redacted:credential]", "app"],
    ],
    [
      ["/usr/bin/sshpass", "-p", "hunter", "ssh", "h"],
      ["/usr/bin/sshpass", "-p", "[redacted:credential]", "ssh", "h"],
    ],
    [
      ["curl", "-H", "Authorization: Bearer abcdefgh"],
      ["curl", "-H", "Authorization: Bearer [redacted:credential]"],
    ],
    [
      ["mkdir", "-p", "build"],
      ["mkdir", "-p", "build"],
    ],
    [
      ["tool", "--token-file", "/run/token"],
      ["tool", "--token-file", "/run/token"],
    ],
  ])("is the word before it, in an argv: %j", (argv, expected) => {
    expect(redactStrings({ command: argv }).value).toEqual({ command: expected });
  });

  it("is any other field of the value: a secret found in one is taken out of all", () => {
    const value = { note: `tried ${secret}`, argv: ["tool", "--password", secret], log: [`bad: ${secret}!`] };
    expect(redactStrings(value)).toEqual({
      value: {
        note: "tried [redacted:credential]",
        argv: ["tool", "--password", "[redacted:credential]"],
        log: ["bad: [redacted:credential]!"],
      },
      counts: { credential: 3 },
      failed: [],
    });
  });
});

describe("failing closed (S16)", () => {
  it("drops a field that cannot be checked, counts it and names its path", () => {
    const large = "a".repeat(MAX_TEXT + 1);
    const { value, counts, failed } = redactStrings({ ok: "fine", bad: [{ "a/b": large }], [large]: 1 });
    expect(value).toEqual({
      ok: "fine",
      bad: [{ "a/b": "[redacted:unchecked]" }],
      "[redacted:unchecked]": 1,
    });
    expect(counts).toEqual({ unchecked: 2 });
    expect(failed).toEqual(["/bad/0/a~1b", "/(key)"]);
  });

  it("drops what is no JSON value and may hide strings", () => {
    const { value, failed } = redactStrings({
      map: new Map([["password", secret]]),
      text: new String(secret),
      n: 1,
    });
    expect(value).toEqual({ map: "[redacted:unchecked]", text: "[redacted:unchecked]", n: 1 });
    expect(failed).toEqual(["/map", "/text"]);
  });

  it("drops what is nested too deep to walk", () => {
    let value: unknown = "x";
    for (let i = 0; i < 600; i += 1) value = [value];
    const redacted = redactStrings(value);
    expect(redacted.counts).toEqual({ unchecked: 1 });
    expect(redacted.failed).toHaveLength(1);
  });
});

describe("on random values", () => {
  const anything = fc.string({ unit: "binary", maxLength: 60 });
  const anySecret = fc.constantFrom(...SHAPED.map((one) => one.secret));
  const anyPiece = fc.oneof(
    anything,
    anySecret,
    fc.constantFrom(...LOOK_ALIKES, ...UNSHAPED, ...PRIVATE_KEYS.map(({ whole }) => whole)),
    fc.constantFrom(
      "password=",
      "token: ",
      "'",
      '"',
      "\\",
      " ",
      "\n",
      "[redacted:",
      "]",
      "\u001b[0m",
      "\u200b",
      "$",
      "://",
      "@",
      ":",
    ),
  );
  const anyText = fc.array(anyPiece, { maxLength: 12 }).map((pieces) => pieces.join(""));

  it("is idempotent (S15)", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = redactText(text).text;
        expect(redactText(once)).toEqual({ text: once, counts: {} });
      }),
      { numRuns: 2000 },
    );
  });

  it("never lets a secret through whatever stands around it", () => {
    fc.assert(
      fc.property(anything, anySecret, anything, (before, hidden, after) => {
        // Behind a letter or a digit another word would begin; a backslash or a percent sign makes an escape of it.
        const { text } = redactText(`${before} ${hidden} ${after}`);
        expect(text).not.toContain(hidden);
        expect(text).not.toContain(hidden.slice(0, 16));
      }),
      { numRuns: 3000 },
    );
  });

  it("never lets a secret of the environment through, glued to anything", () => {
    const gate = createRedactor({ env: { APP_TOKEN: secret } });
    fc.assert(
      fc.property(anyText, anyText, (before, after) => {
        expect(gate.redactText(before + secret + after).text).not.toContain(secret);
      }),
      { numRuns: 1000 },
    );
  });

  it("leaves random words and text without secrets as they are (S15)", () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/u);
    const sentence = fc.array(
      fc.oneof(word, fc.constantFrom("token", "secret", "password", "key", "is", "-", "12", "/a/b")),
      {
        maxLength: 30,
      },
    );
    fc.assert(
      fc.property(sentence, (parts) => {
        const text = parts.join(" ");
        expect(redactText(text)).toEqual({ text, counts: {} });
      }),
      { numRuns: 2000 },
    );
  });

  it("gives JSON values back in their shape, and twice the same", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), anyText, (value, text) => {
        const once = redactStrings({ value, text });
        const twice = redactStrings(once.value);
        expect(twice).toEqual({ value: once.value, counts: {}, failed: [] });
        expect(once.failed).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
