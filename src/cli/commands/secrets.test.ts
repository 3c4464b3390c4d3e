// S13: a secret that stands in an artifact, in git, in an option or in the environment is told by no command and written to no
// file. Every command, every option; what is looked through is all that was printed and every file that is not an input.
import { readFileSync, readdirSync, lstatSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { join, made, SHAPED } from "../../redact/corpus-fixture.js";
import { handoffPacketSchema } from "../../model/packet.js";
import { COMMANDS } from "../command-table.js";
import { renderEditFile } from "../edit/render-edit-file.js";
import type { CliRun } from "../testing/built-cli.js";
import { runHere } from "../testing/run-here.js";
import { git, put, sampleWorkbench } from "../testing/sample-workbench.js";

const TOKEN = SHAPED.find(({ kind }) => kind === "github-token")?.secret ?? "";
const OTHER = SHAPED.find(({ kind }) => kind === "aws-access-key")?.secret ?? "";
/** Without a shape of its own: only the environment says that it is one. */
const VALUE = made("deploy", 24);
const ENV = { [join("DEPLOY", "_TOKEN")]: VALUE };
const SECRETS = [TOKEN, OTHER, VALUE];
const ALL = SECRETS.join(" and ");

const outputs = new Map<string, string>();

/** Fails when a secret stands in a text; the text itself is not shown. */
function expectClean(text: string, where: string): void {
  const told = SECRETS.flatMap((secret, i) => (text.includes(secret) ? [`secret ${i} in ${where}`] : []));
  expect(told).toEqual([]);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => !/^\.git(?:$|\/)/u.test(name) && lstatSync(path.join(folder, name)).isFile(),
  );
}

/** Every file that was not there before, its name too. */
function expectCleanFiles(root: string, inputs: ReadonlySet<string>, named: readonly string[] = []): number {
  const written = filesBelow(root).filter((name) => !inputs.has(name));
  for (const name of written) {
    // A folder that a person named is theirs.
    if (!named.some((given) => name.startsWith(given))) expectClean(name, "a file's name");
    expectClean(readFileSync(path.join(root, name), "latin1"), name.slice(0, 40));
  }
  return written.length;
}

/** A workbench with secrets in everything it holds, each artifact whole or broken. */
function secretWorkbench(broken: boolean): string {
  const root = sampleWorkbench();
  put(root, `app/${TOKEN}.py`, `${ALL}\n`);
  git(root, "add", "app");
  git(root, "commit", "--quiet", "--message", `Use ${ALL}`);
  put(root, `app/${VALUE}.txt`, "x\n");
  const state = {
    session_id: "s-2041",
    active_task_id: "T-001",
    next_action: `deploy with ${ALL}`,
    summary: ALL,
    doing: ALL,
    touched_files: [`app/${OTHER}.py`],
    decisions: [{ what: ALL, why: ALL }],
    dead_ends: [{ what: ALL, why: ALL }],
    questions: [ALL],
    risks: [{ severity: ALL, detail: ALL }],
    [TOKEN]: 1,
  };
  const text = JSON.stringify(state);
  put(root, "agent_state.json", broken ? `${text.slice(0, -1)},"${OTHER}":${VALUE}}` : text);
  put(root, "task_board.json", [
    { id: "T-001", goal: ALL, owner: "human", acceptance: [ALL] },
    { id: broken ? TOKEN : "T-002", goal: { [VALUE]: OTHER }, status: broken ? "doing" : ALL },
  ]);
  const finding = { code: ALL, severity: ALL, detail: ALL };
  put(root, "outputs/verification/T-001.json", {
    task_id: broken ? TOKEN : "T-001",
    passed: ALL,
    findings: [finding, { ...finding, severity: [VALUE] }],
    head_commit: TOKEN,
  });
  put(root, "outputs/review/T-001.json", {
    task_id: "T-001",
    total: ALL,
    verdict: ALL,
    dimensions: [{ name: ALL, score: TOKEN }],
  });
  put(root, "last_known_good.json", { commit: TOKEN });
  const record = { command: ["deploy", "--token", VALUE, TOKEN], exit_code: 1, stderr_tail: ALL, error: ALL };
  put(
    root,
    "feedback_record.jsonl",
    [JSON.stringify(record), `{"command": "${ALL}`, TOKEN, JSON.stringify({ ...record, exit_code: 0 })].join(
      "\n",
    ),
  );
  return root;
}

describe.each([
  ["whole artifacts", false],
  ["broken artifacts", true],
])("S13 %s full of secrets", (_, broken) => {
  let root = "";
  let inputs: ReadonlySet<string> = new Set();
  const run = (...args: string[]): Promise<CliRun> => runHere(args, { cwd: root, env: ENV });
  beforeAll(() => {
    root = secretWorkbench(broken);
    inputs = new Set(filesBelow(root));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test("no command tells one, and none is in any file that is written", async () => {
    put(root, "bad-edit.yaml", `next_action: [${TOKEN}\n${VALUE}: {`);
    const own = new Set([...inputs, "edit.yaml", "bad-edit.yaml"]);
    const lines = [
      ["generate", "--allow-degraded", "--verbose"],
      ["generate", "--allow-degraded", "--json"],
      ["generate", "--allow-degraded", "--dry-run"],
      ["generate", "--allow-degraded", "--stdout", "md"],
      ["generate", "--allow-degraded", "--stdout", "json"],
      ["doctor"],
      ["doctor", "--json"],
      ["list"],
      ["list", "--json"],
      ["log"],
      ["log", "--json"],
      ["show"],
      ["show", "--json"],
      ["show", "--brief"],
      ["check"],
      ["check", "--json"],
      ["brief", "--consume", "--by", "s-9"],
      ["brief", "--json"],
      ["pr-body"],
      ["pr-body", "--json"],
      ["pr-body", "--into", "body.md"],
      ["edit", "--from", "edit.yaml", "--json"],
      ["edit", "--from", "bad-edit.yaml"],
      ["diff"],
      ["diff", "--json"],
      ["archive", "--keep", "0", "--json"],
      ["doctor", "--repair"],
    ];
    const codes: string[] = [];
    for (const line of lines) {
      if (line.includes("edit.yaml")) {
        const packet = handoffPacketSchema.parse(JSON.parse(outputs.get("show --json") ?? ""));
        put(root, "edit.yaml", renderEditFile({ ...packet, next_action: `use ${ALL}`, scene: [ALL] }));
      }
      if (line.join(" ") === "check") {
        git(root, "add", "app");
        git(root, "commit", "--quiet", "--message", `Later ${ALL}`);
      }
      const { code, stdout, stderr } = await run(...line);
      codes.push(`${line.join(" ")}: ${code}`);
      expectClean(stdout, `stdout of ${line.join(" ")}`);
      expectClean(stderr, `stderr of ${line.join(" ")}`);
      outputs.set(line.join(" "), stdout + stderr);
      expect([line, code]).not.toEqual([line, 70]);
    }
    // They did what they were asked: a packet there is, with marks in it.
    expect(codes.slice(0, 5).every((line) => line.endsWith(": 0"))).toBe(true);
    expect(outputs.get("show --json")).toContain("[redacted:");
    expect(outputs.get("check")).toContain("drift");
    expect(codes).toContain("edit --from edit.yaml --json: 0");
    expect(outputs.get("edit --from bad-edit.yaml")).toContain("edit.invalid");
    expect(expectCleanFiles(root, own)).toBeGreaterThan(4);
  });
});

test("S13 what is cut is looked through first", async () => {
  const root = sampleWorkbench();
  try {
    put(root, "outputs/verification/T-001.json", `{"${"x".repeat(1960)} ${TOKEN}`);
    put(root, "outputs/review/T-001.json", {
      task_id: `${"x".repeat(1940)} ${TOKEN}`,
      total: 9,
      verdict: "pass",
      dimensions: [],
    });
    for (const args of [
      ["doctor"],
      ["doctor", "--json"],
      ["generate", "--verbose"],
      ["generate", "--base", `${"x".repeat(1965)} ${TOKEN}`],
    ]) {
      const { stdout, stderr } = await runHere(args, { cwd: root });
      // Not even the beginning of it.
      expect([args[0], (stdout + stderr).includes(TOKEN.slice(0, 12))]).toEqual([args[0], false]);
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

describe("S13 secrets in options", () => {
  let root = "";
  let inputs: ReadonlySet<string> = new Set();
  beforeAll(async () => {
    root = sampleWorkbench();
    await runHere(["generate"], { cwd: root });
    inputs = new Set(filesBelow(root).filter((name) => !name.startsWith("outputs/handoff")));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  /** The same code for every command; brief shows a path too. */
  const PLACES = new Set(["root", "config", "out"]);
  const options = COMMANDS.flatMap(({ name, positionals, options: known }) => [
    ...Object.entries(known).flatMap(([option, { type }]) =>
      type === "string" && (!PLACES.has(option) || name === "generate" || name === "brief")
        ? [[name, option]]
        : [],
    ),
    ...(positionals === "" ? [] : [[name, ""]]),
  ]) as [string, string][];

  test.each(options)("%s --%s", async (name, option) => {
    const told: { code: number | null; refused: boolean }[] = [];
    const hasJson = "json" in (COMMANDS.find((command) => command.name === name)?.options ?? {});
    for (const [secret, more] of [
      [TOKEN, []],
      [VALUE, hasJson ? ["--json"] : []],
    ] as const) {
      const words =
        option === "" ? [secret] : option === "by" ? ["--consume", "--by", secret] : [`--${option}`, secret];
      const { code, stdout, stderr } = await runHere([name, ...words, ...more], { cwd: root, env: ENV });
      expect([code, stderr]).not.toEqual([70, stderr]);
      expectClean(stdout, "stdout");
      expectClean(stderr, "stderr");
      told.push({
        code,
        refused: /^handoff: usage\.bad_id: .*\[redacted:[a-z-]+\].* holds a secret$/mu.test(stderr),
      });
    }
    const isId = ["session", "task", "topic", "by", "for", "run", "request-id"].includes(option);
    // Ids would stand in file names, so they are refused; nothing else is refused for this reason.
    expect(told.map(({ refused }) => refused)).toEqual([isId, isId]);
    expect(told.filter(({ code, refused }) => refused && code !== 2)).toEqual([]);
    expectCleanFiles(root, inputs, [TOKEN, VALUE]);
  });

  test.each([[`--${TOKEN}`], [TOKEN], [`--${VALUE}=x`]])("a word that is not understood", async (word) => {
    for (const words of [[word], ["check", word], ["generate", word, "--json"]]) {
      const { code, stdout, stderr } = await runHere(words, { cwd: root, env: ENV });
      expect(code).not.toBe(70);
      expectClean(stdout + stderr, "the output");
    }
  });
});

describe("P43, S13 ids that are secrets are passed by", () => {
  test.each<[string, (root: string) => Record<string, string>, string | null, string | null]>([
    [
      "the state's session",
      (root) => (put(root, "agent_state.json", { session_id: TOKEN, next_action: "x the y" }), {}),
      "local-feat-signup",
      "T-001",
    ],
    [
      "the state's task",
      (root) => (
        put(root, "agent_state.json", { session_id: "s-1", active_task_id: TOKEN, next_action: "x the y" }),
        {}
      ),
      "s-1",
      "T-001",
    ],
    [
      "the board's task",
      (root) => (
        put(root, "agent_state.json", { session_id: "s-1", next_action: "x the y" }),
        put(root, "task_board.json", [{ id: TOKEN, goal: "g", status: "doing" }]),
        {}
      ),
      "s-1",
      null,
    ],
    [
      "the CI's run",
      (root) => (put(root, "agent_state.json", { next_action: "x the y" }), { GITHUB_RUN_ID: TOKEN }),
      "local-feat-signup",
      "T-001",
    ],
    [
      "the branch",
      (root) => (
        put(root, "agent_state.json", { next_action: "x the y" }),
        git(root, "checkout", "--quiet", "-b", TOKEN),
        {}
      ),
      "local",
      "T-001",
    ],
  ])("%s", async (_, prepare, session, task) => {
    const root = sampleWorkbench();
    try {
      const env = prepare(root);
      const inputs = new Set(filesBelow(root));
      const { code, stdout, stderr } = await runHere(["generate", "--json"], { cwd: root, env });
      expect([code, JSON.parse(stdout).packet.session_id, JSON.parse(stdout).packet.task_id]).toEqual([
        0,
        session,
        task,
      ]);
      expectClean(stdout + stderr, "the output");
      const taken = await runHere(["brief", "--consume"], { cwd: root, env });
      expect(taken.code).toBe(0);
      expectClean(taken.stdout + taken.stderr, "the brief");
      expect(expectCleanFiles(root, inputs)).toBeGreaterThan(3);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  test("packets of a branch whose name is a secret follow each other and are found", async () => {
    const root = sampleWorkbench();
    try {
      git(root, "checkout", "--quiet", "-b", TOKEN);
      await runHere(["generate"], { cwd: root });
      put(root, "agent_state.json", { session_id: "s-2042", next_action: "go on with it" });
      await runHere(["generate"], { cwd: root });
      const of = async (...args: string[]) =>
        JSON.parse((await runHere([...args, "--json"], { cwd: root })).stdout);
      const { packets } = await of("log");
      expect(packets.map(({ session_id, status }: Record<string, unknown>) => [session_id, status])).toEqual([
        ["s-2042", "active"],
        ["s-2041", "superseded"],
      ]);
      expect((await of("list", "--branch", TOKEN)).packets).toHaveLength(2);
      expect((await of("check")).verdict).toBe("fresh");
      expect((await of("archive", "--keep", "0", "--branch", TOKEN)).packets).toHaveLength(2);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  test("the configuration's topic", async () => {
    const root = sampleWorkbench();
    try {
      put(root, "handoff.config.json", { topic: TOKEN });
      const { code, stdout, stderr } = await runHere(["generate"], { cwd: root });
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain('config.invalid: /topic: "[redacted:github-token]" holds a secret');
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
