// A16: generate as a CI runs it: --check and --fail-on, annotations, the job summary, the CI's own variables.
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { runHere } from "../testing/run-here.js";
import { git, put, sampleWorkbench } from "../testing/sample-workbench.js";
import { SESSION, expectUsageError, packetIn, tree } from "../testing/use-cli.js";

let root = "";
beforeEach(() => {
  root = sampleWorkbench();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const run = (...args: string[]) => runHere(args, { cwd: root });
const blockingFinding = { code: "mail.lost", severity: "block", detail: "50% of mails are lost, see a:b" };
const withBlockingRisk = (findings: readonly object[] = [blockingFinding]): void =>
  void put(root, "outputs/verification/T-001.json", { task_id: "T-001", passed: false, findings });

/** A GitHub job in this repository. */
function github(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_WORKSPACE: root,
    GITHUB_RUN_ID: "77",
    GITHUB_RUN_ATTEMPT: "1",
    GITHUB_STEP_SUMMARY: path.join(root, ".git/summary.md"),
    ...extra,
  };
}
const inJob = (args: readonly string[], extra: Readonly<Record<string, string>> = {}) =>
  runHere(args, { cwd: root, env: github(extra) });
const summary = (): string => readFileSync(path.join(root, ".git/summary.md"), "utf8");

describe("A16 generate --check", () => {
  test("A16 judges this branch's packet and writes nothing", async () => {
    await run("generate");
    const before = tree(root);
    const passed = await run("generate", "--check");
    expect([passed.code, passed.stdout]).toEqual([0, `passed ${SESSION}/handoff.json\n`]);
    appendFileSync(path.join(root, "app/signup.py"), "print('more')\n");
    const { "app/signup.py": _changed, ...same } = before;
    const failed = await run("generate", "--check");
    expect([failed.code, failed.stdout]).toEqual([1, `failed ${SESSION}/handoff.json\n`]);
    expect(failed.stderr).toMatch(/^handoff: drift\.tree: .+\n {2}.+\n {4}app\/signup\.py\n/u);
    expect(tree(root)).toMatchObject(same);
    expect((await run("generate", "--check", "--fail-on", "never")).code).toBe(0);
  });

  test("A16 a packet that was committed with the work it saw passes, in a clone too", async () => {
    put(root, "app/mail.py", "one\n");
    await run("generate");
    git(root, "add", "app", "outputs/handoff");
    git(root, "commit", "--quiet", "--message", "Mail, and the packet");
    expect((await run("generate", "--check")).code).toBe(0);
    const clone = `${root}-clone`;
    const shallow = `${root}-shallow`;
    onTestFinished(() =>
      [clone, shallow].forEach((folder) => rmSync(folder, { recursive: true, force: true })),
    );
    git(root, "clone", "--quiet", "--branch", "feat/signup", `file://${root}`, clone);
    const there = await runHere(["generate", "--check"], { cwd: clone });
    expect([there.code, there.stdout]).toEqual([0, `passed ${SESSION}/handoff.json\n`]);
    // Everything is there to see, in the clone as CIs make them by default it is not.
    git(root, "clone", "--quiet", "--depth=1", "--branch", "feat/signup", `file://${root}`, shallow);
    const blind = await runHere(["generate", "--check"], { cwd: shallow });
    expect(blind.code).toBe(1);
    expect(blind.stderr).toMatch(/drift\.head_unreachable: .*the clone is shallow\)\n {2}.*fetch-depth: 0/u);
  });

  test("A16 degraded, and a blocking risk", async () => {
    withBlockingRisk();
    await run("generate");
    const risky = await run("generate", "--check");
    expect(risky.code).toBe(1);
    expect(risky.stderr).toMatch(
      /handoff: check\.risk: 50% of mails are lost, see a:b .*\(outputs\/verification/u,
    );
    for (const name of ["agent_state.json", "task_board.json", "feedback_record.jsonl", "outputs"])
      rmSync(path.join(root, name), { recursive: true });
    expect((await run("generate", "--allow-degraded")).code).toBe(0);
    const degraded = await run("generate", "--check");
    expect([degraded.code, degraded.stderr]).toEqual([1, expect.stringContaining("check.degraded")]);
  });

  test("A16 without a packet it judges what generate would write", async () => {
    const before = tree(root);
    const fine = await run("generate", "--check");
    expect([fine.code, fine.stdout]).toEqual([0, "passed what generate would write for feat/signup\n"]);
    expect(fine.stderr).toContain("handoff: check.unpublished: ");
    expect((await run("generate", "--check", "--fail-on", "warn")).code).toBe(1);
    withBlockingRisk();
    expect((await run("generate", "--check")).code).toBe(1);
    expect(existsSync(path.join(root, "outputs/handoff"))).toBe(false);
    expect(Object.keys(tree(root))).toEqual(Object.keys(before));
  });

  test("A16 --session names the packet to judge", async () => {
    await run("generate");
    await run("generate", "--session", "s-9", "--topic", "docs");
    const args = ["generate", "--check", "--session", "s-9"];
    expect((await run(...args)).stdout).toBe("passed outputs/handoff/s-9/handoff.json\n");
  });

  test("P41 --json, and what does not go together", async () => {
    withBlockingRisk();
    await run("generate");
    const { code, stdout } = await run("generate", "--check", "--json");
    const result = JSON.parse(stdout) as Record<string, unknown>;
    expect(code).toBe(1);
    expect(Object.keys(result)).toEqual([
      "ok",
      "packet",
      "path",
      "changed",
      "dry_run",
      "check",
      "error",
      "diagnostics",
    ]);
    expect(result).toMatchObject({
      ok: false,
      packet: packetIn(root),
      path: path.join(root, SESSION, "handoff.json"),
      error: null,
      check: {
        passed: false,
        fail_on: "block",
        findings: [{ code: "check.risk", severity: "block", items: [] }],
      },
    });
    expectUsageError(await run("generate", "--check", "--stdout", "md"), "usage.arguments", "--stdout");
    expectUsageError(await run("generate", "--fail-on", "info"), "usage.value", "block or warn or never");
  });
});

describe("A16 generate --fail-on", () => {
  test("A16 writes the packet, then judges it", async () => {
    withBlockingRisk();
    const result = await run("generate", "--fail-on", "block");
    expect(result.code).toBe(1);
    expect(result.stdout).toContain(`${SESSION}/handoff.md`);
    expect(result.stderr).toContain("handoff: check.risk: ");
    expect(packetIn(root)["session_id"]).toBe("s-2041");
    expect((await run("generate", "--fail-on", "never")).code).toBe(0);
    expect((await run("generate")).code).toBe(0);
    const preview = await run("generate", "--fail-on", "block", "--stdout", "json");
    expect([preview.code, JSON.parse(preview.stdout)]).toEqual([1, packetIn(root)]);
  });
});

describe("A16 in a job", () => {
  test("A16 GitHub: an annotation a blocking risk, the packet as the job's summary, once", async () => {
    withBlockingRisk();
    const result = await inJob(["generate"]);
    expect(result.code).toBe(0);
    const annotations = result.stdout.split("\n").filter((line) => line.startsWith("::"));
    expect(annotations).toEqual([
      "::error title=handoff%3A blocking risk,file=outputs/verification/T-001.json::" +
        "50%25 of mails are lost, see a:b (mail.lost)",
    ]);
    expect(packetIn(root)["handoff_reason"]).toBe("ci");
    expect(summary()).toMatch(/^<!-- handoff:begin hp_[0-9a-f]{16} -->\n## Handoff: T-001\n/u);
    const again = await inJob(["generate", "--check"]);
    expect(again.code).toBe(1);
    expect(summary().match(/## Handoff/gu)).toHaveLength(1);
    expect(summary()).toMatch(
      /\*\*Handoff check: failed\*\* \(fails on block\)\n\n- \*\*block\*\* · 50% of/u,
    );
  });

  test("A16 files are named from the repository's top, and only those in it", async () => {
    withBlockingRisk([blockingFinding, { ...blockingFinding, code: "other" }]);
    const top = path.dirname(root);
    const [line] = (await inJob(["generate"], { GITHUB_WORKSPACE: top })).stdout.match(/^::.*$/mu) ?? [];
    expect(line).toContain(`,file=${path.basename(root)}/outputs/verification/T-001.json::`);
    const [elsewhere] =
      (await inJob(["generate"], { GITHUB_WORKSPACE: "/usr/lib" })).stdout.match(/^::.*$/mu) ?? [];
    expect(elsewhere).toMatch(/^::error title=handoff%3A blocking risk::/u);
  });

  test("A16 Azure: issues, and the packet on the build's page; with --json stdout is JSON all the same", async () => {
    withBlockingRisk();
    const env = { TF_BUILD: "True", BUILD_BUILDID: "9", BUILD_SOURCESDIRECTORY: root };
    const { stdout } = await runHere(["generate"], { cwd: root, env });
    expect(stdout).toContain(
      "##vso[task.logissue type=error;sourcepath=outputs/verification/T-001.json]handoff: blocking risk: 50%AZP25 of",
    );
    expect(stdout).toContain(`##vso[task.uploadsummary]${root}/${SESSION}/handoff.md\n`);
    const json = await inJob(["generate", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: true });
    expect(json.stderr).toMatch(/^::error /mu);
  });

  test("A16 what only looks writes no summary; a summary that cannot be written changes nothing", async () => {
    await inJob(["generate", "--dry-run"]);
    await inJob(["generate", "--stdout", "md"]);
    expect(existsSync(path.join(root, ".git/summary.md"))).toBe(false);
    const result = await inJob(["generate"], { GITHUB_STEP_SUMMARY: path.join(root, "no/such/file") });
    expect(result.code).toBe(0);
    expect(result.stderr).toMatch(/^handoff: ci\.summary_failed: the job summary was not written: ENOENT\n/u);
  });

  test("A16 without a state the session is the job's, branch and base are the pull request's", async () => {
    rmSync(path.join(root, "agent_state.json"));
    const start = git(root, "rev-parse", "main").trim();
    git(root, "checkout", "--quiet", "--detach");
    const result = await inJob(["generate"], {
      GITHUB_HEAD_REF: "feat/signup",
      GITHUB_BASE_REF: "main",
      GITHUB_REF_NAME: "12/merge",
    });
    expect(result.code).toBe(0);
    expect(packetIn(root, "outputs/handoff/ci-77-1")).toMatchObject({
      session_id: "ci-77-1",
      branch: "feat/signup",
      git: { base_commit: start, detached: true },
      handoff_reason: "ci",
    });
  });

  test("A16 no text from a log starts a command of the CI's", async () => {
    put(root, "agent_state.json", {
      session_id: "s-2041",
      next_action: "look ##[add-path]/x and ##vso[task.setvariable variable=PATH]/x",
    });
    const { stdout } = await inJob(["generate"]);
    expect(stdout).toContain("next: look");
    const { stdout: json } = await inJob(["generate", "--json"]);
    expect(JSON.parse(json).packet.next_action).toBe(
      "look ##[add-path]/x and ##vso[task.setvariable variable=PATH]/x",
    );
    expect(json).not.toMatch(/##\[|##vso\[|^\s*::/mu);
    put(root, "::add-mask::a", "x\n");
    const { stderr } = await inJob(["generate", "--check"]);
    expect(stderr).toContain("add-mask");
    expect(`${stdout}${stderr}`).not.toMatch(/##\[|##vso\[|^\s*::add/mu);
  });

  test("S13 no secret gets into annotations or summary", async () => {
    const token = ["ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("_");
    withBlockingRisk([{ ...blockingFinding, detail: `fails with ${token}` }]);
    await inJob(["generate"]);
    appendFileSync(path.join(root, "app/signup.py"), "x\n");
    git(root, "commit", "--quiet", "--all", "--message", `Use ${token}`);
    const { stdout, stderr } = await inJob(["generate", "--check"]);
    expect(stdout).toMatch(/^::error /mu);
    expect(`${stdout}${stderr}${summary()}`).not.toContain(token);
  });
});
