// The next action (P28) and whether it ignores the verdict (P26).
import { describe, expect, it } from "vitest";
import {
  CLEAN_GIT,
  EMPTY_SNAPSHOT,
  present,
  record,
  review,
  scanOf,
  snapshotWith,
  verification,
} from "../../fixtures/support/snapshots.js";
import type { TaskBoard } from "../model/artifacts.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { buildPacket } from "./build-packet.js";
import { isPlaceholder } from "./text-keeper.js";

const BLOCK = {
  code: "scope.forbidden",
  severity: "block" as const,
  original_severity: null,
  detail: "forbidden writes: ['scripts/release.sh']",
  pointer: "/findings/1",
};
const WARN = { ...BLOCK, code: "coverage.minor", severity: "warn" as const, pointer: "/findings/0" };

function board(
  status: string | null = "in_progress",
  acceptance = ["pytest -q", "docs mention it"],
): TaskBoard {
  return {
    tasks: [
      {
        id: "T-001",
        goal: "validate /signup payloads",
        owner: "builder",
        status,
        acceptance: acceptance.map((text, i) => ({ text, pointer: `/0/acceptance/${i}` })),
        pointer: "/0",
      },
    ],
    stamped_at: null,
  };
}

/** Every source of a next action at once; each case takes the strongest away. */
const EVERYTHING: Partial<WorkbenchSnapshot> = {
  task: { id: "T-001", from: "option" },
  verification: verification({ passed: false, findings: [WARN, BLOCK] }),
  feedback: scanOf([
    record(1, "make", 2),
    record(2, "pytest -x", 1, { error: "boom" }),
    record(3, "make", 0),
  ]),
  review: review({
    verdict: "hard_fail",
    total: 4,
    dimensions: [
      { name: "scope", score: 2, note: null, pointer: "/dimensions/0" },
      { name: "problem_fit", score: 0, note: "no hits", pointer: "/dimensions/1" },
    ],
  }),
  board: present("board", "task_board.json", board()),
  git: { ...CLEAN_GIT, operation: "rebase" },
};
const failedPlain = verification({ passed: false, findings: [WARN] });

describe("decideNextAction P28", () => {
  const cases: [string, WorkbenchSnapshot, string, string, object | null][] = [
    [
      "recorded",
      snapshotWith(EVERYTHING),
      "recorded",
      "open a pull request",
      { path: "agent_state.json", pointer: "/next_action" },
    ],
    [
      "finding",
      snapshotWith(EVERYTHING, {}),
      "finding",
      "Resolve the blocking finding scope.forbidden: forbidden writes: ['scripts/release.sh'], then verify again",
      { path: "outputs/verification/T-001.json", pointer: "/findings/1" },
    ],
    [
      "failure",
      snapshotWith({ ...EVERYTHING, verification: failedPlain }, {}),
      "failure",
      'Make "pytest -x" pass (exit 1): boom',
      { path: "feedback.jsonl", line: 2 },
    ],
    [
      "review",
      snapshotWith({ ...EVERYTHING, verification: failedPlain, feedback: EMPTY_SNAPSHOT.feedback }, {}),
      "review",
      "Answer the review, which failed hard with 4, weakest in problem_fit (0: no hits)",
      { path: "outputs/review/T-001.json", pointer: "/verdict" },
    ],
    [
      "acceptance: the first that no passing record ran",
      snapshotWith(
        {
          ...EVERYTHING,
          verification: failedPlain,
          review: review({}),
          feedback: scanOf([record(1, ["pytest", "-q"], 0)], ["pytest -q"]),
        },
        {},
      ),
      "acceptance",
      "Meet the acceptance criterion of T-001: docs mention it",
      { path: "task_board.json", pointer: "/0/acceptance/1" },
    ],
    [
      "operation, once verification passed",
      snapshotWith(
        {
          task: EVERYTHING.task!,
          board: EVERYTHING.board!,
          git: EVERYTHING.git!,
          verification: verification({}),
        },
        {},
      ),
      "operation",
      "Finish or abort the rebase that is in progress",
      { path: "git status" },
    ],
    [
      "goal",
      snapshotWith({ task: EVERYTHING.task!, board: EVERYTHING.board!, verification: verification({}) }, {}),
      "goal",
      "Wrap up T-001, which is verified: validate /signup payloads",
      { path: "task_board.json", pointer: "/0/goal" },
    ],
  ];
  it.each(cases)("%s", (_name, snapshot, rule, text, source) => {
    const packet = buildPacket(snapshot);
    expect(packet.next_action).toBe(text);
    expect(packet.next_action_source).toEqual({ derived: rule !== "recorded", rule, source });
  });

  it.each([
    [
      { code: "finding", detail: "m is broken." },
      "Resolve the blocking finding m is broken, then verify again",
    ],
    [{ code: "lint", detail: "lint" }, "Resolve the blocking finding lint, then verify again"],
    [{ code: "lint", detail: "" }, "Resolve the blocking finding lint, then verify again"],
    [
      { code: "x.y", detail: "ends with dots..." },
      "Resolve the blocking finding x.y: ends with dots, then verify again",
    ],
  ])("%j reads well", (parts, text) => {
    const findings = [{ ...BLOCK, ...parts }];
    expect(
      buildPacket(snapshotWith({ verification: verification({ passed: false, findings }) }, {})).next_action,
    ).toBe(text);
  });

  it("a verification that failed without a word is the first thing to look at", () => {
    const packet = buildPacket(
      snapshotWith({ ...EVERYTHING, verification: verification({ passed: false }) }, {}),
    );
    expect(packet.next_action).toMatch(/^Verify again and record why/u);
    expect(packet.next_action_source).toEqual({
      derived: true,
      rule: "finding",
      source: { path: "outputs/verification/T-001.json" },
    });
  });

  it("an unverified goal is worked towards", () => {
    const packet = buildPacket(
      snapshotWith({ task: EVERYTHING.task!, board: present("board", "b.json", board("todo", [])) }, {}),
    );
    expect(packet.next_action).toBe("Work towards the goal of T-001: validate /signup payloads");
  });

  it("a closed task has no goal left to work towards", () => {
    const snapshot = snapshotWith(
      { task: EVERYTHING.task!, board: present("board", "b.json", board("done")) },
      {},
    );
    expect(() => buildPacket(snapshot)).toThrow(/what comes next/u);
  });

  it.each([
    "",
    "  \n",
    "TBD",
    "tbd.",
    "N/A",
    "n/a",
    "none",
    "None.",
    "todo",
    "TODO:",
    "—",
    "...",
    "???",
    "null",
    "`TBD`",
    "\u200b\u200b",
    "\ufeff TBD",
    "T.B.D.",
    "n.a.",
    "to-do",
    "待定",
    "keine",
    "ninguno",
    "- none",
  ])("%j counts as absent", (text) => expect(isPlaceholder(text)).toBe(true));
  it.each([
    "run pytest",
    "none of the tests pass: fix auth.ts",
    "打开拉取请求",
    "fix TODO in a.ts",
    "x",
    "42",
    "تشغيل الاختبارات",
  ])("%j says something", (text) => expect(isPlaceholder(text)).toBe(false));
});

describe("next_action.ignores_verdict P26", () => {
  const withAction = (text: string, findings = [WARN, BLOCK]): string[] => {
    const parts = { task: EVERYTHING.task!, verification: verification({ passed: false, findings }) };
    const packet = buildPacket(snapshotWith(parts, { next_action: { text, pointer: "/next_action" } }));
    return packet.open_risks.map(({ code }) => code);
  };
  it.each([
    ["open a pull request", true],
    ["resolve scope.forbidden first", false],
    ["revert scripts/release.sh and verify", false],
    ["look at coverage.minor", true],
    ["improve the splinter_scope.forbidden_case", true],
  ])("%j -> %s", (text, ignores) => {
    expect(withAction(text).includes("next_action.ignores_verdict")).toBe(ignores);
  });
  it.each([
    ["lint", "`npm test` exits 1", "make npm test pass", false],
    ["x", "pytest exits 1", "run pytest", false],
    ["T1", "something is off", "resolve T1 now", false],
    ["lint", "style", "improve the splinter code", true],
    ["x", "テスト test_app.py が失敗", "test_app.py を直す", false],
    ["x", "git is dirty", "git push", true],
  ])("code %s, detail %j, action %j -> %s", (code, detail, action, ignores) => {
    expect(withAction(action, [{ ...BLOCK, code, detail }]).includes("next_action.ignores_verdict")).toBe(
      ignores,
    );
  });
  it("says nothing when no finding blocks", () => {
    expect(withAction("open a pull request", [WARN])).not.toContain("next_action.ignores_verdict");
  });
});
