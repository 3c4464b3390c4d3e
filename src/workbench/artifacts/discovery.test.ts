// Which file speaks for an artifact, and what is said of the others (section 1 of the contract, P27, S18).
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { short } from "../../../fixtures/artifacts/load-fixture.js";
import { addFiles, makeFifo, tempBench } from "../../../fixtures/artifacts/temp-bench.js";
import { findCandidates } from "./find-candidates.js";
import { findFeedbackFiles } from "./find-feedback-files.js";
import type { Bench, LoadedAt } from "./load-artifact.js";
import {
  loadBoard,
  loadReview,
  loadScopeContract,
  loadScopeReport,
  loadState,
  loadVerification,
} from "./load-artifacts.js";
import { climbs, DEFAULT_PLACES, fillPattern, ownPlaceMatcher, placesOf } from "./places.js";

const bench = (root: string, task_id: string | null = "T-001"): Bench => ({
  root,
  spellings: [],
  ids: { task_id, session_id: "s-1" },
});
const seen = <T>({ loaded }: LoadedAt<T>) => [loaded.status, loaded.path, ...loaded.diagnostics.map(short)];
const STATE = { active_task_id: "T-001", next_action: "go on" };
const OTHER = { messages: [] };
const PASSED = { task_id: "T-001", passed: true, findings: [] };

describe("precedence", () => {
  test("the first place wins, the second is shadowed", async () => {
    const root = tempBench({ ".handoff/agent_state.json": STATE, "agent_state.json": STATE });
    expect(seen(await loadState(bench(root), DEFAULT_PLACES))).toEqual([
      "present",
      ".handoff/agent_state.json",
      "info artifact.shadowed agent_state.json .handoff/agent_state.json",
    ]);
  });

  test("a file that is something else is passed by, said, and the next place used", async () => {
    const root = tempBench({ ".handoff/agent_state.json": OTHER, "agent_state.json": STATE });
    expect(seen(await loadState(bench(root), DEFAULT_PLACES))).toEqual([
      "present",
      "agent_state.json",
      "warn artifact.unrecognized .handoff/agent_state.json agent state",
    ]);
  });

  test("a file that is something else and comes second is not mentioned", async () => {
    const root = tempBench({ ".handoff/agent_state.json": STATE, "agent_state.json": OTHER });
    const found = await loadState(bench(root), DEFAULT_PLACES);
    expect(seen(found)).toEqual(["present", ".handoff/agent_state.json"]);
    expect(found.foreign).toEqual(["agent_state.json"]);
  });

  test("a broken file stops the search: an older passing report must not speak for it", async () => {
    const root = tempBench({
      "outputs/verification/T-001.json": '{"task_id": "T-001", "pas',
      "verification_report_T-001.json": PASSED,
    });
    expect(seen(await loadVerification(bench(root), DEFAULT_PLACES))).toEqual([
      "invalid",
      "outputs/verification/T-001.json",
      "error artifact.not_json outputs/verification/T-001.json:1 it ends too early",
      "info artifact.shadowed verification_report_T-001.json outputs/verification/T-001.json",
    ]);
  });

  test("nothing at all: missing, with the first place", async () => {
    const root = tempBench();
    expect(seen(await loadBoard(bench(root), DEFAULT_PLACES))).toEqual([
      "missing",
      ".handoff/task_board.json",
      "info artifact.missing .handoff/task_board.json",
    ]);
    expect(seen(await loadScopeReport(bench(root), DEFAULT_PLACES))).toEqual([
      "missing",
      "outputs/scope/closed/T-001.report.json",
    ]);
  });

  test("touched files come relative to the root, however it is spelled", async () => {
    const root = tempBench();
    const link = `${root}-link`;
    symlinkSync(root, link);
    addFiles(root, {
      "agent_state.json": {
        next_action: "go on",
        touched_files: [
          `${root}/src/a.ts`,
          `${link}/b.ts`,
          "./c.ts",
          "d//e.ts",
          "../f.ts",
          "/etc/hosts",
          "c.ts",
        ],
      },
    });
    const { loaded } = await loadState({ ...bench(root), spellings: [link] }, DEFAULT_PLACES);
    execFileSync("rm", [link]);
    expect(loaded.status === "present" && loaded.value.touched_files).toEqual([
      "src/a.ts",
      "b.ts",
      "c.ts",
      "d/e.ts",
      "../f.ts",
      "/etc/hosts",
    ]);
  });
});

describe("P27 tasks", () => {
  test("P27 a report of another task is not this task's", async () => {
    const root = tempBench({
      "outputs/verification/T-001.json": { ...PASSED, task_id: "T-002" },
      "verification_report.json": { ...PASSED, task_id: "T-003" },
    });
    expect(seen(await loadVerification(bench(root), DEFAULT_PLACES))).toEqual([
      "missing",
      "outputs/verification/T-001.json",
      "warn artifact.other_task outputs/verification/T-001.json T-002",
      "warn artifact.other_task verification_report.json T-003",
      "info artifact.missing outputs/verification/T-001.json",
    ]);
  });

  test.each([
    ["names this task", PASSED],
    ["names none", { passed: true, findings: [] }],
  ])("P27 the unsuffixed report counts when it %s", async (_name, report) => {
    const root = tempBench({ "verification_report.json": report });
    expect(seen(await loadVerification(bench(root), DEFAULT_PLACES))).toEqual([
      "present",
      "verification_report.json",
    ]);
  });

  test("P27 without a task only the unsuffixed report can be used, and the others are named", async () => {
    const root = tempBench({
      "outputs/verification/T-009.json": PASSED,
      "verification_report_T-002.json": PASSED,
      "verification_report_T-001.json": PASSED,
      "review_report.json": { total: 9, verdict: "pass", dimensions: [] },
    });
    expect(seen(await loadVerification(bench(root, null), DEFAULT_PLACES))).toEqual([
      "missing",
      "verification_report.json",
      "info artifact.missing verification_report.json",
      "info artifact.other_task outputs/verification/T-009.json T-009",
      "info artifact.other_task verification_report_T-001.json T-001",
      "info artifact.other_task verification_report_T-002.json T-002",
    ]);
    expect(seen(await loadReview(bench(root, null), DEFAULT_PLACES))).toEqual([
      "present",
      "review_report.json",
    ]);
  });

  test("P27 S18 the hint names no folder outside and asks nothing of odd patterns", async () => {
    const outside = tempBench({ "T-1.json": PASSED });
    const root = tempBench({ "v/T-2.json": PASSED, "v/.json": "", "runs/T-3/v.json": PASSED });
    symlinkSync(outside, path.join(root, "linked"));
    const places = placesOf({
      verification: [
        "linked/<task_id>.json",
        "./v/<task_id>.json",
        "runs/<task_id>/v.json",
        "v/*<task_id>.json",
      ],
    });
    expect(seen(await loadVerification(bench(root, null), places))).toEqual([
      "missing",
      null,
      "info artifact.missing -",
      "info artifact.other_task v/T-2.json T-2",
    ]);
  });

  test("P27 of very many reports only twenty are named", async () => {
    const names = Array.from(
      { length: 50 },
      (_, n) => `outputs/verification/T-${String(n).padStart(3, "0")}.json`,
    );
    const root = tempBench(Object.fromEntries(names.map((name) => [name, PASSED])));
    const { loaded } = await loadVerification(bench(root, null), DEFAULT_PLACES);
    const others = loaded.diagnostics.filter(({ code }) => code === "artifact.other_task");
    expect(others.map(({ source }) => source?.path)).toEqual(names.slice(0, 20));
  });
});

describe("P6 scope contract and report share a place", () => {
  const CONTRACT = { task_id: "T-001", allowed_files: ["a"] };
  const REPORT = { task_id: "T-001", off_scope: [] };
  const both = async (files: Readonly<Record<string, unknown>>) => {
    const root = tempBench(files);
    return [
      seen(await loadScopeContract(bench(root), DEFAULT_PLACES)),
      seen(await loadScopeReport(bench(root), DEFAULT_PLACES)),
    ];
  };
  const NONE_CONTRACT = ["missing", "scope_contract.json"];
  const CLOSED = "outputs/scope/closed/T-001.json";
  const CLOSED_REPORT = "outputs/scope/closed/T-001.report.json";

  test("P6 a closed contract beside its report", async () => {
    expect(await both({ [CLOSED]: CONTRACT, [CLOSED_REPORT]: REPORT })).toEqual([
      ["present", CLOSED],
      ["present", CLOSED_REPORT],
    ]);
  });
  test("P6 a report at the contract's place", async () => {
    expect(await both({ [CLOSED]: REPORT })).toEqual([NONE_CONTRACT, ["present", CLOSED]]);
  });
  test("P6 an open contract shadows the closed one", async () => {
    expect(await both({ "scope_contract.json": CONTRACT, [CLOSED]: CONTRACT })).toEqual([
      ["present", "scope_contract.json", `info artifact.shadowed ${CLOSED} scope_contract.json`],
      ["missing", CLOSED_REPORT],
    ]);
  });
  test("P6 a broken closed file is reported once", async () => {
    expect(await both({ [CLOSED]: "{" })).toEqual([
      NONE_CONTRACT,
      ["invalid", CLOSED, `error artifact.not_json ${CLOSED}:1 it ends too early`],
    ]);
  });
  test("P6 neither", async () => {
    expect(await both({ [CLOSED]: OTHER })).toEqual([
      NONE_CONTRACT,
      ["invalid", CLOSED, `error artifact.unrecognized ${CLOSED} scope report`],
    ]);
  });
});

describe("S18 hostile files at an artifact's place", () => {
  test("S18 FIFO, folder, link outside, huge nesting: an error each, at once", async () => {
    const root = tempBench({ "verification_report.json": "[".repeat(1_000_000) });
    const outside = `../${path.basename(root)}-outside.json`;
    addFiles(root, { [outside]: STATE });
    makeFifo(path.join(root, "agent_state.json"));
    mkdirSync(path.join(root, "task_board.json"));
    symlinkSync(outside, path.join(root, "review_report.json"));
    expect(seen(await loadState(bench(root), DEFAULT_PLACES))).toEqual([
      "invalid",
      "agent_state.json",
      "error artifact.not_regular agent_state.json FIFO",
    ]);
    expect(seen(await loadBoard(bench(root), DEFAULT_PLACES))).toEqual([
      "invalid",
      "task_board.json",
      "error artifact.not_regular task_board.json folder",
    ]);
    expect(seen(await loadReview(bench(root), DEFAULT_PLACES))).toEqual([
      "invalid",
      "review_report.json",
      "error artifact.outside_root review_report.json",
    ]);
    expect(seen(await loadVerification(bench(root), DEFAULT_PLACES))).toEqual([
      "invalid",
      "verification_report.json",
      "error artifact.not_json verification_report.json:1 nested deeper than 200 levels",
    ]);
    execFileSync("rm", [path.join(root, outside)]);
  });

  test("S18 a folder of the workbench that is a link outside", async () => {
    const outside = tempBench({ "agent_state.json": STATE });
    const root = tempBench();
    symlinkSync(outside, path.join(root, ".handoff"));
    expect(seen(await loadState(bench(root), DEFAULT_PLACES))).toEqual([
      "invalid",
      ".handoff/agent_state.json",
      "error artifact.outside_root .handoff/agent_state.json",
    ]);
  });
});

describe("patterns", () => {
  test("P42 wildcards: sorted matches, links not walked, node_modules left out, dot folders seen", async () => {
    const root = tempBench({
      "reports/b/v.json": PASSED,
      "reports/a/v.json": PASSED,
      "reports/.c/v.json": PASSED,
      "node_modules/x/v.json": PASSED,
      "reports/a/other.json": PASSED,
    });
    const outside = tempBench({ "v.json": PASSED });
    symlinkSync(outside, path.join(root, "reports/linked"));
    symlinkSync("a/v.json", path.join(root, "reports/v.json"));
    mkdirSync(path.join(root, "reports/d/v.json"), { recursive: true });
    const { paths } = await findCandidates(
      root,
      ["**/v.json", "reports/a/v.json", "x.json"],
      bench(root).ids,
    );
    expect(paths).toEqual([
      "reports/.c/v.json",
      "reports/a/v.json",
      "reports/b/v.json",
      "reports/v.json",
      "x.json",
    ]);
  });

  test("P42 ids are filled into configured patterns", async () => {
    const root = tempBench({ "runs/s-1/T-001/verify.json": PASSED, "runs/s-2/T-001/verify.json": PASSED });
    const places = placesOf({ verification: ["runs/<session_id>/<task_id>/*.json"] });
    expect(seen(await loadVerification(bench(root), places))).toEqual([
      "present",
      "runs/s-1/T-001/verify.json",
    ]);
    expect(places.state).toEqual(DEFAULT_PLACES.state);
  });

  test("P42 names with special characters are found as they are", async () => {
    const root = tempBench({ "state (old).json": STATE, "board[1].json": [] });
    expect(seen(await loadState(bench(root), placesOf({ state: ["state (old).json"] })))).toEqual([
      "present",
      "state (old).json",
    ]);
    expect(seen(await loadBoard(bench(root), placesOf({ board: ["board\\[1\\].json"] })))).toEqual([
      "present",
      "board[1].json",
    ]);
  });

  test("S18 patterns that climb are refused with a diagnostic", async () => {
    const root = tempBench({ "x/agent_state.json": STATE });
    const places = placesOf({ state: ["../**/agent_state.json", "/etc/*.json", "x/../x/agent_state.json"] });
    expect(seen(await loadState(bench(root), places))).toEqual([
      "missing",
      null,
      "error artifact.outside_root ../**/agent_state.json",
      "error artifact.outside_root /etc/*.json",
      "error artifact.outside_root x/../x/agent_state.json",
      "info artifact.missing -",
    ]);
  });

  test("a pattern with an id that is not known is left out", () => {
    expect(fillPattern("a/<task_id>.json", { task_id: null, session_id: "s" })).toBe(null);
    expect(fillPattern("<session_id>/<task_id>.json", { task_id: "t", session_id: "s" })).toBe("s/t.json");
    expect([climbs("a/../b"), climbs("C:/x"), climbs("\\x"), climbs("a..b/c")]).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  test("P10 own places: any id, rotated parts, nothing else", () => {
    const isOwn = ownPlaceMatcher(DEFAULT_PLACES);
    const own = [
      "agent_state.json",
      "verification_report_T-9.json",
      "outputs/review/x.json",
      "feedback.jsonl",
      "feedback_record.jsonl.5",
      "outputs/scope/closed/T-1.report.json",
    ];
    const not = [
      "src/agent_state.json",
      "feedback.jsonl.6",
      "agent_state.json.1",
      "outputs/review/a/b.json",
      "agent_stateXjson",
    ];
    expect(own.filter(isOwn)).toEqual(own);
    expect(not.filter(isOwn)).toEqual([]);
  });
});

describe("feedback files", () => {
  const found = async (root: string, patterns = DEFAULT_PLACES.feedback) => {
    const { files, diagnostics } = await findFeedbackFiles(bench(root), patterns);
    return { paths: files.map(({ path: file }) => file), diagnostics: diagnostics.map(short) };
  };

  test("all places, each after its rotated parts, oldest first", async () => {
    const names = [
      ".handoff/sessions/s-1/feedback.jsonl.2",
      ".handoff/sessions/s-1/feedback.jsonl.1",
      ".handoff/sessions/s-1/feedback.jsonl",
      "feedback.jsonl",
      "feedback_record.jsonl.5",
      "feedback_record.jsonl.1",
      "feedback_record.jsonl",
    ];
    const rest = ["feedback_record.jsonl.6", ".handoff/sessions/s-2/feedback.jsonl"];
    const root = tempBench(Object.fromEntries([...names, ...rest].reverse().map((name) => [name, ""])));
    expect(await found(root)).toEqual({ paths: names, diagnostics: [] });
  });

  test("a rotated part without its log counts", async () => {
    const root = tempBench({ "feedback.jsonl.1": "" });
    expect((await found(root)).paths).toEqual(["feedback.jsonl.1"]);
  });

  test("one log under two names is read once", async () => {
    const root = tempBench({ "feedback.jsonl": "" });
    symlinkSync("feedback.jsonl", path.join(root, "feedback_record.jsonl"));
    expect(await found(root)).toEqual({
      paths: ["feedback.jsonl"],
      diagnostics: ["info artifact.shadowed feedback_record.jsonl feedback.jsonl"],
    });
  });

  test("S18 what is no log is said; no log at all is missing", async () => {
    const root = tempBench();
    makeFifo(path.join(root, "feedback.jsonl"));
    symlinkSync("/etc/hostname", path.join(root, "feedback_record.jsonl"));
    expect(await found(root)).toEqual({
      paths: [],
      diagnostics: [
        "error artifact.not_regular feedback.jsonl FIFO",
        "error artifact.outside_root feedback_record.jsonl",
        "info artifact.missing .handoff/sessions/s-1/feedback.jsonl",
      ],
    });
  });

  test("P42 a wildcard that also matches rotated parts names each once, in log order", async () => {
    const root = tempBench({ "logs/a.jsonl": "", "logs/a.jsonl.1": "", "logs/b.jsonl": "" });
    expect((await found(root, ["logs/*.jsonl*"])).paths).toEqual([
      "logs/a.jsonl.1",
      "logs/a.jsonl",
      "logs/b.jsonl",
    ]);
  });
});
