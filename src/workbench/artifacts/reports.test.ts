// Every shape of verification, review, scope and rule reports and of the small files, one fixture each.
import { describe, expect, test } from "vitest";
import { FIXTURE_BENCH, placedAt, short, variantsOf } from "../../../fixtures/artifacts/load-fixture.js";
import type {
  Finding,
  ReviewReport,
  RuleReport,
  ScopeContract,
  ScopeReport,
  VerificationReport,
} from "../../model/artifacts.js";
import type { LoadedAt } from "./load-artifact.js";
import {
  loadLastKnownGood,
  loadOverrides,
  loadReview,
  loadRuleReport,
  loadScopeContract,
  loadScopeReport,
  loadSessionRecord,
  loadVerification,
} from "./load-artifacts.js";
import type { Places } from "./places.js";

type Table<T> = Readonly<Record<string, readonly [Partial<T> | "missing" | "invalid", ...string[]]>>;
type Loader<T> = (bench: typeof FIXTURE_BENCH, places: Places) => Promise<LoadedAt<T>>;

/** One test a row: what is expected of the value (fields not named keep their defaults), and all diagnostics. */
function checkTable<T extends object>(
  rule: string,
  artifact: keyof Places,
  load: Loader<T>,
  defaults: T,
  table: Table<T>,
): void {
  describe(`${rule} ${artifact}`, () => {
    test("every fixture is in the table", () => {
      expect(Object.keys(table).sort()).toEqual(variantsOf(artifact));
    });
    test.each(Object.entries(table))(`${rule} %s`, async (variant, [expected, ...diagnostics]) => {
      const file = `${artifact}/${variant}`;
      const { loaded } = await load(FIXTURE_BENCH, placedAt(artifact, file));
      expect(loaded.diagnostics.map(short).map((line) => line.replace(file, "FILE"))).toEqual(diagnostics);
      const outcome: unknown = loaded.status === "present" ? loaded.value : loaded.status;
      expect(outcome).toEqual(typeof expected === "string" ? expected : { ...defaults, ...expected });
    });
  });
}

const finding = (
  pointer: string,
  code: string,
  severity: Finding["severity"],
  detail: string,
  original_severity: string | null = null,
): Finding => ({ pointer, code, severity, detail, original_severity });
const field = (pointer: string, expected: string): string =>
  `warn artifact.field_invalid FILE ${pointer} ${expected}`;
const foreign = (what: string): string => `error artifact.unrecognized FILE ${what}`;
const MISSING_VERIFICATION = "info artifact.missing FILE";

const WORDED: Partial<VerificationReport> = { task_id: null, report_path: "reports/raw.txt" };
checkTable<VerificationReport>(
  "P4",
  "verification",
  loadVerification,
  { task_id: "T-001", passed: false, findings: [], head_commit: null, report_path: null, stamped_at: null },
  {
    "passed.json": [{ passed: true, head_commit: "a1b2c3d" }],
    "failed.json": [
      {
        findings: [
          finding("/findings/0", "scope.forbidden", "block", "forbidden writes: scripts/release.sh"),
        ],
      },
    ],
    "status-pass.json": [{ ...WORDED, passed: true }],
    "status-passed-upper.json": [{ ...WORDED, passed: true }],
    "status-fail.json": [WORDED],
    "status-failed.json": [WORDED],
    "contradictory-status.json": [{}, "warn artifact.contradictory FILE passed is true beside status fail"],
    "contradictory-reverse.json": [{}, "warn artifact.contradictory FILE passed is false beside status pass"],
    "contradictory-blocking.json": [
      { findings: [finding("/findings/0", "x", "block", "y", "critical")] },
      "warn artifact.contradictory FILE passed with a blocking finding at /findings/0",
    ],
    "passed-as-text.json": [{ passed: true }],
    "passed-null-beside-status.json": [{ passed: true }],
    "findings-as-texts.json": [
      {
        findings: [
          finding("/findings/0", "finding", "warn", "coverage fell"),
          finding("/findings/1", "finding", "warn", "lint failed"),
        ],
      },
    ],
    "finding-without-severity.json": [{ findings: [finding("/findings/0", "x", "warn", "y")] }],
    "finding-severities.json": [
      {
        findings: [
          finding("/findings/0", "a", "block", "1", "Error"),
          finding("/findings/1", "b", "warn", "2", "warning"),
          finding("/findings/2", "c", "info", "3", "low"),
          finding("/findings/3", "d", "warn", "4", "weird"),
        ],
      },
    ],
    "finding-code-only.json": [
      { passed: true, findings: [finding("/findings/0", "coverage.minor", "warn", "coverage.minor")] },
    ],
    "no-task-id.json": [{ task_id: null, passed: true }],
    "other-task.json": ["missing", "warn artifact.other_task FILE T-002", MISSING_VERIFICATION],
    "broken-passed.json": [{}, field("/passed", "true or false")],
    "broken-passed-beside-status.json": [{}, field("/passed", "true or false")],
    "broken-passed-missing.json": [{}, field("/passed", "a verdict; counted as failed")],
    "broken-status-word.json": [{}, field("/status", "a verdict; counted as failed")],
    "broken-finding.json": [
      {
        findings: [
          finding("/findings/0", "ok", "info", "kept"),
          finding("/findings/1", "finding", "warn", "a finding without words"),
          finding("/findings/2", "finding", "warn", "a finding without words"),
        ],
      },
      field("/findings/1", "a finding with code and detail"),
      field("/findings/2", "a finding with code and detail"),
      "warn artifact.contradictory FILE passed with something unreadable at /findings/1",
    ],
    "broken-findings.json": [
      {},
      field("/findings", "a list"),
      "warn artifact.contradictory FILE passed with something unreadable at /findings",
    ],
    "broken-head-commit.json": [
      { passed: true },
      field("/head_commit", "a commit hash (4 to 64 hex digits)"),
    ],
    "foreign-coverage.json": ["invalid", foreign("verification report")],
    "foreign-status-word.json": ["invalid", foreign("verification report")],
    "truncated.json": ["invalid", "error artifact.not_json FILE:1 it ends too early"],
  },
);

const DIMENSIONS: ReviewReport["dimensions"] = [
  { name: "scope_discipline", score: 2, note: "clean", pointer: "/dimensions/0" },
  { name: "assumptions", score: 0, note: null, pointer: "/dimensions/1" },
];
const NO_TOTAL = field("/total", "a number from 0 to 10");
const NO_VERDICT = field("/verdict", "pass, soft_fail or hard_fail");
const NO_SCORE = "an assumption and a score from 0 to 2";
checkTable<ReviewReport>(
  "P5",
  "review",
  loadReview,
  {
    task_id: "T-001",
    total: 5,
    verdict: "pass",
    dimensions: DIMENSIONS,
    findings: [],
    assumption_scores: [],
    head_commit: null,
    stamped_at: null,
  },
  {
    "full.json": [
      {
        total: 9,
        findings: [finding("/findings/0", "r.1", "warn", "naming")],
        assumption_scores: [{ assumption: "clocks agree", score: 2 }],
        head_commit: "a1b2c3d",
      },
    ],
    "total-numeric-text.json": [{ total: 7 }],
    "total-out-of-ten.json": [{ total: 3.5 }],
    "total-spaced.json": [{ total: 8 }],
    "total-zero.json": [{ total: 0 }],
    "total-null.json": [{ total: null }],
    "total-missing.json": [{ total: null }],
    "total-words.json": [{ total: null }, NO_TOTAL],
    "total-percent.json": [{ total: null }, NO_TOTAL],
    "total-negative.json": [{ total: null }, NO_TOTAL],
    "total-other-scale.json": [{ total: null }, NO_TOTAL],
    "total-object.json": [{ total: null }, NO_TOTAL],
    "total-infinite.json": [{ total: null, dimensions: [] }, NO_TOTAL],
    "verdict-upper.json": [{ verdict: "hard_fail" }],
    "verdict-hyphen.json": [{ verdict: "soft_fail" }],
    "verdict-space.json": [{ verdict: "hard_fail" }],
    "verdict-unknown.json": [{ verdict: null }, NO_VERDICT],
    "verdict-number.json": [{ verdict: null }, NO_VERDICT],
    "dimensions-object.json": [
      {
        verdict: "soft_fail",
        dimensions: [
          { name: "problem_fit", score: 1, note: null, pointer: "/dimensions/problem_fit" },
          { name: "scope", score: 0, note: "two files", pointer: "/dimensions/scope" },
        ],
        assumption_scores: [{ assumption: "clocks agree", score: 1 }],
      },
    ],
    "broken-dimension-score.json": [
      {
        dimensions: [
          { name: "a", score: null, note: null, pointer: "/dimensions/0" },
          { name: "b", score: null, note: null, pointer: "/dimensions/1" },
        ],
      },
      field("/dimensions/0/score", "a score from 0 to 2"),
      field("/dimensions/1/score", "a score from 0 to 2"),
      field("/dimensions/2", "a dimension with name and score"),
      field("/dimensions/3", "a dimension with name and score"),
    ],
    "broken-dimensions.json": [{ dimensions: [] }, field("/dimensions", "a list")],
    "broken-assumption-scores.json": [
      { dimensions: [] },
      field("/assumption_scores/0", NO_SCORE),
      field("/assumption_scores/1", NO_SCORE),
      field("/assumption_scores/2", NO_SCORE),
    ],
    "other-task.json": ["missing", "warn artifact.other_task FILE T-002", MISSING_VERIFICATION],
    "foreign-invoice.json": ["invalid", foreign("review report")],
    "foreign-dimensions.json": ["invalid", foreign("review report")],
  },
);

checkTable<ScopeContract>(
  "P6",
  "scope_contract",
  loadScopeContract,
  {
    task_id: "T-001",
    goal: null,
    allowed_files: ["app.py"],
    forbidden_files: [],
    acceptance: [],
    stamped_at: null,
  },
  {
    "full.json": [
      {
        goal: "validate",
        allowed_files: ["app.py", "tests/**"],
        forbidden_files: ["scripts/**"],
        acceptance: [{ text: "pytest -q", pointer: "/acceptance_criteria/0" }],
      },
    ],
    "acceptance-objects.json": [{ acceptance: [{ text: "pytest -q", pointer: "/acceptance/0" }] }],
    "string-for-list.json": [{ forbidden_files: ["scripts/**"] }],
    "broken-allowed.json": [{ goal: "x", allowed_files: [] }, field("/allowed_files", "a list")],
    "other-task.json": ["missing", "warn artifact.other_task FILE T-002"],
    "foreign-oauth.json": ["invalid", foreign("scope contract")],
  },
);

checkTable<ScopeReport>(
  "P6",
  "scope_report",
  loadScopeReport,
  {
    task_id: "T-001",
    passed: null,
    off_scope: [],
    forbidden: [],
    soft_off_scope: [],
    findings: [],
    stamped_at: null,
  },
  {
    "in-and-off-scope.json": [
      {
        passed: false,
        off_scope: [{ text: "README.md", pointer: "/off_scope/0" }],
        soft_off_scope: [{ text: "docs/a.md", pointer: "/soft_off_scope/0" }],
      },
    ],
    "writes.json": [
      {
        off_scope: [{ text: "README.md", pointer: "/off_scope_writes/0" }],
        forbidden: [{ text: "scripts/release.sh", pointer: "/forbidden_writes/0" }],
      },
    ],
    "objects.json": [
      {
        off_scope: [{ text: "README.md", pointer: "/off_scope/0" }],
        forbidden: [{ text: "scripts/release.sh", pointer: "/forbidden_writes/0" }],
      },
    ],
    "with-findings.json": [
      { passed: false, findings: [finding("/findings/0", "scope.forbidden", "block", "scripts/release.sh")] },
    ],
    "broken-passed.json": [{}, field("/passed", "true or false")],
    "broken-item.json": [
      { off_scope: [{ text: "a", pointer: "/off_scope/0" }] },
      field("/off_scope/1", "a text"),
    ],
    "foreign.json": ["invalid", foreign("scope report")],
  },
);

const IGNORED = "info artifact.unrecognized FILE rule report";
checkTable<RuleReport>(
  "P6",
  "rule_report",
  loadRuleReport,
  { failed: [], passed_count: 0, stamped_at: null },
  {
    "array.json": [
      {
        failed: [
          { text: "done/tests-pass", pointer: "/0" },
          { text: "approval/dep: fastapi", pointer: "/2" },
        ],
        passed_count: 1,
      },
    ],
    "rules-object.json": [{ failed: [{ text: "a", pointer: "/rules/0" }], stamped_at: 1_795_958_750_000 }],
    "map.json": [{ failed: [{ text: "c/d", pointer: "/c~1d" }], passed_count: 1 }],
    "map-of-objects.json": [{ failed: [{ text: "b", pointer: "/b" }], passed_count: 1 }],
    "empty.json": [{}],
    "broken-item.json": [
      { failed: [{ text: "a", pointer: "/0" }] },
      field("/1", "a rule with a name and passed"),
      field("/2", "a rule with a name and passed"),
    ],
    "neither-two-lists.json": ["missing", IGNORED],
    "neither-settings.json": ["missing", IGNORED],
    "neither-text.json": ["missing", IGNORED],
  },
);

checkTable(
  "P12",
  "last_known_good",
  loadLastKnownGood,
  { commit: "bdbbdf3", stamped_at: null },
  {
    "commit.json": [{ commit: "bdbbdf3c36c249253a108263c5d2ad815001c5fd", stamped_at: 1_795_958_750_512 }],
    "sha.json": [{ stamped_at: Date.parse("2026-11-29T12:00:00Z") }],
    "head-commit.json": [{}],
    "own-key.json": [{}],
    "broken-commit.json": [
      "invalid",
      field("/commit", "a commit hash (4 to 64 hex digits)"),
      foreign("last known good commit"),
    ],
    "foreign.json": ["invalid", foreign("last known good commit")],
  },
);

const override = (line: number, more: object = {}) => ({
  task_id: "T-002",
  finding_code: "scope.off_scope",
  reason: "approved",
  by: "reviewer",
  head_commit: "b2c3d4e",
  at: 1_795_958_751_116,
  line,
  ...more,
});
describe("P8 overrides", () => {
  const table: Readonly<Record<string, readonly [unknown, ...string[]]>> = {
    "one.jsonl": [[override(1)]],
    "aliases.jsonl": [
      [
        override(1, {
          task_id: null,
          finding_code: "x",
          reason: null,
          head_commit: null,
          at: Date.parse("2026-11-29T12:00:00Z"),
        }),
      ],
    ],
    "crlf-no-final-newline.jsonl": [[override(1), override(2)]],
    "blank-lines.jsonl": [[override(2), override(5)]],
    "empty.jsonl": [[]],
    "broken-line.jsonl": [
      [override(1), override(3)],
      "warn artifact.not_json overrides/broken-line.jsonl:2 it ends too early",
      "warn artifact.not_json overrides/broken-line.jsonl:4 not one object",
      "warn artifact.field_invalid overrides/broken-line.jsonl:5 /finding_code a text",
    ],
    "foreign.jsonl": [
      "invalid",
      "warn artifact.field_invalid overrides/foreign.jsonl:1 /finding_code a text",
      "warn artifact.field_invalid overrides/foreign.jsonl:2 /finding_code a text",
      "error artifact.unrecognized overrides/foreign.jsonl log of overrides",
    ],
  };
  test("every fixture is in the table", () => {
    expect(Object.keys(table).sort()).toEqual(variantsOf("overrides"));
  });
  test.each(Object.entries(table))("P8 %s", async (variant, [expected, ...diagnostics]) => {
    const { loaded } = await loadOverrides(FIXTURE_BENCH, placedAt("overrides", `overrides/${variant}`));
    expect(loaded.diagnostics.map(short)).toEqual(diagnostics);
    expect(loaded.status === "present" ? loaded.value : loaded.status).toEqual(expected);
  });
});

describe("P10 A8 session record", () => {
  const NOTHING = {
    base_commit: null,
    goal: null,
    agent: null,
    model: null,
    branch: null,
    started_at: null,
    ended_at: null,
    end_reason: null,
    last_message: null,
    stamped_at: null,
  };
  const cases = [
    [
      "full.json",
      {
        ...NOTHING,
        base_commit: "bdbbdf3c36c249253a108263c5d2ad815001c5fd",
        goal: "validate signup",
        agent: "claude-code",
        started_at: Date.parse("2026-11-29T12:00:00Z"),
        stamped_at: Date.parse("2026-11-29T12:00:00Z"),
      },
    ],
    [
      "ended.json",
      {
        ...NOTHING,
        agent: "codex",
        model: "gpt-5.5",
        branch: "feat/signup",
        started_at: Date.parse("2026-11-29T12:00:00Z"),
        ended_at: Date.parse("2026-11-29T13:30:00Z"),
        end_reason: "prompt_input_exit",
        last_message: { text: "The limiter counts now.\n\nShall I go on?", pointer: "/last_message" },
        // That it ended says nothing new of its work (A8).
        stamped_at: Date.parse("2026-11-29T12:00:00Z"),
      },
    ],
    ["broken-base.json", { ...NOTHING, goal: "x" }],
    ["foreign.json", "invalid"],
  ] as const;
  test("every fixture is in the table", () => {
    expect(cases.map(([variant]) => variant).sort()).toEqual(variantsOf("session_record"));
  });
  test.each(cases)("P10 %s", async (variant, expected) => {
    const { mkdtemp, mkdir, copyFile, rm } = await import("node:fs/promises");
    const os = await import("node:os");
    const root = await mkdtemp(`${os.tmpdir()}/handoff-record-`);
    try {
      await mkdir(`${root}/.handoff/sessions/s-1`, { recursive: true });
      await copyFile(
        `${FIXTURE_BENCH.root}/session_record/${variant}`,
        `${root}/.handoff/sessions/s-1/session.json`,
      );
      const { loaded } = await loadSessionRecord({ ...FIXTURE_BENCH, root });
      expect(loaded.status === "present" ? loaded.value : loaded.status).toEqual(expected);
    } finally {
      await rm(root, { recursive: true });
    }
  });
});
