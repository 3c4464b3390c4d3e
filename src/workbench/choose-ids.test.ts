import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BoardTask } from "../model/artifacts.js";
import { UsageError } from "../model/errors.js";
import { isValidId } from "../model/valid-id.js";
import {
  branchSlug,
  checkIdOption,
  chooseSession,
  chooseTask,
  ciSessionId,
  localSession,
  type SessionSources,
} from "./choose-ids.js";

const NO_STATE = { id: null, path: null };
const NOTHING: SessionSources = { option: null, hook: null, state: NO_STATE, env: {} };
const inState = (id: string) => ({ id, path: "agent_state.json" });
const GITHUB = { GITHUB_ACTIONS: "true", GITHUB_RUN_ID: "981", GITHUB_RUN_ATTEMPT: "2" };
const session = (more: Partial<SessionSources>) => chooseSession({ ...NOTHING, ...more });

describe("P43 session id", () => {
  test("P43 option, hook, state, CI, in this order", () => {
    const all = { option: "o", hook: "h", state: inState("s"), env: GITHUB };
    expect(session(all).chosen).toEqual({ id: "o", from: "option" });
    expect(session({ ...all, option: null }).chosen).toEqual({ id: "h", from: "hook" });
    expect(session({ state: inState("s"), env: GITHUB }).chosen).toEqual({ id: "s", from: "state" });
    expect(session({ env: GITHUB })).toEqual({ chosen: { id: "ci-981-2", from: "ci" }, diagnostics: [] });
    expect(session({})).toEqual({ chosen: null, diagnostics: [] });
  });

  test("P43 what the environment names is as good as a hook's, behind it", () => {
    const both = { hook: "h", environment: "e", state: inState("s"), env: GITHUB };
    expect(session(both).chosen).toEqual({ id: "h", from: "hook" });
    expect(session({ ...both, hook: null }).chosen).toEqual({ id: "e", from: "environment" });
    const bad = session({ ...both, hook: "../h", environment: "../e" });
    expect(bad.chosen).toEqual({ id: "s", from: "state" });
    expect(bad.diagnostics.map(({ args }) => args["value"])).toEqual(["../h", "../e"]);
  });

  test.each(["../../x", "", ".hidden", "a b", "a/b", "current", "NULL", "x".repeat(129), "é"])(
    "P43 the option %j is a usage error",
    (option) => {
      expect(() => session({ option, state: inState("s") })).toThrow(UsageError);
    },
  );

  test("P43 a bad id in a file is said, and the next source used", () => {
    expect(session({ state: inState("../../x"), env: GITHUB })).toEqual({
      chosen: { id: "ci-981-2", from: "ci" },
      diagnostics: [
        {
          code: "id.invalid",
          severity: "warn",
          artifact: "state",
          source: { path: "agent_state.json" },
          args: { kind: "session", value: "../../x" },
        },
      ],
    });
    const both = session({ hook: "current", state: inState("unknown") });
    expect(both.chosen).toBe(null);
    expect(both.diagnostics.map(({ artifact, args }) => [artifact, args["value"]])).toEqual([
      ["session_record", "current"],
      ["state", "unknown"],
    ]);
  });

  test("P43 what a diagnostic quotes is bounded", () => {
    const { diagnostics } = session({ state: inState("/".repeat(1e6)) });
    expect(String(diagnostics[0]?.args["value"]).length).toBe(200);
  });

  test.each<readonly [string, Record<string, string>, string | null]>([
    ["GitHub", GITHUB, "ci-981-2"],
    ["GitHub without an attempt", { GITHUB_RUN_ID: "981" }, "ci-981-1"],
    ["GitLab", { GITLAB_CI: "true", CI: "true", CI_PIPELINE_ID: "77", CI_JOB_ID: "1201" }, "ci-77-1201"],
    ["Buildkite", { CI: "true", BUILDKITE_BUILD_ID: "0190-ab", BUILDKITE_RETRY_COUNT: "0" }, "ci-0190-ab-0"],
    ["CircleCI", { CI: "true", CIRCLE_BUILD_NUM: "55", CIRCLE_NODE_INDEX: "3" }, "ci-55-3"],
    ["Azure", { TF_BUILD: "True", BUILD_BUILDID: "4242", SYSTEM_JOBATTEMPT: "2" }, "ci-4242-2"],
    ["generic", { CI: "true", BUILD_ID: "#12/3" }, "ci-12-3-1"],
    ["generic by number", { CI: "1", BUILD_NUMBER: "9" }, "ci-9-1"],
    ["generic without an id", { CI: "true" }, null],
    ["BUILD_ID outside CI", { BUILD_ID: "9" }, null],
    ["empty variables", { GITHUB_RUN_ID: "", CI: "" }, null],
    ["Azure's variable outside Azure", { BUILD_BUILDID: "4242" }, null],
    ["no CI", { HOME: "/home/x" }, null],
  ])("P43 CI: %s", (_name, env, id) => {
    expect(ciSessionId(env)).toBe(id);
  });

  test("P43 local sessions are named by the branch, without git local", () => {
    expect(localSession(null)).toEqual({ id: "local", from: "local" });
    expect(localSession("feat/Sign up!")).toEqual({ id: "local-feat-Sign-up", from: "local" });
    expect(localSession("detached@0123456789ab").id).toBe("local-detached-0123456789ab");
  });
});

describe("P43 branch slugs", () => {
  test.each([
    ["main", /^main$/u],
    ["feat/Sign up!", /^feat-Sign-up$/u],
    ["release/1.2.x", /^release-1\.2\.x$/u],
    ["-leading", /^leading$/u],
    [".hidden", /^hidden$/u],
    ["a..b", /^a\.\.b$/u],
    ["a///b", /^a-b$/u],
    ["регистрация", /^[0-9a-f]{8}$/u],
    ["größe", /^gr-e-[0-9a-f]{8}$/u],
    ["!!!", /^[0-9a-f]{8}$/u],
    ["x".repeat(300), /^x{113}-[0-9a-f]{8}$/u],
  ])("P43 %j", (branch, slug) => {
    expect(branchSlug(branch)).toMatch(slug);
  });

  test("P43 names that differ only in lost letters stay apart", () => {
    expect(branchSlug("größe")).not.toBe(branchSlug("grüße"));
  });

  test("P43 any branch and any CI variables give an allowed id", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string({ maxLength: 400 })), (text) => {
        expect(isValidId(localSession(text).id)).toBe(true);
        const ci = ciSessionId({ GITHUB_RUN_ID: text, GITHUB_RUN_ATTEMPT: text });
        expect(ci === null || isValidId(ci)).toBe(true);
      }),
    );
  });
});

const task = (id: string, status: string | null): BoardTask => ({
  id,
  status,
  goal: null,
  owner: null,
  acceptance: [],
  pointer: "",
});
const board = (...tasks: BoardTask[]) => ({ tasks, path: "task_board.json" });

describe("P43 task id", () => {
  test("P43 option, state, the only task in progress, none", () => {
    const started = board(task("T-1", "done"), task("T-2", "in_progress"));
    expect(chooseTask({ option: "o", state: inState("s"), board: started }).chosen).toEqual({
      id: "o",
      from: "option",
    });
    expect(chooseTask({ option: null, state: inState("s"), board: started }).chosen).toEqual({
      id: "s",
      from: "state",
    });
    expect(chooseTask({ option: null, state: NO_STATE, board: started }).chosen).toEqual({
      id: "T-2",
      from: "board",
    });
    expect(chooseTask({ option: null, state: NO_STATE, board: board() }).chosen).toEqual({
      id: null,
      from: "none",
    });
  });

  test.each(["in_progress", "In Progress", "in-progress", " DOING ", "active", "started"])(
    "P43 the board's %j counts as in progress",
    (status) => {
      const { chosen } = chooseTask({ option: null, state: NO_STATE, board: board(task("T-1", status)) });
      expect(chosen).toEqual({ id: "T-1", from: "board" });
    },
  );

  test.each([["todo"], ["done"], ["not started"], [null]])("P43 the board's %j does not", (status) => {
    const { chosen } = chooseTask({ option: null, state: NO_STATE, board: board(task("T-1", status)) });
    expect(chosen).toEqual({ id: null, from: "none" });
  });

  test("P43 two tasks in progress name none", () => {
    const two = board(task("T-1", "doing"), task("T-2", "doing"));
    expect(chooseTask({ option: null, state: NO_STATE, board: two })).toEqual({
      chosen: { id: null, from: "none" },
      diagnostics: [],
    });
  });

  test("P43 bad ids: usage error as an option, else said and passed by", () => {
    expect(() => chooseTask({ option: "../x", state: NO_STATE, board: board() })).toThrow(
      /task id "\.\.\/x"/u,
    );
    const { chosen, diagnostics } = chooseTask({
      option: null,
      state: inState("../../etc/passwd"),
      board: board(task("a/b", "doing")),
    });
    expect(chosen).toEqual({ id: null, from: "none" });
    expect(diagnostics.map(({ artifact, source, args }) => [artifact, source?.path, args["value"]])).toEqual([
      ["state", "agent_state.json", "../../etc/passwd"],
      ["board", "task_board.json", "a/b"],
    ]);
  });
});

test("P41 a bad option says what is allowed and exits with 2", () => {
  const check = () => checkIdOption("topic", ".git");
  expect(check).toThrow(UsageError);
  expect(check).toThrow(
    expect.objectContaining({
      code: "usage.bad_id",
      exitCode: 2,
      message: 'topic id ".git" is not allowed',
      hint: expect.stringContaining("A-Z a-z 0-9") as unknown,
    }),
  );
});
