// A16: the files under templates/ci, run by their own shell steps: in clones as those CIs make them, with the CI's variables
// set and the built command line on the PATH. Only what needs the network is left out: installing, and `gh` is a script.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { temporaryFolder } from "../../workbench/git/test-repository.js";
import { buildCli, plainEnvironment, type BuiltCli } from "../testing/built-cli.js";
import { git, put, sampleWorkbench } from "../testing/sample-workbench.js";

let cli: BuiltCli;
let server = "";
let bin = "";
beforeAll(() => {
  cli = buildCli();
  bin = path.join(cli.folder, "bin");
  mkdirSync(bin);
  symlinkSync(cli.main, path.join(bin, "handoff"));
});
afterAll(() => cli.remove());

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly shell?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string | number>>;
}

const template = (name: string): unknown =>
  parse(readFileSync(path.join(cli.folder, "templates/ci", name), "utf8"));
const stepNamed = (steps: readonly Step[], name: string): Step => steps.find((step) => step.name === name)!;

/** `${{ name }}` filled in; an expression the test does not know is a failure of the test. */
function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{\{\s*(.+?)\s*\}\}/gu, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`unknown expression ${name}`);
    return value;
  });
}

function newServer(): string {
  const root = sampleWorkbench();
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** A server with a branch whose work is done and whose packet is committed. */
function pushed(findings: readonly object[] = []): string {
  server = newServer();
  put(server, "outputs/verification/T-001.json", {
    task_id: "T-001",
    passed: findings.length === 0,
    findings,
  });
  execFileSync(process.execPath, [cli.main, "generate"], { cwd: server, env: plainEnvironment() });
  git(server, "add", "--all");
  git(server, "commit", "--quiet", "--message", "Sign-up, and its packet");
  git(server, "update-ref", "refs/pull/12/head", "HEAD");
  return server;
}

/** A clone with HEAD detached, as a CI's checkout leaves it: of everything, or of one commit alone. */
function checkedOut(ref: string, how: "whole" | "shallow" = "whole"): string {
  const folder = path.join(temporaryFolder(), "work");
  git(path.dirname(folder), "init", "--quiet", "--initial-branch=unused", "work");
  git(folder, "remote", "add", "origin", `file://${server}`);
  const more = how === "whole" ? ["+refs/heads/*:refs/remotes/origin/*"] : ["--depth=1"];
  git(folder, "fetch", "--quiet", "origin", `+${ref}:refs/remotes/ref`, ...more);
  git(folder, "checkout", "--quiet", "--detach", "refs/remotes/ref");
  return folder;
}

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly summary: string;
  readonly outputs: string;
}

/** Runs a script as the CI does: from a file, by `shell`, with the CI's variables and two files to write to. */
function runScript(
  script: string,
  shell: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Ran {
  const own = temporaryFolder();
  const file = put(own, "step.sh", script);
  const [summaryFile, outputFile] = [put(own, "summary.md", ""), put(own, "outputs", "")];
  const [program = "", ...options] = shell;
  const { status, stdout, stderr } = spawnSync(program, [...options, file], {
    cwd,
    encoding: "utf8",
    env: {
      ...plainEnvironment({ PATH: `${bin}:${process.env["PATH"] ?? ""}` }),
      CI: "true",
      RUNNER_TEMP: own,
      GITHUB_OUTPUT: outputFile,
      ...env,
      ...(env["GITHUB_ACTIONS"] === undefined ? {} : { GITHUB_STEP_SUMMARY: summaryFile }),
    },
  });
  const read = (name: string): string => readFileSync(name, "utf8");
  return { code: status, stdout, stderr, summary: read(summaryFile), outputs: read(outputFile) };
}

/** What GitHub sets for a pull request. */
const PULL_REQUEST = {
  GITHUB_ACTIONS: "true",
  GITHUB_EVENT_NAME: "pull_request",
  GITHUB_REF: "refs/pull/12/merge",
  GITHUB_REF_NAME: "12/merge",
  GITHUB_HEAD_REF: "feat/signup",
  GITHUB_BASE_REF: "main",
  GITHUB_RUN_ID: "77",
  GITHUB_RUN_ATTEMPT: "1",
};
const BLOCKING = { code: "mail.lost", severity: "block", detail: "mails are lost" };
/** GitHub's `shell: bash`, and what it runs a step by that names no shell. */
const BASH = ["bash", "--noprofile", "--norc", "-eo", "pipefail"];
const DEFAULT_SHELL = ["bash", "-e"];

describe("A16 templates/ci/github-action", () => {
  interface Action {
    readonly inputs: Readonly<Record<string, { readonly default: string }>>;
    readonly runs: { readonly using: string; readonly steps: readonly Step[] };
  }

  /** Runs the step that calls handoff, with these inputs beside the defaults. */
  function act(cwd: string, inputs: Readonly<Record<string, string>>, env = {}): Ran {
    const action = template("github-action/action.yml") as Action;
    const defaults = Object.entries(action.inputs).map(([name, { default: value }]) => [name, value]);
    const given = { ...Object.fromEntries(defaults), install: "false", ...inputs } as Record<string, string>;
    const values = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [`inputs.${name}`, value]),
    );
    const step = stepNamed(action.runs.steps, "Packet");
    const own = Object.entries(step.env ?? {}).map(([name, value]) => [name, fillIn(value, values)]);
    return runScript(step.run ?? "", BASH, cwd, {
      ...PULL_REQUEST,
      GITHUB_WORKSPACE: cwd,
      ...(Object.fromEntries(own) as Record<string, string>),
      ...env,
    });
  }

  test("A16 is a composite action whose scripts take their inputs from variables alone", () => {
    const { runs } = template("github-action/action.yml") as Action;
    expect(runs.using).toBe("composite");
    const scripts = runs.steps.filter(({ run }) => run !== undefined);
    expect(scripts.map(({ shell }) => shell)).toEqual(["bash", "bash"]);
    // What is filled into a script's text would be run by it.
    expect(scripts.filter(({ run = "" }) => run.includes("${{"))).toEqual([]);
    expect(stepNamed(runs.steps, "Install").if).toBe("${{ inputs.install != 'false' }}");
  });

  test("A16 check: passes, shows the packet, says so in its output", () => {
    pushed();
    const { code, stdout, summary, outputs } = act(checkedOut("refs/pull/12/head"), {});
    expect([code, outputs]).toEqual([0, "passed=true\n"]);
    expect(stdout).toContain("passed outputs/handoff/s-2041/handoff.json");
    expect(stdout).not.toContain("::error");
    expect(summary).toMatch(/^\*\*Handoff check: passed\*\*/u);
    expect(summary).toContain("## Handoff: T-001");
  });

  test("A16 check: fails on a blocking risk, beside the file it is in", () => {
    pushed([BLOCKING]);
    const { code, stdout, summary, outputs } = act(checkedOut("refs/pull/12/head"), {});
    expect([code, outputs]).toEqual([1, "passed=false\n"]);
    expect(stdout).toContain(
      "::error title=handoff%3A blocking risk,file=outputs/verification/T-001.json::mails are lost (mail.lost)",
    );
    expect(summary).toContain("- **block** · mails are lost");
    expect(act(checkedOut("refs/pull/12/head"), { "fail-on": "never" }).code).toBe(0);
  });

  test("A16 check: the default, shallow checkout is diagnosed", () => {
    pushed();
    const { code, stdout, stderr } = act(checkedOut("refs/pull/12/head", "shallow"), {});
    expect(code).toBe(1);
    expect(stderr).toContain("fetch-depth: 0");
    expect(stdout).toMatch(
      /^::error title=handoff%3A stale packet,file=outputs\/handoff\/s-2041\/handoff\.md::.*shallow/mu,
    );
  });

  test("A16 generate: writes a packet of the job's session on the pull request's branch, from its target", () => {
    pushed();
    const cwd = checkedOut("refs/pull/12/head");
    rmSync(path.join(cwd, "agent_state.json"));
    rmSync(path.join(cwd, "outputs/handoff"), { recursive: true });
    const { code, summary } = act(cwd, { mode: "generate", task: "T-001" });
    expect(code).toBe(0);
    const packet = JSON.parse(
      readFileSync(path.join(cwd, "outputs/handoff/ci-77-1/handoff.json"), "utf8"),
    ) as unknown;
    expect(packet).toMatchObject({
      session_id: "ci-77-1",
      branch: "feat/signup",
      task_id: "T-001",
      handoff_reason: "ci",
      git: { base_commit: git(server, "rev-parse", "main").trim() },
    });
    expect(summary).toContain("## Handoff: T-001");
    expect(act(cwd, { mode: "other" }).code).toBe(2);
  });
});

describe("A16 templates/ci/github-workflow.yml", () => {
  interface Workflow {
    readonly jobs: { readonly packet: { readonly steps: readonly Step[] } };
  }

  test("A16 checks out what it needs, judges, and puts the packet into the pull request, twice alike", () => {
    pushed();
    const { steps } = (template("github-workflow.yml") as Workflow).jobs.packet;
    const checkout = steps.find(({ uses }) => uses?.startsWith("actions/checkout@") === true);
    expect(checkout?.with).toEqual({ "fetch-depth": 0, ref: "${{ github.event.pull_request.head.sha }}" });
    const cwd = checkedOut("refs/pull/12/head");
    const judged = runScript(
      stepNamed(steps, "Judge the packet").run ?? "",
      DEFAULT_SHELL,
      cwd,
      PULL_REQUEST,
    );
    expect([judged.code, judged.summary]).toEqual([0, expect.stringContaining("Handoff check: passed")]);

    // As gh does it: prints a body and a line end, takes one from a file.
    const forge = temporaryFolder();
    const body = put(forge, "body", "Closes nothing.\r\n\r\n- [ ] tested");
    const gh = put(
      forge,
      "gh",
      `#!/bin/sh\ncase "$2" in view) cat ${body}; echo ;; edit) cp "$5" ${body} ;; esac\n`,
    );
    chmodSync(gh, 0o755);
    const step = stepNamed(steps, "Put it into the pull request");
    const values = { "github.token": "x", "github.event.pull_request.html_url": "https://forge.example/12" };
    const own = Object.entries(step.env ?? {}).map(([name, value]) => [name, fillIn(value, values)]);
    const env = {
      ...PULL_REQUEST,
      ...(Object.fromEntries(own) as Record<string, string>),
      PATH: `${forge}:${bin}:${process.env["PATH"] ?? ""}`,
    };
    const bodies = [1, 2, 3].map(() => {
      expect(runScript(step.run ?? "", DEFAULT_SHELL, cwd, env).code).toBe(0);
      return readFileSync(body, "utf8");
    });
    expect(bodies[0]).toMatch(
      /^Closes nothing\.\r\n\r\n- \[ \] tested\r\n\r\n<!-- handoff:begin hp_[0-9a-f]{16} -->\r\n## Handoff: T-001\r\n[^]*<!-- handoff:end -->\r\n$/u,
    );
    expect(bodies.slice(1)).toEqual([bodies[0], bodies[0]]);
  });

  test("A16 a branch without a packet fails nothing, and its body stays as it is", () => {
    server = newServer();
    git(server, "update-ref", "refs/pull/12/head", "HEAD");
    const cwd = checkedOut("refs/pull/12/head");
    put(cwd, "agent_state.json", { next_action: "go on" });
    const { steps } = (template("github-workflow.yml") as Workflow).jobs.packet;
    const judged = runScript(
      stepNamed(steps, "Judge the packet").run ?? "",
      DEFAULT_SHELL,
      cwd,
      PULL_REQUEST,
    );
    expect([judged.code, judged.stdout]).toEqual([
      0,
      expect.stringContaining("::warning title=handoff%3A no packet"),
    ]);
    const step = stepNamed(steps, "Put it into the pull request");
    expect(runScript(step.run ?? "", DEFAULT_SHELL, cwd, { ...PULL_REQUEST, PULL_REQUEST: "x" }).code).toBe(
      0,
    );
  });
});

describe("A16 templates/ci/gitlab-ci.yml", () => {
  interface Pipeline {
    readonly handoff: {
      readonly variables: Readonly<Record<string, string>>;
      readonly script: readonly string[];
      readonly artifacts: { readonly paths: readonly string[] };
    };
  }

  /** A job's variables are in its environment; its lines make one script. */
  function job(cwd: string, variables: Readonly<Record<string, string>> = {}): Ran {
    const { handoff } = template("gitlab-ci.yml") as Pipeline;
    const target = git(server, "rev-parse", "main").trim();
    return runScript(handoff.script.join("\n"), BASH, cwd, {
      GITLAB_CI: "true",
      CI_PIPELINE_SOURCE: "merge_request_event",
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "feat/signup",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      CI_MERGE_REQUEST_DIFF_BASE_SHA: target,
      CI_COMMIT_REF_NAME: "feat/signup",
      CI_PIPELINE_ID: "901",
      CI_JOB_ID: "55",
      ...handoff.variables,
      HANDOFF_INSTALL: "false",
      ...variables,
    });
  }

  test("A16 clones everything, judges the committed packet, keeps it", () => {
    pushed();
    const { handoff } = template("gitlab-ci.yml") as Pipeline;
    expect(handoff.variables["GIT_DEPTH"]).toBe("0");
    const cwd = checkedOut("refs/pull/12/head");
    const passed = job(cwd);
    expect([passed.code, passed.stdout]).toEqual([0, "passed outputs/handoff/s-2041/handoff.json\n"]);
    for (const kept of handoff.artifacts.paths) expect(existsSync(path.join(cwd, kept))).toBe(true);
    put(cwd, "app/signup.py", "other\n");
    expect([job(cwd).code, job(cwd, { HANDOFF_FAIL_ON: "never" }).code]).toEqual([1, 0]);
  });

  test("A16 generate: a packet of the job, from the commit GitLab names", () => {
    pushed([BLOCKING]);
    const cwd = checkedOut("refs/pull/12/head");
    rmSync(path.join(cwd, "agent_state.json"));
    writeFileSync(path.join(cwd, "notes.txt"), "x\n");
    const { code, stderr } = job(cwd, { HANDOFF_MODE: "generate" });
    expect([code, stderr]).toEqual([1, expect.stringContaining("check.risk: mails are lost")]);
    const packet = JSON.parse(
      readFileSync(path.join(cwd, "outputs/handoff/ci-901-55/handoff.json"), "utf8"),
    ) as unknown;
    expect(packet).toMatchObject({
      branch: "feat/signup",
      git: { base_commit: git(server, "rev-parse", "main").trim() },
    });
  });
});
