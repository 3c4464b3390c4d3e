// Every shape of agent_state.json and task_board.json we know, one fixture each.
import { describe, expect, test } from "vitest";
import { FIXTURE_BENCH, placedAt, short, variantsOf } from "../../../fixtures/artifacts/load-fixture.js";
import type { AgentState, TaskBoard } from "../../model/artifacts.js";
import { loadBoard, loadState } from "./load-artifacts.js";

/** Any session's. */
const ANY = { ...FIXTURE_BENCH, ids: { ...FIXTURE_BENCH.ids, session_id: null } };
const state = async (variant: string) => (await loadState(ANY, placedAt("state", `state/${variant}`))).loaded;
const board = async (variant: string) =>
  (await loadBoard(FIXTURE_BENCH, placedAt("board", `board/${variant}`))).loaded;

const EMPTY: AgentState = {
  active_task_id: null,
  session_id: null,
  touched_files: [],
  assumptions: [],
  blockers: [],
  next_action: null,
  summary: null,
  doing: null,
  decisions: [],
  dead_ends: [],
  questions: [],
  risks: [],
  scene: [],
  resolved: [],
  stamped_at: null,
};
const GO_ON = { text: "go on", pointer: "/next_action" };
const PLAIN: AgentState = { ...EMPTY, active_task_id: "T-001", next_action: GO_ON };
const at = (pointer: string, text: string) => ({ pointer, text });
const blocker = (pointer: string, text: string, waits_for: string | null = null) => ({
  pointer,
  text,
  waits_for,
});
const why = (pointer: string, what: string, reason: string | null) => ({ pointer, what, why: reason });
const risk = (
  n: number,
  severity: "block" | "warn" | "info",
  original_severity: string | null,
  detail: string,
) => ({
  pointer: `/risks/${n}`,
  severity,
  original_severity,
  detail,
});

/** Variant -> the whole normalised state, and the diagnostics. */
const STATES: Readonly<Record<string, readonly [AgentState, ...string[]]>> = {
  "full.json": [
    {
      active_task_id: "T-001",
      session_id: "s-2041",
      touched_files: ["app/signup.py", "README.md"],
      assumptions: [at("/assumptions/0", "passwords are at least 12 characters")],
      blockers: [blocker("/blockers/0", "awaiting a decision on the rate limit")],
      next_action: at("/next_action", "open a pull request"),
      summary: at("/summary", "Signup validates payloads."),
      doing: at("/doing", "writing the last test"),
      decisions: [why("/decisions/0", "validate in the handler", "the model is shared")],
      dead_ends: [why("/dead_ends/0", "a regex for e-mail", "rejects quoted local parts")],
      questions: [at("/questions/0", "may we log addresses?")],
      risks: [risk(0, "block", "high", "no rate limit yet")],
      scene: ["src/signup.ts"],
      resolved: ["9c1e04aa"],
      stamped_at: Date.parse("2026-11-29T12:05:52.712Z"),
    },
  ],
  "no-schema-version.json": [{ ...EMPTY, next_action: at("/next_action", "pick the next task") }],
  "schema-version-and-decisions.json": [{ ...EMPTY, decisions: [why("/decisions/0", "keep SQLite", null)] }],
  "active-task-alias.json": [{ ...PLAIN, active_task_id: "T-002" }],
  "task-id-alias.json": [{ ...PLAIN, active_task_id: "T-003", session_id: "s-1" }],
  "active-task-object.json": [{ ...PLAIN, active_task_id: "T-004" }],
  "numeric-task-id.json": [{ ...PLAIN, active_task_id: "12" }],
  "objects-as-texts.json": [
    {
      ...EMPTY,
      next_action: GO_ON,
      assumptions: [
        at("/assumptions/0", "the cache is warm"),
        at("/assumptions/1", "one region only"),
        at("/assumptions/2", "clocks agree"),
      ],
      blockers: [blocker("/blockers/0", "needs a key", "human"), blocker("/blockers/1", "flaky runner")],
      questions: [at("/questions/0", "which region?")],
    },
  ],
  "next-action-objective.json": [
    { ...EMPTY, next_action: at("/next_action/objective", "write the migration") },
  ],
  "next-action-action.json": [{ ...EMPTY, next_action: at("/next_action/action", "run the tests") }],
  "next-action-text.json": [{ ...EMPTY, next_action: at("/next_action/text", "ask for a review") }],
  "decision-variants.json": [
    {
      ...EMPTY,
      next_action: GO_ON,
      decisions: [
        why("/decisions/0", "keep SQLite", null),
        why("/decisions/1", "one table", "simpler"),
        why("/decisions/2", "no ORM", null),
      ],
      dead_ends: [
        why("/dead_ends/0", "-D_ANSI_SOURCE", null),
        why("/dead_ends/1", "a global lock", "deadlocks"),
        why("/dead_ends/2", "polling", "too slow"),
      ],
    },
  ],
  "string-for-list.json": [
    {
      ...EMPTY,
      next_action: GO_ON,
      touched_files: ["app.py"],
      blockers: [blocker("/blockers", "the staging host is down")],
      assumptions: [at("/assumptions", "clocks agree")],
    },
  ],
  "risk-severities.json": [
    {
      ...EMPTY,
      next_action: GO_ON,
      risks: [
        risk(0, "warn", null, "plain"),
        risk(1, "block", "critical", "a"),
        risk(2, "warn", "medium", "b"),
        risk(3, "info", "note", "c"),
        risk(4, "warn", "spicy", "d"),
        risk(5, "warn", null, "e"),
        risk(6, "warn", null, "f"),
        risk(7, "warn", "3", "g"),
      ],
    },
  ],
  "other-language.json": [
    {
      ...EMPTY,
      active_task_id: "T-001",
      next_action: at("/next_action", "登録フォームの検証を追加する"),
      blockers: [blocker("/blockers/0", "ждём решения"), blocker("/blockers/1", "ننتظر القرار")],
      assumptions: [at("/assumptions/0", "größer als 12")],
    },
  ],
  "epoch-seconds.json": [{ ...EMPTY, next_action: GO_ON, stamped_at: 1_795_958_750_791 }],
  "epoch-milliseconds.json": [{ ...EMPTY, next_action: GO_ON, stamped_at: 1_795_958_750_791 }],
  "stamp-without-zone.json": [
    { ...EMPTY, next_action: GO_ON, stamped_at: Date.parse("2026-11-29T12:05:52.712Z") },
  ],
  "newest-of-stamps.json": [{ ...EMPTY, next_action: GO_ON, stamped_at: 1_795_958_750_000 }],
  "extra-keys.json": [{ ...EMPTY, next_action: GO_ON }],
  "blank-texts.json": [EMPTY],
  "null-fields.json": [EMPTY],
  "bom.json": [PLAIN],
  "crlf.json": [PLAIN],
  "no-final-newline.json": [PLAIN],
  "utf16le.json": [PLAIN],
  "invalid-utf8.json": [
    { ...PLAIN, next_action: at("/next_action", "caf\ufffd \ufffd\ufffd, then \ufffd") },
    "warn artifact.encoding state/invalid-utf8.json 3",
  ],
  "broken-touched-files.json": [
    PLAIN,
    "warn artifact.field_invalid state/broken-touched-files.json /touched_files a list",
  ],
  "broken-list-item.json": [
    { ...PLAIN, blockers: [blocker("/blockers/0", "real")] },
    "warn artifact.field_invalid state/broken-list-item.json /blockers/1 a text",
    "warn artifact.field_invalid state/broken-list-item.json /blockers/2 a text",
    "warn artifact.field_invalid state/broken-list-item.json /blockers/3 a text",
  ],
  "broken-next-action.json": [
    { ...PLAIN, next_action: null },
    "warn artifact.field_invalid state/broken-next-action.json /next_action a text",
  ],
  "broken-task-id.json": [
    { ...PLAIN, active_task_id: null },
    "warn artifact.field_invalid state/broken-task-id.json /active_task_id a text or null",
  ],
  "broken-stamp.json": [
    { ...EMPTY, next_action: GO_ON },
    "warn artifact.field_invalid state/broken-stamp.json /updated_at a time (ISO 8601 or epoch seconds)",
  ],
  "broken-pointer-escape.json": [
    { ...EMPTY, next_action: GO_ON },
    "warn artifact.field_invalid state/broken-pointer-escape.json /decisions/0 a text",
  ],
  "many-broken-items.json": [
    { ...EMPTY, next_action: GO_ON },
    ...Array.from(
      { length: 20 },
      (_, n) => `warn artifact.field_invalid state/many-broken-items.json /blockers/${n} a text`,
    ),
    "warn artifact.field_invalid state/many-broken-items.json (180 more fields) the documented shape",
  ],
  "bad-session-id.json": [
    { ...EMPTY, active_task_id: "../../etc/passwd", session_id: "../../x", next_action: GO_ON },
  ],
  "placeholder-ids.json": [{ ...EMPTY, active_task_id: "null", session_id: "current", next_action: GO_ON }],
};

const UNRECOGNISED = "error artifact.unrecognized";
/** Variant -> its one diagnostic, the path left out. */
const UNUSABLE_STATES: Readonly<Record<string, string>> = {
  "truncated.json": "error artifact.not_json state/truncated.json:3 it ends too early",
  "empty.json": "error artifact.not_json state/empty.json:1 it is empty",
  "blank.json": "error artifact.not_json state/blank.json:1 it is empty",
  "trailing-comma.json":
    "error artifact.not_json state/trailing-comma.json:1 unexpected character in line 1, column 25",
  "two-objects.json":
    "error artifact.not_json state/two-objects.json:2 unexpected character in line 2, column 1",
  "python-repr.json":
    "error artifact.not_json state/python-repr.json:1 unexpected character in line 1, column 2",
  "nul-bytes.json": "error artifact.not_json state/nul-bytes.json:1 unexpected character in line 1, column 1",
  "foreign-chat-agent.json": `${UNRECOGNISED} state/foreign-chat-agent.json agent state`,
  "foreign-tool-call.json": `${UNRECOGNISED} state/foreign-tool-call.json agent state`,
  "foreign-one-common-word.json": `${UNRECOGNISED} state/foreign-one-common-word.json agent state`,
  "foreign-schema-version.json": `${UNRECOGNISED} state/foreign-schema-version.json agent state`,
  "foreign-array.json": `${UNRECOGNISED} state/foreign-array.json agent state`,
  "foreign-string.json": `${UNRECOGNISED} state/foreign-string.json agent state`,
  "foreign-null.json": `${UNRECOGNISED} state/foreign-null.json agent state`,
  "foreign-empty-object.json": `${UNRECOGNISED} state/foreign-empty-object.json agent state`,
};

describe("P1 agent state", () => {
  test("every fixture is in a table", () => {
    expect([...Object.keys(STATES), ...Object.keys(UNUSABLE_STATES)].sort()).toEqual(variantsOf("state"));
  });
  test.each(Object.entries(STATES))("P1 P7 %s", async (variant, [value, ...diagnostics]) => {
    const loaded = await state(variant);
    expect(loaded.diagnostics.map(short)).toEqual(diagnostics);
    expect(loaded.status === "present" ? loaded.value : loaded).toEqual(value);
  });
  test.each(Object.entries(UNUSABLE_STATES))("unusable: %s", async (variant, diagnostic) => {
    const loaded = await state(variant);
    expect(loaded.status).toBe("invalid");
    expect(loaded.path).toBe(`state/${variant}`);
    expect(loaded.diagnostics.map(short)).toEqual([diagnostic]);
  });
});

const task = (more: Partial<TaskBoard["tasks"][number]> = {}): TaskBoard["tasks"][number] => ({
  id: "T-001",
  goal: "validate",
  owner: "builder",
  status: "todo",
  acceptance: [at("/0/acceptance/0", "pytest -q")],
  pointer: "/0",
  ...more,
});
const bare = { goal: null, owner: null, status: null };
const BOARDS: Readonly<Record<string, readonly [TaskBoard, ...string[]]>> = {
  "array.json": [{ tasks: [task()], stamped_at: null }],
  "tasks-object.json": [
    {
      tasks: [task({ pointer: "/tasks/0", acceptance: [at("/tasks/0/acceptance/0", "pytest -q")] })],
      stamped_at: Date.parse("2026-11-29T12:00:00Z"),
    },
  ],
  "title-and-criteria.json": [
    {
      tasks: [task({ owner: null, status: null, acceptance: [at("/0/acceptance_criteria/0", "pytest -q")] })],
      stamped_at: null,
    },
  ],
  "acceptance-objects.json": [
    {
      tasks: [
        task({
          ...bare,
          acceptance: [at("/0/acceptance/0", "docs mention it"), at("/0/acceptance/1", "pytest -q")],
        }),
      ],
      stamped_at: null,
    },
  ],
  "acceptance-string.json": [
    { tasks: [task({ ...bare, acceptance: [at("/0/acceptance", "pytest -q")] })], stamped_at: null },
  ],
  "numeric-ids.json": [
    {
      tasks: [
        task({ ...bare, id: "1", goal: "a", acceptance: [] }),
        task({ ...bare, id: "2", goal: "b", acceptance: [], pointer: "/1" }),
      ],
      stamped_at: null,
    },
  ],
  "empty-array.json": [{ tasks: [], stamped_at: null }],
  "empty-tasks.json": [{ tasks: [], stamped_at: null }],
  "broken-task-without-id.json": [
    { tasks: [task()], stamped_at: null },
    "warn artifact.field_invalid board/broken-task-without-id.json /1 a task with an id",
  ],
  "broken-task-not-object.json": [
    { tasks: [task()], stamped_at: null },
    "warn artifact.field_invalid board/broken-task-not-object.json /1 a task with an id",
  ],
  "broken-duplicate-id.json": [
    { tasks: [task()], stamped_at: null },
    "warn artifact.field_invalid board/broken-duplicate-id.json /1/id an id that no earlier task has",
  ],
  "broken-owner.json": [
    { tasks: [task({ owner: null })], stamped_at: null },
    "warn artifact.field_invalid board/broken-owner.json /0/owner a text",
  ],
};
const FOREIGN_BOARDS = ["foreign-features.json", "foreign-numbers.json", "foreign-tasks-map.json"];

describe("P2 task board", () => {
  test("every fixture is in a table", () => {
    expect([...Object.keys(BOARDS), ...FOREIGN_BOARDS].sort()).toEqual(variantsOf("board"));
  });
  test.each(Object.entries(BOARDS))("P2 %s", async (variant, [value, ...diagnostics]) => {
    const loaded = await board(variant);
    expect(loaded.diagnostics.map(short)).toEqual(diagnostics);
    expect(loaded.status === "present" ? loaded.value : loaded).toEqual(value);
  });
  test.each(FOREIGN_BOARDS)("P2 %s is not a board", async (variant) => {
    const loaded = await board(variant);
    expect(loaded.status).toBe("invalid");
    expect(loaded.diagnostics.map(short)).toEqual([`${UNRECOGNISED} board/${variant} task board`]);
  });
});
