// The whole snapshot, on real folders and real repositories (P13).
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FIXTURES, short } from "../../fixtures/artifacts/load-fixture.js";
import { addFiles, tempBench } from "../../fixtures/artifacts/temp-bench.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { sha256Hex } from "../text/digest.js";
import { loadSnapshot } from "./load-snapshot.js";
import { readBranch } from "./read-branch.js";
import { sortDiagnostics } from "./sort-diagnostics.js";

/** No CI variables, no user's git configuration. */
const ENV = { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

function git(root: string, ...args: string[]): string {
  const env = { ...ENV, GIT_AUTHOR_DATE: "2026-11-29T12:00:00Z", GIT_COMMITTER_DATE: "2026-11-29T12:00:00Z" };
  const identity = [
    "-c",
    "user.name=n",
    "-c",
    "user.email=e@example.invalid",
    "-c",
    "init.defaultBranch=main",
  ];
  return execFileSync("git", ["-C", root, ...identity, ...args], {
    env,
    encoding: "utf8",
    stdio: "pipe",
  }).trim();
}

/** A repository on branch feat/signup, one commit after main, with a workbench in it. */
function repository(files: Readonly<Record<string, unknown>> = {}): string {
  const root = tempBench({ "app.py": "one\n" });
  git(root, "init", "-q");
  git(root, "add", ".");
  git(root, "commit", "-q", "-m", "first");
  git(root, "checkout", "-q", "-b", "feat/signup");
  writeFileSync(path.join(root, "app.py"), "one\ntwo\n");
  git(root, "commit", "-q", "-a", "-m", "second");
  addFiles(root, files);
  return root;
}

const statuses = (snapshot: WorkbenchSnapshot) =>
  Object.fromEntries(
    Object.values(snapshot).flatMap((part: unknown) => {
      const loaded = part as { artifact?: string; status?: string } | null;
      return typeof loaded?.artifact === "string" && loaded.status !== "missing"
        ? [[loaded.artifact, loaded.status]]
        : [];
    }),
  );
const lines = (snapshot: WorkbenchSnapshot) => snapshot.diagnostics.map((d) => `${d.artifact}: ${short(d)}`);

describe("P13 an empty folder", () => {
  test("P13 loadSnapshot(root) is enough", async () => {
    const root = tempBench();
    const snapshot = await loadSnapshot(root, { env: ENV });
    expect(snapshot.session).toEqual({ id: "local", from: "local" });
    expect(snapshot.task).toEqual({ id: null, from: "none" });
    expect(snapshot.topic).toBe("main");
    expect(snapshot.predecessor).toBe(null);
    expect(statuses(snapshot)).toEqual({});
    expect(snapshot.git.available).toBe(false);
    expect(snapshot.feedback.total).toBe(0);
    expect(lines(snapshot)).toEqual([
      "state: info artifact.missing .handoff/agent_state.json",
      "board: info artifact.missing .handoff/task_board.json",
      "verification: info artifact.missing verification_report.json",
      "review: info artifact.missing review_report.json",
      "feedback: info artifact.missing .handoff/sessions/local/feedback.jsonl",
      "git: warn git.no_repository -",
    ]);
    expect(readdirSync(root)).toEqual([]);
  });

  test("P41 a root that is no folder is a usage error", async () => {
    const root = tempBench({ file: "" });
    for (const name of ["file", "nothing"])
      await expect(loadSnapshot(path.join(root, name))).rejects.toMatchObject({
        name: "UsageError",
        exitCode: 2,
        message: `${path.join(root, name)} is not a folder`,
      });
  });
});

describe("P13 a full workbench", () => {
  const FILES = {
    ".handoff/sessions/s-1/session.json": { base_commit: "HEAD", goal: "signup" },
    ".handoff/sessions/s-1/feedback.jsonl":
      '{"command": ["pytest", "-q"], "exit_code": 1}\n{"command": "pytest -q", "exit_code": 0}\n',
    "agent_state.json": { active_task_id: "T-001", session_id: "s-1", next_action: "go on" },
    "task_board.json": [{ id: "T-001", goal: "signup", acceptance: ["pytest -q", "docs mention it"] }],
    "outputs/review/T-001.json": { task_id: "T-001", total: 9, verdict: "pass", dimensions: [] },
    "outputs/verification/raw.txt": "all green\n",
    "scope_contract.json": { task_id: "T-001", allowed_files: ["app.py"], acceptance: ["ruff check ."] },
    "rule_report.json": [{ slug: "a", passed: true }],
    "overrides.jsonl": '{"finding_code": "x", "head_commit": "0000000"}\n',
    "outputs/handoff/s-0/handoff.json": {},
  };
  const full = () => {
    const root = repository(FILES);
    const head = git(root, "rev-parse", "HEAD");
    const base = git(root, "rev-parse", "main");
    addFiles(root, {
      ".handoff/sessions/s-1/session.json": { base_commit: base, goal: "signup" },
      "last_known_good.json": { commit: base.slice(0, 10) },
      "outputs/verification/T-001.json": {
        task_id: "T-001",
        status: "pass",
        findings: [],
        head_commit: head,
        report_path: "outputs/verification/raw.txt",
      },
    });
    return { root, head, base };
  };

  test("P13 everything is there", async () => {
    const { root, head, base } = full();
    const snapshot = await loadSnapshot(root, { env: ENV });
    expect(snapshot.session).toEqual({ id: "s-1", from: "state" });
    expect(snapshot.task).toEqual({ id: "T-001", from: "state" });
    expect(statuses(snapshot)).toEqual({
      state: "present",
      board: "present",
      verification: "present",
      review: "present",
      scope_contract: "present",
      rule_report: "present",
      last_known_good: "present",
      overrides: "present",
      session_record: "present",
    });
    expect(snapshot.git.branch).toBe("feat/signup");
    expect(snapshot.git.base).toEqual({ sha: base, from: "session" });
    expect(snapshot.git.resolved).toEqual({
      [base.slice(0, 10)]: { sha: base, reachable_from_head: true, distance: 1 },
      [head]: { sha: head, reachable_from_head: true, distance: 0 },
      "0000000": null,
    });
    expect(snapshot.feedback.total).toBe(2);
    expect(snapshot.feedback.nonzero).toBe(1);
    expect(snapshot.feedback.passed_watched).toEqual(["pytest -q"]);
    expect(snapshot.files).toEqual({
      "outputs/verification/raw.txt": {
        path: "outputs/verification/raw.txt",
        sha256: sha256Hex("all green\n"),
        bytes: 10,
      },
    });
    expect(lines(snapshot)).toEqual(["git: warn git.commit_unresolved - 0000000"]);
  });

  test("P10 the workbench's own files are no changes; the project's are", async () => {
    const { root } = full();
    rmSync(path.join(root, "outputs/verification/raw.txt"));
    const clean = await loadSnapshot(root, { env: ENV });
    expect(clean.git.dirty).toBe(false);
    expect(clean.git.changes.map((change) => change.path)).toEqual(["app.py"]);
    addFiles(root, { "out/x/handoff.json": {}, "outputs/verification/T-777.json": {}, "notes.md": "" });
    const dirty = await loadSnapshot(root, { env: ENV, outDir: "out/" });
    expect(dirty.git.dirty).toBe(true);
    expect(dirty.git.changes.map((change) => change.path)).toEqual([
      "app.py",
      "notes.md",
      "outputs/handoff/s-0/handoff.json",
    ]);
  });

  test("P10 a file of that name that is something else belongs to the project", async () => {
    const root = repository({ "agent_state.json": { messages: [] } });
    const snapshot = await loadSnapshot(root, { env: ENV });
    expect(snapshot.git.changes.map((change) => change.path)).toEqual(["agent_state.json", "app.py"]);
    expect(snapshot.git.dirty).toBe(true);
  });

  test("P29 a report that is pointed to and not there is said", async () => {
    const { root } = full();
    rmSync(path.join(root, "outputs/verification/raw.txt"));
    const snapshot = await loadSnapshot(root, { env: ENV });
    expect(snapshot.files).toEqual({});
    expect(lines(snapshot)[0]).toBe(
      "verification: warn artifact.field_invalid outputs/verification/T-001.json /report_path a file that exists",
    );
  });

  test("P34 another place, time, time zone and current folder give the same snapshot", async () => {
    const { root } = full();
    const before = await loadSnapshot(root, { env: ENV });
    const other = path.join(tempBench(), "deep/er");
    mkdirSync(path.dirname(other));
    cpSync(root, other, { recursive: true });
    for (const name of readdirSync(other)) utimesSync(path.join(other, name), 1, 1);
    const [cwd, zone] = [process.cwd(), process.env["TZ"]];
    try {
      process.chdir(other);
      process.env["TZ"] = "Asia/Kathmandu";
      expect(await loadSnapshot(".", { env: ENV })).toEqual(before);
    } finally {
      process.chdir(cwd);
      process.env["TZ"] = zone;
    }
  });

  test("P34 through a symbolic link: the same snapshot, absolute names of files included", async () => {
    const { root } = full();
    const link = path.join(tempBench(), "link");
    symlinkSync(root, link);
    addFiles(root, {
      "agent_state.json": { next_action: "go on", touched_files: [`${root}/a.ts`, `${link}/b.ts`] },
    });
    const snapshot = await loadSnapshot(link, { env: ENV });
    expect(snapshot.state.status === "present" && snapshot.state.value.touched_files).toEqual([
      "a.ts",
      "b.ts",
    ]);
  });

  test("P20 nothing is written unless a cache folder is named", async () => {
    const { root } = full();
    const before = readdirSync(root, { recursive: true }).map(String).sort();
    await loadSnapshot(root, { env: ENV, rescan: true });
    expect(readdirSync(root, { recursive: true }).map(String).sort()).toEqual(before);
  });
});

describe("S18 nothing outside is read", () => {
  test.each([
    ["/etc/hostname", "warn artifact.outside_root /etc/hostname"],
    ["../../../../../etc/hostname", "warn artifact.outside_root ../../../../../etc/hostname"],
    ["outputs", "warn artifact.not_regular outputs folder"],
    ["link.txt", "warn artifact.outside_root link.txt"],
  ])("S18 P29 report_path %s", async (report_path, expected) => {
    const root = tempBench({ "outputs/verification/T-1.json": { passed: true, findings: [], report_path } });
    symlinkSync("/etc/hostname", path.join(root, "link.txt"));
    const snapshot = await loadSnapshot(root, { env: ENV, taskId: "T-1" });
    expect(snapshot.files).toEqual({});
    expect(lines(snapshot)).toContain(`verification: ${expected}`);
  });

  test("S18 a session folder that is a link outside", async () => {
    const outside = tempBench({
      "feedback.jsonl": '{"command": "x", "exit_code": 0}\n',
      "session.json": { goal: "x" },
    });
    const root = tempBench({ ".handoff/sessions/other/x": "" });
    symlinkSync(outside, path.join(root, ".handoff/sessions/s-1"));
    const snapshot = await loadSnapshot(root, { env: ENV, sessionId: "s-1" });
    expect(snapshot.feedback.total).toBe(0);
    expect(lines(snapshot).filter((line) => line.includes("outside_root"))).toEqual([
      "feedback: error artifact.outside_root .handoff/sessions/s-1/feedback.jsonl",
      "session_record: error artifact.outside_root .handoff/sessions/s-1/session.json",
    ]);
  });
});

describe("P42 P43 options and configuration", () => {
  test("P42 the configuration of the root counts: patterns, topic, store", async () => {
    const root = tempBench({
      "handoff.config.json": { topic: "db", artifacts: { state: ["work/*.json"], feedback: ["log.jsonl"] } },
      "work/state.json": { active_task_id: "T-1", session_id: "s-9", next_action: "go on" },
      "agent_state.json": { active_task_id: "T-2", next_action: "no" },
      "log.jsonl": '{"command": "true", "exit_code": 0}\n',
    });
    const snapshot = await loadSnapshot(root, { env: ENV });
    expect([snapshot.topic, snapshot.task.id, snapshot.session.id]).toEqual(["db", "T-1", "s-9"]);
    expect(snapshot.state.path).toBe("work/state.json");
    expect(snapshot.feedback.files.map((file) => file.path)).toEqual(["log.jsonl"]);
    const given = await loadSnapshot(root, { env: ENV, config: {}, topic: "ui" });
    expect([given.topic, given.task.id]).toEqual(["ui", "T-2"]);
  });

  test("P43 S18 ids that would climb are refused, wherever they come from", async () => {
    const root = tempBench({
      "agent_state.json": {
        session_id: "../../x",
        active_task_id: "../../../etc/passwd",
        next_action: "go on",
      },
    });
    const snapshot = await loadSnapshot(root, { env: ENV });
    expect(snapshot.session).toEqual({ id: "local", from: "local" });
    expect(snapshot.task).toEqual({ id: null, from: "none" });
    expect(lines(snapshot).filter((line) => line.includes("id.invalid"))).toEqual([
      "state: warn id.invalid agent_state.json session ../../x",
      "state: warn id.invalid agent_state.json task ../../../etc/passwd",
    ]);
    for (const option of ["sessionId", "taskId", "topic"])
      await expect(loadSnapshot(root, { env: ENV, [option]: "../../x" })).rejects.toMatchObject({
        exitCode: 2,
      });
    const hooked = await loadSnapshot(root, { env: ENV, hookSessionId: "../../y" });
    expect(hooked.session.from).toBe("local");
    expect(lines(hooked)).toContain("session_record: warn id.invalid - session ../../y");
  });

  test("P43 the session decides whose log is read", async () => {
    const record = (command: string) => `{"command": "${command}", "exit_code": 0}\n`;
    const root = tempBench({
      ".handoff/sessions/a/feedback.jsonl": record("in a"),
      ".handoff/sessions/b/feedback.jsonl": record("in b"),
      "agent_state.json": { session_id: "a", next_action: "go on" },
    });
    const commands = async (options: object) =>
      (await loadSnapshot(root, { env: ENV, ...options })).feedback.tail.map(({ command }) => command);
    expect(await commands({})).toEqual(["in a"]);
    expect(await commands({ hookSessionId: "b" })).toEqual(["in b"]);
    expect(await commands({ hookSessionId: "b", sessionId: "c" })).toEqual([]);
  });

  test("P43 CI names the session", async () => {
    const env = { ...ENV, CI: "true", GITHUB_RUN_ID: "7", GITHUB_RUN_ATTEMPT: "3" };
    expect((await loadSnapshot(tempBench(), { env })).session).toEqual({ id: "ci-7-3", from: "ci" });
  });
});

describe("P43 the local session is named by the branch that git's facts name", () => {
  const CI = { ...ENV, GITHUB_REF_NAME: "ci/branch" };
  const rebase = (root: string) => {
    git(root, "checkout", "-q", "main");
    writeFileSync(path.join(root, "app.py"), "one\nother\n");
    git(root, "commit", "-q", "-a", "-m", "third");
    git(root, "checkout", "-q", "feat/signup");
    expect(() => git(root, "rebase", "-q", "main")).toThrow(/could not apply/u);
  };
  test.each<readonly [string, NodeJS.ProcessEnv, (root: string) => void, string]>([
    ["a branch", ENV, () => undefined, "local-feat-signup"],
    ["a branch, whatever the CI says", CI, () => undefined, "local-feat-signup"],
    ["a detached HEAD", ENV, (root) => git(root, "checkout", "-q", "--detach"), "local-detached-<12 hex>"],
    ["a detached HEAD in CI", CI, (root) => git(root, "checkout", "-q", "--detach"), "local-ci-branch"],
    ["an unborn branch", ENV, (root) => git(root, "checkout", "-q", "--orphan", "new"), "local-new"],
    ["a rebase", ENV, rebase, "local-feat-signup"],
    ["no repository", ENV, (root) => rmSync(path.join(root, ".git"), { recursive: true }), "local"],
    ["a broken repository", ENV, (root) => rmSync(path.join(root, ".git/HEAD")), "local"],
  ])("P43 P11 %s", async (_name, env, change, id) => {
    const root = repository();
    change(root);
    const snapshot = await loadSnapshot(root, { env });
    expect(await readBranch(root, env)).toBe(snapshot.git.branch);
    expect(snapshot.session.id.replace(/(?<=detached-)[0-9a-f]{12}$/u, "<12 hex>")).toBe(id);
  });
});

describe("real workbenches", () => {
  const REAL = path.join(FIXTURES, "real");
  const E2E = { state: "present", board: "present" };
  const REPORTS = { verification: "present", review: "present" };
  const V = { verification: "present" };
  /** Folder -> task asked for, what is present, records and nonzero ones, diagnostics other than missing artifacts. */
  const table: Readonly<
    Record<
      string,
      readonly [task: string | null, present: object, records: readonly [number, number], ...string[]]
    >
  > = {
    "32": [null, E2E, [0, 0]],
    "33": [null, {}, [0, 0], "rule_report: info artifact.unrecognized rule_report.json rule report"],
    "34": [null, E2E, [0, 0]],
    "35": [null, { last_known_good: "present" }, [0, 0]],
    "36": ["T-001", {}, [0, 0]],
    "37": [null, {}, [5, 2]],
    "38": ["T-002", V, [0, 0]],
    "38-demo": ["T-002", { ...V, overrides: "present" }, [0, 0]],
    "38-strict": ["T-003", V, [0, 0]],
    "39": ["T-002", { review: "present" }, [0, 0]],
    "42-e2e": ["T-001", { ...E2E, ...REPORTS, scope_report: "present" }, [4, 3]],
    "42-e2e-clean": ["T-001", { ...E2E, ...REPORTS, scope_contract: "present" }, [1, 0]],
    "42-e2e-empty": ["T-999", V, [0, 0]],
  };
  test("every folder is in the table", () => {
    expect(Object.keys(table).sort()).toEqual(readdirSync(REAL).sort());
  });
  test.each(Object.entries(table))("P1-P6 %s", async (name, [taskId, present, records, ...diagnostics]) => {
    const root = tempBench();
    cpSync(path.join(REAL, name), root, { recursive: true });
    const snapshot = await loadSnapshot(root, { env: ENV, taskId });
    expect(statuses(snapshot)).toEqual(present);
    expect([snapshot.feedback.total, snapshot.feedback.nonzero]).toEqual(records);
    const worth = lines(snapshot).filter(
      (line) => !/artifact\.missing|git\.(?:no_repository|commit_)/u.test(line),
    );
    expect(worth).toEqual(diagnostics);
  });

  test("P6 a scope report with findings, moved to where the workbench keeps it", async () => {
    const root = tempBench();
    cpSync(path.join(REAL, "36/closed"), path.join(root, "outputs/scope/closed"), { recursive: true });
    const { scope_report, scope_contract } = await loadSnapshot(root, { env: ENV, taskId: "T-001" });
    expect(scope_contract.status).toBe("missing");
    expect(scope_report.status === "present" && scope_report.value).toMatchObject({
      passed: false,
      soft_off_scope: [{ text: "README.md", pointer: "/soft_off_scope/0" }],
      stamped_at: 1_795_958_712_359,
    });
    expect(
      scope_report.status === "present" && scope_report.value.findings.map((f) => [f.code, f.severity]),
    ).toEqual([
      ["scope.forbidden", "block"],
      ["scope.soft_off_scope", "info"],
      ["acceptance.missing", "block"],
      ["time.over_budget", "block"],
      ["network.unallowed_host", "block"],
    ]);
  });
});

describe("diagnostics", () => {
  const diagnostic: fc.Arbitrary<Diagnostic> = fc.record({
    code: fc.constantFrom("artifact.missing", "artifact.field_invalid", "git.shallow"),
    severity: fc.constantFrom("error", "warn", "info"),
    artifact: fc.constantFrom("state", "review", "git", "feedback"),
    source: fc.option(fc.record({ path: fc.constantFrom("a", "b"), line: fc.nat(3) })),
    args: fc.dictionary(fc.constantFrom("x", "y"), fc.nat(2)),
  });
  test("P34 one order, whatever came first, and no repeats", () => {
    const shuffled = fc
      .array(diagnostic, { maxLength: 12 })
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
    fc.assert(
      fc.property(shuffled, ([all, other]) => {
        expect(sortDiagnostics([...other, ...all])).toEqual(sortDiagnostics(all));
      }),
    );
  });
});
