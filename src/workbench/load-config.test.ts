import { readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { FIXTURES, variantsOf } from "../../fixtures/artifacts/load-fixture.js";
import { makeFifo, tempBench } from "../../fixtures/artifacts/temp-bench.js";
import { loadConfig } from "./load-config.js";

const fixture = (name: string) => path.join(FIXTURES, "config", name);

/** Variant -> code, message, place's line, and what the hint must contain. */
const BROKEN: Readonly<Record<string, readonly [string, string, number | undefined, string]>> = {
  "broken-unknown-key.json": ["config.unknown_key", "unknown key /maxBytes", 3, 'did you mean "max_bytes"?'],
  "broken-unknown-nested-key.json": [
    "config.unknown_key",
    "unknown key /artifacts/verificaton",
    3,
    'did you mean "verification"?',
  ],
  "broken-type.json": [
    "config.invalid",
    "/last: Invalid input: expected number, received string",
    3,
    "schemas/config.schema.json",
  ],
  "broken-range.json": ["config.invalid", "/last: Too big: expected number to be <=30", 2, "schemas/"],
  "broken-json.json": [
    "config.not_json",
    "the configuration is not JSON: unexpected character in line 3, column 11",
    3,
    "mend",
  ],
  "broken-climbing-pattern.json": [
    "config.invalid",
    '/artifacts/state: "../other/agent_state.json" leads outside the workbench',
    3,
    "relative to the root",
  ],
  "broken-array.json": [
    "config.invalid",
    "the configuration: Invalid input: expected object, received array",
    undefined,
    "schemas/",
  ],
  "broken-empty.json": ["config.not_json", "the configuration is not JSON: it is empty", 1, "mend"],
};

describe("P42 handoff.config.json", () => {
  test("every fixture is in a table", () => {
    expect(["full.json", ...Object.keys(BROKEN)].sort()).toEqual(variantsOf("config"));
  });

  test("P42 none is no configuration", async () => {
    expect(await loadConfig(tempBench(), null)).toEqual({});
  });

  test("P42 the root's own, or the one that was named", async () => {
    const full: unknown = JSON.parse(readFileSync(fixture("full.json"), "utf8"));
    expect(await loadConfig(tempBench({ "handoff.config.json": full }), null)).toEqual(full);
    expect(await loadConfig(tempBench({ "handoff.config.json": "{" }), fixture("full.json"))).toEqual(full);
  });

  test("P7 P42 a byte order mark and CRLF are fine", async () => {
    const root = tempBench({ "handoff.config.json": '\ufeff{\r\n"last": 3\r\n}' });
    expect(await loadConfig(root, null)).toEqual({ last: 3 });
  });

  test.each(["../x.md", "/tmp/x.md", ".git/x.md", ".", "./", "notes/", "notes/."])(
    "P42 a rollover's handover is a file of the workbench: %s is none",
    async (handover_path) => {
      const root = tempBench({ "handoff.config.json": { rollover: { handover_path } } });
      await expect(loadConfig(root, null)).rejects.toMatchObject({
        code: "config.invalid",
        message: expect.stringContaining("/rollover/handover_path: "),
      });
    },
  );

  test.each([
    "/clear",
    " /clear",
    "!rm {path}",
    "#note",
    "@{path}",
    "{path}",
    "  ",
    "\u00a0/clear",
    "$go",
    "&",
  ])(
    "P42 a rollover's first prompt is words, and no command of an input line: %j",
    async (bootstrap_text) => {
      const rollover = { handover_path: "auto", bootstrap_text };
      await expect(
        loadConfig(tempBench({ "handoff.config.json": { rollover } }), null),
      ).rejects.toMatchObject({
        code: "config.invalid",
        message: expect.stringContaining("/rollover/bootstrap_text: "),
      });
    },
  );

  test("P42 a rollover's texts as people write them are fine", async () => {
    for (const rollover of [
      { handover_path: "auto", bootstrap_text: "Lies {path} und mach weiter." },
      { handover_path: "notes/hand.over {pane}.md", bootstrap_text: "引き継ぎ {path}" },
    ])
      expect(await loadConfig(tempBench({ "handoff.config.json": { rollover } }), null)).toEqual({
        rollover,
      });
  });

  test.each(Object.entries(BROKEN))("P42 %s", async (variant, [code, message, line, hint]) => {
    const root = tempBench({ "handoff.config.json": readFileSync(fixture(variant)) });
    const place =
      line === undefined ? { path: "handoff.config.json" } : { path: "handoff.config.json", line };
    await expect(loadConfig(root, null)).rejects.toMatchObject({
      name: "UsageError",
      exitCode: 2,
      code,
      message,
      place,
    });
    await expect(loadConfig(root, null)).rejects.toHaveProperty("hint", expect.stringContaining(hint));
  });

  test("P42 a file that was named must be there", async () => {
    await expect(loadConfig(tempBench(), "/nonexistent/h.json")).rejects.toMatchObject({
      code: "config.unreadable",
      exitCode: 2,
      message: "the configuration cannot be read (missing)",
      place: { path: "/nonexistent/h.json" },
    });
  });

  test("S18 a FIFO, a folder, a link outside: an error at once", async () => {
    const root = tempBench();
    makeFifo(path.join(root, "handoff.config.json"));
    await expect(loadConfig(root, null)).rejects.toThrow(
      "the configuration cannot be read (not regular: FIFO)",
    );
    const folder = tempBench({ "handoff.config.json/x": "" });
    await expect(loadConfig(folder, null)).rejects.toThrow(
      "the configuration cannot be read (not regular: folder)",
    );
    const linked = tempBench();
    symlinkSync(fixture("full.json"), path.join(linked, "handoff.config.json"));
    await expect(loadConfig(linked, null)).rejects.toThrow("the configuration cannot be read (outside root)");
  });

  /** What a hostile repository may ask for -> what is said about it. */
  const HOSTILE: readonly (readonly [config: object, message: string])[] = [
    [{ artifacts: { review: ["{1..1000000}"] } }, "/artifacts/review: "],
    [{ artifacts: { review: ["x.json", "{a,b}".repeat(18)] } }, "/artifacts/review: "],
    [{ artifacts: { feedback: ["a\u0000b"] } }, "/artifacts/feedback/0: expected at least one character"],
    [{ artifacts: { feedback: [""] } }, "/artifacts/feedback/0: expected at least one character"],
    [{ artifacts: { state: Array(101).fill("*") } }, "/artifacts/state: Too big"],
    [{ out: "o\u0000x" }, "/out: expected at least one character, and no control characters"],
    [{ out: "o\u001b[31m" }, "/out: expected at least one character, and no control characters"],
    [{ out: "o\ud800" }, "/out: expected at least one character, and no control characters"],
    [{ templates: { handoff: "t\u0000" } }, "/templates/handoff: expected at least one character"],
    [{ templates: { brief: "t\n" } }, "/templates/brief: expected at least one character"],
    [{ out: ".git" }, '/out: ".git" lies inside git\'s own folder'],
    [{ out: ".git/refs" }, '/out: ".git/refs" lies inside git\'s own folder'],
    [{ out: "a/../.GIT/x" }, "/out: "],
    [{ out: "sub\\.git. \\x" }, "/out: "],
    [{ redaction: { patterns: { a: "(" } } }, '/redaction/patterns/a: "(" is not a regular expression'],
    [{ redaction: { allow: ["ok", "["] } }, '/redaction/allow/1: "[" is not a regular expression'],
  ];
  test.each(HOSTILE)("P42 P41 %j is refused by its key", async (config, message) => {
    const root = tempBench({ "handoff.config.json": config });
    await expect(loadConfig(root, null)).rejects.toMatchObject({
      name: "UsageError",
      exitCode: 2,
      code: "config.invalid",
      message: expect.stringContaining(message),
      place: { path: "handoff.config.json" },
    });
  });

  test("P42 names that only look like git's, and expressions of either flavour, are fine", async () => {
    const config = {
      out: "outputs/.github/git/.gitignored",
      redaction: { patterns: { a: String.raw`\p{L}+`, b: String.raw`\-x{` }, allow: ["[a-z]"] },
      artifacts: { review: ["reviews/{a,b}/*.json", "out/<task_id>/**/{1..9}.json"] },
    };
    expect(await loadConfig(tempBench({ "handoff.config.json": config }), null)).toEqual(config);
  });
});
