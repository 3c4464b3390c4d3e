// Evidence for S13-S16: the corpus in every place, look-alikes, keys, marks, hostile texts, a project's own rules.
import { describe, expect, it } from "vitest";
import { cleanText } from "../text/clean.js";
import { UsageError } from "../model/errors.js";
import { made, PRIVATE_KEYS, SHAPED, UNSHAPED } from "./corpus-fixture.js";
import { createRedactor, MAX_TEXT } from "./create-redactor.js";
import { LOOK_ALIKES } from "./look-alikes-fixture.js";
import { PLACES, QUOTED_PLACES, TELLING_PLACES } from "./places-fixture.js";
import { tokenTable } from "./token-table.js";

const redactor = createRedactor();
const { redactText } = redactor;

/** Any 12 characters in a row of the secret, also where hidden characters or quotes stand between them. */
function leaks(text: string, secret: string): boolean {
  const views = [text, cleanText(text).replace(/\\u(?:200b|001b\[0m)|['"\\\n]/gu, "")];
  const length = Math.min(12, secret.length - 1);
  return views.some((view) => {
    for (let i = 0; i + length <= secret.length; i += 1)
      if (view.includes(secret.slice(i, i + length))) return true;
    return false;
  });
}

describe("secrets with a shape (S14)", () => {
  it("has at least 100 secrets, one or more of every row of the table", () => {
    expect(SHAPED.length).toBeGreaterThanOrEqual(100);
    expect(new Set(SHAPED.map(({ secret }) => secret)).size).toBe(SHAPED.length);
    const kinds = new Set(SHAPED.map(({ kind }) => kind));
    expect(
      tokenTable()
        .map(({ kind }) => kind)
        .filter((kind) => !kinds.has(kind)),
    ).toEqual([]);
  });

  it.each(Object.entries(PLACES))(
    "are all found %s, marked by their kind, and once (S14, S15)",
    (_, place) => {
      for (const { kind, secret } of SHAPED) {
        const { text, counts } = redactText(place(secret));
        expect(leaks(text, secret) ? `${kind}: ${text}` : "").toBe("");
        expect({ text, counts }).toEqual({ text, counts: { [kind]: 1 } });
        expect(text).toContain(`[redacted:${kind}]`);
        expect(redactText(text)).toEqual({ text, counts: {} });
      }
    },
  );

  it("keeps what stands around a secret", () => {
    for (const { kind, secret } of SHAPED) {
      const mark = `[redacted:${kind}]`;
      expect(redactText(`before ${secret} after`).text).toBe(`before ${mark} after`);
      expect(redactText(`It was ${secret}. Then ${secret}: no!`).text).toBe(
        `It was ${mark}. Then ${mark}: no!`,
      );
      expect(redactText(`"${secret}",${secret};(${secret})`).text).toBe(`"${mark}",${mark};(${mark})`);
    }
  });

  it("finds several in one text", () => {
    const all = SHAPED.map(({ secret }) => secret).join(" ");
    const { text, counts } = redactText(all);
    expect(text).toBe(SHAPED.map(({ kind }) => `[redacted:${kind}]`).join(" "));
    expect(Object.values(counts).reduce((a, b) => a + b, 0)).toBe(SHAPED.length);
  });

  it("finds the secret half of a pair of AWS keys behind the other", () => {
    const id = ["AKIA", made("pair", 15, "ABCDEFGHIJ234567"), "Q"].join("");
    const secret = made("pair secret", 40);
    expect(redactText(`${id},${secret}`).text).toBe("[redacted:aws-access-key],[redacted:credential]");
  });
});

describe("secrets told by their place (S14)", () => {
  it.each(Object.entries(TELLING_PLACES))("are all found: %s", (_, place) => {
    for (const secret of UNSHAPED) {
      const { text, counts } = redactText(place(secret));
      expect(leaks(text, secret) ? text : "").toBe("");
      expect(text).not.toContain(secret.slice(-4));
      expect({ text, kinds: Object.keys(counts) }).toEqual({ text, kinds: ["credential"] });
      expect(redactText(text)).toEqual({ text, counts: {} });
    }
  });

  it.each(Object.entries(QUOTED_PLACES))(
    "are found behind quoted quotes, and nothing else is touched: %s (S13, S15)",
    (_, place) => {
      for (const secret of UNSHAPED) {
        const { text, counts } = redactText(place(secret));
        expect(text).toBe(place(secret).replaceAll(secret, "[redacted:credential]"));
        expect(Object.keys(counts)).toEqual(["credential"]);
        expect(redactText(text)).toEqual({ text, counts: {} });
      }
    },
  );

  it("are the user of a URL where the password is a filler or the user a token (S14)", () => {
    const token = made("a user", 24);
    const mark = "[redacted:credential]";
    for (const filler of ["x-oauth-basic", "x-access-token", "X-Oauth-Basic", ""])
      expect(redactText(`https://${token}:${filler}@example.com/a`).text).toBe(
        `https://${mark}:${filler}@example.com/a`,
      );
    expect(redactText(`https://${token}:${made("pw", 9)}@example.com/a`).text).toBe(
      `https://${mark}:${mark}@example.com/a`,
    );
    expect(redactText(`https://x-access-token:${token}@example.com`).text).toBe(
      `https://x-access-token:${mark}@example.com`,
    );
    expect(redactText(`see https:/${token}@example.com`).text).toBe(`see https:/${mark}@example.com`);
  });

  it("are seen through colours and zero-width characters", () => {
    const secret = made("hidden", 24);
    const pieces = [secret.slice(0, 7), secret.slice(7, 15), secret.slice(15)];
    for (const between of ["\u001b[31m", "\u200b", "\u00ad", "\u0000", "\u202e"]) {
      const { text } = redactText(`PASS\u001b[1mWORD=${pieces.join(between)} x`);
      expect(leaks(text, secret) ? text : "").toBe("");
      expect(text).toContain("=[redacted:credential] x");
    }
  });

  it("are taken out of the rest of the text too, where they stand alone", () => {
    const secret = made("again", 20);
    const { text, counts } = redactText(`tried ${secret}\nPASSWORD=${secret} failed, so ${secret} is wrong`);
    expect(text).toBe(
      "tried [redacted:credential]\nPASSWORD=[redacted:credential] failed, so [redacted:credential] is wrong",
    );
    expect(counts).toEqual({ credential: 3 });
  });

  it("never make a commit id or a word a secret everywhere", () => {
    const commit = made("a commit", 40, "0123456789abcdef");
    expect(redactText(`token=${commit} at ${commit}`).text).toBe(`token=[redacted:credential] at ${commit}`);
    expect(redactText("PASSWORD=correcthorse on a correcthorse").text).toBe(
      "PASSWORD=[redacted:credential] on a correcthorse",
    );
  });

  it("have the mark of their shape where they have one, whatever stands before (S15)", () => {
    for (const { kind, secret } of SHAPED) {
      if (/[/:]/u.test(secret)) continue;
      for (const text of [
        `TOKEN=${secret}`,
        `--token ${secret}`,
        `Authorization: Bearer ${secret}`,
        `"token": "${secret}"`,
      ])
        expect(redactText(text).text).toBe(text.replace(secret, `[redacted:${kind}]`));
    }
  });
});

describe("private keys (S14)", () => {
  const wraps: Record<string, (text: string) => string> = {
    alone: (text) => text,
    "in JSON": (text) => JSON.stringify({ private_key: text }),
    "in JSON inside JSON": (text) => JSON.stringify({ log: JSON.stringify({ k: text }) }),
    "between lines": (text) => `$ cat key.pem\n${text}\nThe end.`,
    indented: (text) => text.replace(/^/gmu, "    "),
    "in a diff": (text) => text.replace(/^/gmu, "+"),
    coloured: (text) => text.replace(/^/gmu, "\u001b[32m").replace(/$/gmu, "\u001b[0m"),
    "with CRLF": (text) => text.replaceAll("\n", "\r\n"),
  };
  it.each(Object.entries(wraps))("are found %s, whole and cut off at either end", (_, wrap) => {
    for (const { body, whole, line, cutEnd, cutStart } of PRIVATE_KEYS)
      for (const block of [whole, line, cutEnd, cutStart]) {
        const { text, counts } = redactText(wrap(block));
        for (const part of body) expect(text).not.toContain(part.slice(0, 16));
        expect(counts).toEqual({ "private-key": 1 });
        expect(redactText(text)).toEqual({ text, counts: {} });
      }
  });

  it("are told apart where a cut-off one stands before a whole one", () => {
    for (const { whole, cutStart, cutEnd } of PRIVATE_KEYS) {
      const mark = "[redacted:private-key]";
      expect(redactText(`${cutStart}\nthen\n${whole}\nthen\n${cutEnd}`).text).toBe(
        `${mark}\nthen\n${mark}\nthen\n${mark}`,
      );
    }
  });

  it("end where the key ends", () => {
    for (const { whole, cutEnd } of PRIVATE_KEYS) {
      expect(redactText(`a\n${whole}\nb ${whole}\nc`).text).toBe(
        "a\n[redacted:private-key]\nb [redacted:private-key]\nc",
      );
      expect(redactText(`a\n${cutEnd}\nThe end is near`).text).toBe(
        "a\n[redacted:private-key]\nThe end is near",
      );
    }
  });
});

describe("what is no secret (S15)", () => {
  it("has at least 100 look-alikes", () => {
    expect(new Set(LOOK_ALIKES).size).toBeGreaterThanOrEqual(100);
  });

  it.each(LOOK_ALIKES)("is never touched: %s", (text) => {
    expect(redactText(text)).toEqual({ text, counts: {} });
    const around = `it said: ${text}\nand went on`;
    expect(redactText(around).text).toBe(around);
    const json = JSON.stringify({ detail: text });
    expect(redactText(json).text).toBe(json);
  });

  it("is never touched all in one text", () => {
    const all = LOOK_ALIKES.join("\n\n");
    expect(redactText(all)).toEqual({ text: all, counts: {} });
  });
});

describe("the environment's own secrets (S14)", () => {
  const secret = made("environment", 24);
  const quoted = `it's a "${made("quoted", 9)}"\\x`;
  const env = {
    DEPLOY_TOKEN: secret,
    db_password: "correct horse battery",
    ODD_SECRET: quoted,
    DATABASE_URL: `postgres://app:${made("in url", 12)}@db/app`,
    SHORT_TOKEN: "abc1234",
    NODE_ENV: "production",
    APP_SECRET_MODE: "production",
    API_KEY: "development",
    TOKEN_FILE: "/run/secrets/token",
    SSH_KEY: "/home/me/.ssh/id_ed25519",
    AUTH_TOKEN: undefined,
    MAX_TOKENS: "1234567890",
    HOME: "/home/somebody",
    PRIVATE_KEY: "${OTHER_VARIABLE}",
  };
  const gate = createRedactor({ env });

  it("are found bare, glued, quoted, percent-encoded, in base64 and split by colours", () => {
    const forms = [
      secret,
      `x${secret}y`,
      `'${secret.slice(0, 9)}'"${secret.slice(9)}"`,
      Buffer.from(secret).toString("base64"),
      `${secret.slice(0, 9)}\u001b[0m${secret.slice(9)}`,
    ];
    for (const form of forms) {
      const { text, counts } = gate.redactText(`got ${form} there`);
      expect(leaks(text, secret) ? text : "").toBe("");
      expect(text).toContain("[redacted:credential]");
      expect(counts).toEqual({ credential: 1 });
    }
    expect(gate.redactText("a correct horse battery b").text).toBe("a [redacted:credential] b");
    expect(gate.redactText("a correct%20horse%20battery b").text).toBe("a [redacted:credential] b");
    expect(gate.redactText(`connect as ${made("in url", 12)}`).text).toBe("connect as [redacted:credential]");
  });

  it("are found behind a shell's and JSON's quoting", () => {
    for (const text of [
      quoted,
      JSON.stringify({ a: quoted }),
      `'${quoted.replaceAll("'", String.raw`'\''`)}'`,
    ])
      expect(gate.redactText(text).text).not.toContain(made("quoted", 9));
  });

  it("are no paths, references, settings, counts or short values", () => {
    const text = Object.entries(env)
      .filter(([name]) => !/^(?:DEPLOY_TOKEN|db_password|ODD_SECRET|DATABASE_URL)$/u.test(name))
      .map(([, value]) => `see ${value} here`)
      .join("\n");
    expect(gate.redactText(text)).toEqual({ text, counts: {} });
  });
});

describe("a project's own rules (P42)", () => {
  it("finds its patterns under their names, also split by colours", () => {
    const gate = createRedactor({ patterns: { "acme-key": "ACME-[0-9]{6}" } });
    expect(gate.redactText("x ACME-123456 ACME-12\u001b[1m3456").text).toBe(
      "x [redacted:acme-key] [redacted:acme-key]",
    );
    const once = gate.redactText("x ACME-123456").text;
    expect(gate.redactText(once)).toEqual({ text: once, counts: {} });
  });

  it("finds them anywhere in a long text", () => {
    const gate = createRedactor({ patterns: { "acme-key": "ACME-[0-9]{6}" } });
    for (const at of [0, 4090, 12_280, 16_380, 16_384, 50_000]) {
      const { text, counts } = gate.redactText(`${"x ".repeat(at / 2)}ACME-123456${" y".repeat(20_000)}`);
      expect(text).not.toContain("ACME-1");
      expect(counts).toEqual({ "acme-key": 1 });
    }
  });

  it("leaves what is allowed as a whole, and nothing more", () => {
    const gate = createRedactor({ allow: ["hunter[0-9]"] });
    expect(gate.redactText("password=hunter2 password=hunter22").text).toBe(
      "password=hunter2 password=[redacted:credential]",
    );
  });

  it.each(["(a+)+$", "(?:x|y*)*z", "([a-z]{2,}){3,}", "((a+)b)+", "(", "[z-a]"])("refuses %s", (source) => {
    expect(() => createRedactor({ patterns: { bad: source } })).toThrow(UsageError);
    expect(() => createRedactor({ allow: [source] })).toThrow(UsageError);
  });

  it.each([String.raw`\(a+\)+`, "[(a+)]+", "(?:a{3})+", "(abc)+", "a+b+"])("takes %s", (source) => {
    expect(createRedactor({ patterns: { good: source } }).redactText("-")).toEqual({ text: "-", counts: {} });
  });

  // Each of them would take longer than anybody lives.
  it.each(["(a|aa)+$", String.raw`(?:\w|a)+!`, "(.*a){20}b"])(
    "S16 %s, which no look refuses, costs the texts that it is slow on, and nothing else",
    (source) => {
      const gate = createRedactor({ patterns: { slow: source } });
      const slow = `${"a".repeat(59)}?`;
      const unchecked = "[redacted:unchecked]";
      expect(gate.redactText(slow)).toEqual({ text: unchecked, counts: { unchecked: 1 } });
      expect(gate.redactText("fine").text).toBe("fine");
      // Once too much time is lost, nothing of some length is tried any more.
      expect(gate.redactText(`${slow}?`).text).toBe(unchecked);
      expect(gate.redactStrings({ x: `${slow}??`, y: "a text without any harm in it" })).toMatchObject({
        value: { x: unchecked, y: unchecked },
        failed: ["/x", "/y"],
      });
    },
  );

  it("S16 a slow exception makes nothing safe", () => {
    const gate = createRedactor({ allow: ["(a|aa)+"] });
    expect(gate.redactText(`password=${"a".repeat(60)}1`).text).toBe("[redacted:unchecked]");
    expect(gate.redactText("password=aaaaaaaa").text).toBe("password=aaaaaaaa");
  });
});

describe("failing closed (S16)", () => {
  it("drops a text that is too large to check", () => {
    expect(redactText("a".repeat(MAX_TEXT + 1))).toEqual({
      text: "[redacted:unchecked]",
      counts: { unchecked: 1 },
    });
  });

  it("drops a text on which a rule throws", () => {
    const throwing = { valueOf: () => "x", length: 5, includes: () => false } as unknown as string;
    expect(redactText(throwing)).toEqual({ text: "[redacted:unchecked]", counts: { unchecked: 1 } });
  });
});

describe("hostile texts", () => {
  const beginnings = tokenTable().map(
    ({ pattern }) =>
      /[A-Za-z0-9:._-]{3,}/u.exec(pattern.source.replace(/^\(\?<!.*?\)\[A-Za-z0-9\]\)/u, ""))?.[0] ?? "x",
  );
  const pieces = [
    ..."aA1 \n\\\"'`=:@/.-_<>[](){}$%&;,*\u200b\u001b\ufffd".split(""),
    ...new Set(beginnings),
    "password=",
    "password: ",
    'password:"',
    "password='",
    "token ",
    '"token":"',
    "--token ",
    "eyJ",
    "eyJ-",
    "eyJa.",
    "eyJa.eyJ",
    String.raw`'\''`,
    String.raw`password='\''`,
    String.raw`password='\''a`,
    `--password '"'"'`,
    String.raw`password=\'\\\'\'`,
    String.raw`mysql -p'\''`,
    "echo 'a' | ",
    "echo a| x ",
    "identified by '",
    "set PASSWORD ",
    "https:/",
    "https:/a:b@",
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----\n",
    "://",
    "a://b:",
    "Authorization: ",
    "Bearer ",
    "Cookie: a=b; ",
    "curl -u ",
    "mysql -p",
    "login a password ",
    "\u001b[",
    "\u001b]",
    "a\u200b",
    "<password>",
    "[redacted:",
    "[redacted:credential]",
    "password=[redacted:credential]",
    "token=$(",
    'password=\\"',
    "AKIAABCDEFGHIJKLMNOP ",
    "\ud800",
    "\uffff",
    "password=\uffff",
  ];
  // Quadratic work on a quarter of a MiB would take minutes: the time limit of a test is the assertion.
  it.each(pieces)("of %j over and over are read in linear time, and come to rest", (piece) => {
    const { text } = redactText(piece.repeat(Math.ceil(262_144 / piece.length)));
    expect(redactText(text)).toEqual({ text, counts: {} });
  });
});
