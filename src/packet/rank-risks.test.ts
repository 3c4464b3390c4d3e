// Open risks (P26), the verdict pointer (P27, P29) and the last known good commit (P12).
import { describe, expect, it } from "vitest";
import {
  CLEAN_GIT,
  OTHER_SHA,
  present,
  record,
  review,
  scanOf,
  SHA,
  snapshotWith,
  verification,
} from "../../fixtures/support/snapshots.js";
import type { Loaded } from "../model/artifacts.js";
import type { OpenRisk } from "../model/packet.js";
import { mapSeverity } from "../model/map-severity.js";
import type { GitChange, WorkbenchSnapshot } from "../model/snapshot.js";
import { buildPacket } from "./build-packet.js";

type Row = [severity: string, code: string, detail: string];

function risks(parts: Partial<WorkbenchSnapshot>, state?: Parameters<typeof snapshotWith>[1]): Row[] {
  const good: Partial<WorkbenchSnapshot> = { verification: verification({}), review: review({}) };
  return buildPacket(snapshotWith({ ...good, ...parts }, state)).open_risks.map(
    ({ severity, code, detail }) => [severity, code, detail],
  );
}

const finding = (
  code: string,
  severity: OpenRisk["severity"],
  detail: string,
  original: string | null = null,
) => ({
  code,
  severity,
  original_severity: original,
  detail,
  pointer: "/findings/0",
});
const invalid = <T>(artifact: "verification" | "review"): Loaded<T> => ({
  status: "invalid",
  artifact,
  path: `outputs/${artifact}/T-001.json`,
  diagnostics: [],
});
const change = (path: string, kind: GitChange["change"], committed = false): GitChange => ({
  path,
  change: kind,
  renamed_from: null,
  insertions: 1,
  deletions: 0,
  committed,
  submodule: false,
});

describe("rankRisks P26", () => {
  it("has nothing to say of a clean workbench", () => expect(risks({})).toEqual([]));

  const cases: [string, Partial<WorkbenchSnapshot>, Row[]][] = [
    [
      "verification findings with their codes",
      {
        verification: verification({
          passed: false,
          findings: [finding("coverage", "warn", "84 %"), finding("scope.forbidden", "block", "a.sh")],
        }),
      },
      [
        ["block", "verification.finding", "a.sh (scope.forbidden)"],
        ["warn", "verification.finding", "84 % (coverage)"],
        [
          "warn",
          "next_action.ignores_verdict",
          "the recorded next action names none of the blocking findings",
        ],
      ],
    ],
    [
      "a failure without findings still blocks",
      { verification: verification({ passed: false }) },
      [["block", "verification.finding", "verification failed without saying why"]],
    ],
    [
      "invalid verification fails closed",
      { verification: invalid("verification") },
      [
        [
          "block",
          "verification.invalid",
          "the verification report cannot be used; nothing counts as verified",
        ],
      ],
    ],
    [
      "invalid review",
      { review: invalid("review") },
      [["warn", "review.invalid", "the review report cannot be used"]],
    ],
    [
      "review verdict, total and zero dimensions",
      {
        review: review({
          verdict: "hard_fail",
          total: 3.5,
          dimensions: [
            { name: "problem_fit", score: 0, note: "no hits", pointer: "/dimensions/0" },
            { name: "scope", score: 1, note: null, pointer: "/dimensions/1" },
          ],
        }),
      },
      [
        ["block", "review.verdict", "the review's verdict is hard_fail"],
        ["warn", "review.total", "review total 3.5 below 7"],
        ["warn", "review.dimension", "review scores problem_fit 0: no hits"],
      ],
    ],
    [
      "a soft fail warns",
      { review: review({ verdict: "soft_fail", total: 7 }) },
      [["warn", "review.verdict", "the review's verdict is soft_fail"]],
    ],
    [
      "an unknown total is no full mark",
      { review: review({ total: null }) },
      [["warn", "review.total", "the review's total is unknown"]],
    ],
    [
      "scope violations, findings and lists told once",
      {
        scope_report: present("scope_report", "outputs/scope/closed/T-001.json", {
          task_id: "T-001",
          passed: false,
          off_scope: [{ text: "lib/x.ts", pointer: "/off_scope/0" }],
          forbidden: [{ text: "scripts/release.sh", pointer: "/forbidden_writes/0" }],
          soft_off_scope: [{ text: "README.md", pointer: "/soft_off_scope/0" }],
          findings: [finding("scope.soft", "info", "docs off-scope: ['README.md']")],
          stamped_at: null,
        }),
      },
      [
        ["block", "scope.violation", "forbidden write: scripts/release.sh"],
        ["warn", "scope.violation", "write outside the scope: lib/x.ts"],
        ["info", "scope.violation", "docs off-scope: ['README.md'] (scope.soft)"],
      ],
    ],
    [
      "failed rules",
      {
        rule_report: present("rule_report", "rule_report.json", {
          failed: [{ text: "done/tests-pass", pointer: "/2" }],
          passed_count: 4,
          stamped_at: null,
        }),
      },
      [["warn", "verification.finding", "rule failed: done/tests-pass"]],
    ],
    [
      "unresolved failures, not resolved ones",
      {
        feedback: scanOf([
          record(1, "make", 2),
          record(2, "make", 0),
          record(3, "sleep 5", null, { error: "timeout" }),
        ]),
      },
      [["warn", "feedback.unresolved", "sleep 5 (no exit status): timeout"]],
    ],
    [
      "a dirty tree and an operation in conflict",
      {
        git: {
          ...CLEAN_GIT,
          dirty: true,
          operation: "merge",
          changes: [change("a", "conflicted"), change("b", "modified"), change("c", "added", true)],
        },
      },
      [
        ["block", "git.operation", "a merge is in progress, 1 path in conflict"],
        ["warn", "git.dirty", "2 paths are not committed"],
      ],
    ],
    [
      "gaps once per artifact and code",
      {
        diagnostics: [1, 2, 3].map((line) => ({
          code: "feedback.skipped_line" as const,
          severity: "warn" as const,
          artifact: "feedback" as const,
          source: { path: "feedback.jsonl", line },
          args: { reason: "not JSON" },
        })),
      },
      [["warn", "gap", "feedback: line 1: could not be read: not JSON (and 2 more)"]],
    ],
    [
      "an accepted finding stays visible as information",
      {
        task: { id: "T-002", from: "option" },
        verification: verification({
          passed: false,
          head_commit: "b2c3d4e",
          findings: [finding("scope.off", "block", "README.md")],
        }),
        git: { ...CLEAN_GIT, available: false, head: null },
        overrides: present("overrides", "overrides.jsonl", [
          {
            task_id: "T-002",
            finding_code: "scope.off",
            reason: "approved",
            by: "lead",
            head_commit: "b2c3d4e",
            at: null,
            line: 1,
          },
        ]),
      },
      [["info", "verification.finding", "README.md (scope.off), accepted by lead: approved"]],
    ],
    [
      "an override for another commit accepts nothing",
      {
        verification: verification({
          passed: false,
          head_commit: null,
          findings: [finding("scope.off", "block", "README.md")],
        }),
        overrides: present("overrides", "overrides.jsonl", [
          {
            task_id: null,
            finding_code: "scope.off",
            reason: null,
            by: null,
            head_commit: "b2c3d4e",
            at: null,
            line: 1,
          },
        ]),
      },
      [
        ["block", "verification.finding", "README.md (scope.off)"],
        [
          "warn",
          "next_action.ignores_verdict",
          "the recorded next action names none of the blocking findings",
        ],
      ],
    ],
  ];
  it.each(cases)("%s", (_name, parts, expected) => expect(risks(parts)).toEqual(expected));

  it("blockers block, recorded risks keep their severity", () => {
    const state = {
      next_action: { text: "go", pointer: "/next_action" },
      blockers: [{ text: "rate limit undecided", waits_for: "human", pointer: "/blockers/0" }],
      risks: [
        { severity: "info" as const, original_severity: "low", detail: "slow query", pointer: "/risks/0" },
      ],
    };
    expect(risks({}, state)).toEqual([
      ["block", "state.blocker", "rate limit undecided (waits for human)"],
      ["info", "state.risk", "slow query"],
    ]);
  });

  it("P15 shows ten unresolved failures and counts the rest", () => {
    const rows = risks({ feedback: scanOf(Array.from({ length: 14 }, (_, i) => record(i + 1, `t${i}`, 1))) });
    expect(rows).toHaveLength(11);
    expect(rows[0]).toEqual(["warn", "feedback.unresolved", "t13 (exit 1)"]);
    expect(rows.at(-1)).toEqual([
      "warn",
      "feedback.unresolved",
      "4 more unresolved failures, see failed_attempts",
    ]);
  });

  it.each([
    ["critical", "block", "critical"],
    ["HIGH", "block", "HIGH"],
    ["error", "block", "error"],
    ["blocker", "block", "blocker"],
    ["block", "block", null],
    ["medium", "warn", "medium"],
    ["low", "info", "low"],
    ["note", "info", "note"],
    ["sev-π", "warn", "sev-π"],
  ])("maps %s to %s and keeps the word", (word, severity, original) => {
    expect(mapSeverity(word)).toEqual({ severity, original });
  });
});

describe("verdict P27 P29", () => {
  const resolved = {
    [SHA.slice(0, 7)]: { sha: SHA, reachable_from_head: true, distance: 0 },
    [OTHER_SHA]: { sha: OTHER_SHA, reachable_from_head: true, distance: 3 },
    dead: null,
  };
  const git = { ...CLEAN_GIT, resolved };
  it.each([
    [SHA.slice(0, 7), false, false, SHA],
    [SHA.slice(0, 7), true, true, SHA],
    [OTHER_SHA, false, true, OTHER_SHA],
    ["dead", false, true, "dead"],
    [null, true, null, null],
  ])("commit %s, dirty %s -> stale %s", (head_commit, dirty, stale, shown) => {
    const packet = buildPacket(
      snapshotWith({ git: { ...git, dirty }, verification: verification({ head_commit }) }),
    );
    expect(packet.verdict_pointer.verification).toMatchObject({
      outcome: "passed",
      head_commit: shown,
      stale,
    });
    expect(packet.open_risks.some(({ code }) => code === "verification.stale")).toBe(stale === true);
  });

  it("P29 names the path of an invalid report, which exists, and none of a missing one", () => {
    const packet = buildPacket(snapshotWith({ verification: invalid("verification") }));
    expect(packet.verdict_pointer.verification).toMatchObject({
      path: "outputs/verification/T-001.json",
      outcome: "invalid",
    });
    expect(packet.verdict_pointer.review).toMatchObject({ path: null, outcome: "missing" });
  });

  it("a review without a verdict is not a pass", () => {
    const packet = buildPacket(snapshotWith({ review: review({ verdict: null }) }));
    expect(packet.verdict_pointer.review.outcome).toBe("invalid");
  });

  const good = (commit: string): WorkbenchSnapshot["last_known_good"] =>
    present("last_known_good", "last_known_good.json", { commit, stamped_at: null });
  it.each([
    ["the file", { last_known_good: good(OTHER_SHA) }, OTHER_SHA],
    [
      "a newer passing verification",
      { last_known_good: good(OTHER_SHA), verification: verification({ head_commit: SHA.slice(0, 7) }) },
      SHA,
    ],
    [
      "a failed verification proves nothing",
      { verification: verification({ passed: false, head_commit: SHA.slice(0, 7) }) },
      null,
    ],
    ["a commit that does not resolve", { last_known_good: good("dead") }, null],
    ["nothing on record", {}, null],
  ])("P12 last known good: %s", (_name, parts, expected) => {
    expect(buildPacket(snapshotWith({ git, ...parts })).last_known_good_commit).toBe(expected);
  });
  it("P12 a commit no longer reachable from HEAD is not good", () => {
    const unreachable = { [OTHER_SHA]: { sha: OTHER_SHA, reachable_from_head: false, distance: null } };
    const snapshot = snapshotWith({
      git: { ...CLEAN_GIT, resolved: unreachable },
      last_known_good: good(OTHER_SHA),
    });
    expect(buildPacket(snapshot).last_known_good_commit).toBeNull();
  });
});
