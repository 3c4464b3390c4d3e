// P4, P27: whatever a verification report hides or spoils, it never comes out as passed. Every spoilt form of every field
// that counts, beside every way to claim a pass, through the real loaders and the whole packet.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tempBench } from "../../../fixtures/artifacts/temp-bench.js";
import { generateHandoff } from "../../generate/generate-handoff.js";
import { loadSnapshot } from "../load-snapshot.js";

const STATE = { active_task_id: "T-1", session_id: "s-1", next_action: "go on" };
const CLAIMS: readonly Readonly<Record<string, unknown>>[] = [
  { passed: true },
  { passed: "passed" },
  { status: "pass" },
  { passed: true, status: "ok" },
];

async function verdictOf(report: unknown) {
  const root = tempBench({ "agent_state.json": STATE, "outputs/verification/T-1.json": report });
  const snapshot = await loadSnapshot(root, { env: {} });
  const { packet } = generateHandoff(snapshot);
  const said = snapshot.diagnostics.filter(({ artifact }) => artifact === "verification");
  return { outcome: packet.verdict_pointer.verification.outcome, codes: said.map(({ code }) => code) };
}

/** Forms in which a field says something nobody can read. */
const UNREADABLE: Readonly<Record<string, readonly unknown[]>> = {
  findings: [{ severity: "block", detail: "x" }, { a: [{ severity: "block" }] }, true, false, 0, 1, "text"],
  status: [
    "pending",
    "skipped",
    "unknown",
    "passed?",
    "",
    ["fail"],
    ["pass"],
    [],
    { x: "fail" },
    {},
    0,
    1,
    200,
  ],
  passed: ["maybe", "", ["true"], [], { value: true }, {}, 0, 1],
  task_id: [["T-2"], ["T-1"], [], { name: "T-2" }, {}, { id: ["T-2"] }, true, false, 1.5],
};

describe("P4 P27 a report that cannot be read whole has not passed", () => {
  const rows = Object.entries(UNREADABLE).flatMap(([key, values]) =>
    CLAIMS.filter((claim) => Object.keys(claim).some((name) => name !== key)).flatMap((claim) =>
      values.map((value) => ({ task_id: "T-1", findings: [], ...claim, [key]: value })),
    ),
  );
  test.each(rows.map((report) => [JSON.stringify(report), report] as const))("%s", async (_, report) => {
    const { outcome, codes } = await verdictOf(report);
    expect(outcome).toBe("failed");
    expect(codes.some((code) => code === "artifact.contradictory" || code === "artifact.field_invalid")).toBe(
      true,
    );
  });

  test.each([
    ["a blocking finding", { findings: [{ severity: "block", detail: "x" }] }],
    ["a finding that is no finding", { findings: [7] }],
    ["a severity in a list", { findings: [{ severity: ["block"], detail: "x" }] }],
    ["the other verdict", { status: "fail" }],
  ])("%s", async (_name, more) => {
    const { outcome, codes } = await verdictOf({ task_id: "T-1", passed: true, findings: [], ...more });
    expect(outcome).toBe("failed");
    expect(codes).toContain("artifact.contradictory");
  });

  const HARMLESS = [
    {},
    { findings: [] },
    { findings: null, task_id: null },
    { task_id: "T-1" },
    { task_id: "" },
  ];
  test.each([
    ...CLAIMS.flatMap((claim) => HARMLESS.map((more) => ({ ...claim, ...more }))),
    { passed: true, status: null },
  ])("P27 what is absent or null spoils nothing: %j", async (report) => {
    expect((await verdictOf(report)).outcome).toBe("passed");
  });

  test("P27 another task's report is none of this task", async () => {
    expect(await verdictOf({ task_id: "T-2", passed: true })).toMatchObject({ outcome: "missing" });
    expect(await verdictOf({ task_id: { id: "T-2" }, passed: true })).toMatchObject({ outcome: "missing" });
  });

  test("P4 no JSON in any field that counts makes a denial a pass", async () => {
    const key = fc.constantFrom("passed", "status", "findings", "task_id");
    await fc.assert(
      fc.asyncProperty(key, fc.jsonValue({ maxDepth: 2 }), async (spoilt, value) => {
        const root = { task_id: "T-1", passed: true, status: "fail", findings: [], [spoilt]: value };
        // Only a status that is gone, or says pass itself, leaves the claim alone.
        const mended =
          spoilt === "status" &&
          (value === null ||
            /^"?\s*(?:pass|passed|passing|ok|success|true)\s*"?$/iu.test(JSON.stringify(value)));
        fc.pre(!mended);
        expect((await verdictOf(root)).outcome).not.toBe("passed");
      }),
      { numRuns: 60 },
    );
  });
});

describe("P27 a review for nobody knows which task is no pass", () => {
  test.each([[["T-2"]], [{ name: "T-2" }], [true], [1.5]])("task_id %j", async (task_id) => {
    const report = { task_id, total: 10, verdict: "pass", dimensions: [] };
    const root = tempBench({ "agent_state.json": STATE, "outputs/review/T-1.json": report });
    const { packet } = generateHandoff(await loadSnapshot(root, { env: {} }));
    expect(packet.verdict_pointer.review.outcome).toBe("invalid");
  });
});
