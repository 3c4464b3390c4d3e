// P4 fails closed: whatever stands among the findings of a report that says it passed is kept, counted by its severity, and
// what nobody can read makes the report fail. One table for the whole kind.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { VerificationReport } from "../../model/artifacts.js";
import { buildVerification } from "./build-verification.js";
import { FieldNotes } from "./field-notes.js";
import { MAX_ITEMS } from "./fields.js";

function build(findings: unknown): { report: VerificationReport; said: string[] } {
  const notes = new FieldNotes("verification", "v.json");
  const report = buildVerification({ task_id: "T-1", passed: true, findings }, notes);
  if (report === null) throw new Error("not recognized");
  const said = notes.diagnostics().map(({ code, args }) => `${code} ${args["pointer"] ?? args["detail"]}`);
  return { report, said };
}

const BLOCKS = "artifact.contradictory passed with a blocking finding at /findings/0";
const WORDLESS = "artifact.field_invalid /findings/0";
const unreadable = (pointer: string): string =>
  `artifact.contradictory passed with something unreadable at ${pointer}`;
const NO_SEVERITY = "artifact.field_invalid /findings/0/severity";

describe("P4 one entry among the findings of a report that says it passed", () => {
  test.each<[string, unknown, "passes" | "fails", string, string[]]>([
    [
      "a blocking severity alone",
      { severity: "block" },
      "fails",
      "block a finding without words",
      [WORDLESS, BLOCKS],
    ],
    [
      "another tool's word for it",
      { level: "CRITICAL" },
      "fails",
      "block a finding without words",
      [WORDLESS, BLOCKS],
    ],
    ["blocking, with a code", { severity: "block", code: "x" }, "fails", "block x", [BLOCKS]],
    [
      "blocking, its words unreadable",
      { severity: "high", detail: { a: 1 } },
      "fails",
      "block a finding without words",
      ["artifact.field_invalid /findings/0/detail", WORDLESS, BLOCKS],
    ],
    [
      "null before the level that blocks",
      { severity: null, level: "block", code: "x" },
      "fails",
      "block x",
      [BLOCKS],
    ],
    [
      "blank before the level that blocks",
      { severity: " ", level: "block", code: "x" },
      "fails",
      "block x",
      [BLOCKS],
    ],
    [
      "unreadable before the level that blocks",
      { severity: {}, level: "block", code: "x" },
      "fails",
      "block x",
      [NO_SEVERITY, BLOCKS],
    ],
    [
      "a severity in a list",
      { severity: ["block"], code: "x" },
      "fails",
      "warn x",
      [NO_SEVERITY, unreadable("/findings/0")],
    ],
    [
      "a severity in an object",
      { severity: { name: "block" }, code: "x" },
      "fails",
      "warn x",
      [NO_SEVERITY, unreadable("/findings/0")],
    ],
    [
      "a severity that is true",
      { severity: true, code: "x" },
      "fails",
      "warn x",
      [NO_SEVERITY, unreadable("/findings/0")],
    ],
    ["null", null, "fails", "warn a finding without words", [WORDLESS, unreadable("/findings/0")]],
    ["a number", 5, "fails", "warn a finding without words", [WORDLESS, unreadable("/findings/0")]],
    ["false", false, "fails", "warn a finding without words", [WORDLESS, unreadable("/findings/0")]],
    [
      "a nested list",
      [{ severity: "block", detail: "y" }],
      "fails",
      "warn a finding without words",
      [WORDLESS, unreadable("/findings/0")],
    ],
    [
      "an empty nested list",
      [],
      "fails",
      "warn a finding without words",
      [WORDLESS, unreadable("/findings/0")],
    ],
    ["an empty object", {}, "passes", "warn a finding without words", [WORDLESS]],
    ["an empty text", "", "passes", "warn a finding without words", [WORDLESS]],
    ["a text", "coverage fell", "passes", "warn coverage fell", []],
    ["a warning alone", { severity: "warn" }, "passes", "warn a finding without words", [WORDLESS]],
    ["a word nobody knows (P26)", { severity: "odd", code: "x" }, "passes", "warn x", []],
    ["a number for a severity (P26)", { severity: 3, code: "x" }, "passes", "warn x", []],
  ])("%s", (_, entry, outcome, listed, said) => {
    const one = build([entry]);
    expect(one.report.passed).toBe(outcome === "passes");
    expect(one.report.findings.map(({ severity, detail }) => `${severity} ${detail}`)).toEqual([listed]);
    expect(one.said).toEqual(said);
    // Among readable ones too, and wherever it stands.
    const among = build([{ code: "a", severity: "info" }, entry, "b"]);
    expect(among.report.passed).toBe(outcome === "passes");
    expect(among.report.findings).toHaveLength(3);
  });
});

describe("P4 findings that are no list of entries", () => {
  test.each<[string, unknown, boolean, string[]]>([
    ["none", undefined, true, []],
    ["null", null, true, []],
    ["an empty list", [], true, []],
    ["an empty text", "", false, [unreadable("/findings")]],
    ["a text", "coverage fell", false, [unreadable("/findings")]],
    ["an empty object", {}, false, ["artifact.field_invalid /findings", unreadable("/findings")]],
    [
      "one finding without its list",
      { severity: "block" },
      false,
      ["artifact.field_invalid /findings", unreadable("/findings")],
    ],
    [
      "a map",
      { a: { severity: "block" } },
      false,
      ["artifact.field_invalid /findings", unreadable("/findings")],
    ],
    ["a number", 3, false, ["artifact.field_invalid /findings", unreadable("/findings")]],
    ["true", true, false, ["artifact.field_invalid /findings", unreadable("/findings")]],
  ])("%s", (_, findings, passed, said) => {
    const { report, said: told } = build(findings);
    expect([report.passed, told]).toEqual([passed, said]);
  });

  test("what follows the longest list that is read may block", () => {
    const many = Array.from({ length: MAX_ITEMS }, () => ({ code: "x", severity: "info" }));
    expect(build(many).report.passed).toBe(true);
    const { report, said } = build([...many, { code: "y", severity: "block" }]);
    expect(report.passed).toBe(false);
    expect(said).toEqual([
      `artifact.field_invalid /findings/${MAX_ITEMS}`,
      unreadable(`/findings/${MAX_ITEMS}`),
    ]);
  });

  test("no entry is lost, and a blocking one never passes, whatever stands around it", () => {
    const blocking = fc.record(
      {
        severity: fc.constantFrom("block", "Blocker", "critical", "HIGH", "error", "fatal"),
        detail: fc.jsonValue(),
      },
      { requiredKeys: ["severity"] },
    );
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), blocking, fc.array(fc.jsonValue()), (before, found, after) => {
        const { report } = build([...before, found, ...after]);
        expect(report.passed).toBe(false);
        expect(report.findings).toHaveLength(before.length + 1 + after.length);
        expect(report.findings[before.length]?.severity).toBe("block");
      }),
    );
  });

  test("a severity named like something every object has is a word nobody knows (P26)", () => {
    for (const severity of ["constructor", "__proto__", "toString"]) {
      const [only] = build([{ code: "x", severity }]).report.findings;
      expect([only?.severity, only?.original_severity]).toEqual(["warn", severity]);
    }
  });
});
