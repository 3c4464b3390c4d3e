// What happens to packets after they were generated: list, log, diff, archive, brief with its drift and takers, repair.
// In real repositories.
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { CliRun } from "../testing/built-cli.js";
import { runHere } from "../testing/run-here.js";
import { emptyFolder, git, put, sampleWorkbench } from "../testing/sample-workbench.js";
import { SESSION, expectUsageError, packetIn, read, tree } from "../testing/use-cli.js";

const made: string[] = [];
afterEach(() => {
  for (const one of made.splice(0)) rmSync(one, { recursive: true, force: true });
});
const track = (root: string): string => {
  made.push(root);
  return root;
};
const bench = (): string => track(sampleWorkbench());
const folder = (): string => track(emptyFolder());
const run = (cwd: string, ...args: string[]): Promise<CliRun> => runHere(args, { cwd });
const start = runHere;

/** Another session takes the work on: a new state, and more commands on record. */
function nextSession(root: string, session_id: string, state: Record<string, unknown> = {}): void {
  put(root, "agent_state.json", {
    session_id,
    active_task_id: "T-001",
    next_action: `go on as ${session_id}`,
    ...state,
  });
  appendFileSync(
    path.join(root, "feedback_record.jsonl"),
    '{"command": "make", "exit_code": 0, "ts": "2026-11-30T10:00:00Z"}\n',
  );
}
const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;
type Row = Record<string, unknown>;
async function rows(root: string, ...args: string[]): Promise<Row[]> {
  return json((await run(root, "list", "--json", ...args)).stdout)["packets"] as Row[];
}
/** Who took the newest packet. */
const takers = async (root: string): Promise<unknown[]> =>
  ((await rows(root)).flatMap((row) => row["consumed_by"]) as Row[]).map(({ by }) => by);
const idIn = (root: string, session = SESSION): string => String(packetIn(root, session)["packet_id"]);

describe("S10 list, log and diff", () => {
  test("list gives every packet, newest first, in the shape S10 names, and narrows", async () => {
    const root = bench();
    expect(await run(root, "list")).toMatchObject({ code: 0, stdout: "" });
    expect(await rows(root)).toEqual([]);
    await run(root, "generate");
    nextSession(root, "s-2042");
    await run(root, "generate");
    git(root, "checkout", "--quiet", "main");
    nextSession(root, "s-2043");
    await run(root, "generate", "--topic", "docs");
    const all = await rows(root);
    expect(all).toEqual([
      {
        packet_id: idIn(root, "outputs/handoff/s-2043"),
        session_id: "s-2043",
        branch: "main",
        topic: "docs",
        status: "active",
        path: path.join(root, "outputs/handoff/s-2043/handoff.json"),
        generated_at: "2026-11-30T10:00:00.000Z",
        next_action: "go on as s-2043",
        supersedes: null,
        superseded_by: null,
        consumed_by: [],
      },
      expect.objectContaining({ session_id: "s-2042", status: "active", supersedes: idIn(root) }),
      expect.objectContaining({
        session_id: "s-2041",
        status: "superseded",
        superseded_by: idIn(root, "outputs/handoff/s-2042"),
      }),
    ]);
    const ids = async (...args: string[]): Promise<unknown[]> =>
      (await rows(root, ...args)).map((row) => row["session_id"]);
    expect(await ids("--status", "active")).toEqual(["s-2043", "s-2042"]);
    expect(await ids("--branch", "feat/signup")).toEqual(["s-2042", "s-2041"]);
    expect(await ids("--topic", "docs")).toEqual(["s-2043"]);
    expectUsageError(
      await run(root, "list", "--status", "gone"),
      "usage.value",
      "active or superseded or archived",
    );
    const table = (await run(root, "list")).stdout.split("\n");
    expect(table).toHaveLength(5);
    expect(table[0]).toMatch(/^PACKET +AGE +BRANCH +TOPIC +STATUS +SESSION +NEXT ACTION$/u);
    expect(table[3]).toMatch(
      /^hp_[0-9a-f]{8} +\S+ +feat\/signup +main +superseded +s-2041 +mend what ruff says/u,
    );
  });

  test("log tells the chain of this branch and topic, newest first, with who took what", async () => {
    const root = bench();
    for (const session of ["s-2041", "s-2042", "s-2043"]) {
      if (session !== "s-2041") nextSession(root, session);
      await run(root, "generate");
      if (session === "s-2041") await run(root, "brief", "--consume", "--by", "s-2042");
    }
    const { code, stdout } = await run(root, "log");
    expect(code).toBe(0);
    expect(stdout.match(/^hp_.*$/gmu)).toEqual([
      `${idIn(root, "outputs/handoff/s-2043")} active`,
      `${idIn(root, "outputs/handoff/s-2042")} superseded`,
      `${idIn(root)} superseded`,
    ]);
    expect(stdout).toMatch(/taken by s-2042, \d{4}-\d\d-\d\d \d\d:\d\d UTC\n$/u);
    const chain = json((await run(root, "log", "--json")).stdout)["packets"] as Row[];
    expect(chain.map((row) => row["session_id"])).toEqual(["s-2043", "s-2042", "s-2041"]);
    git(root, "checkout", "--quiet", "main");
    const none = await run(root, "log");
    expect([none.code, none.stdout]).toEqual([1, ""]);
    expect(none.stderr).toContain("active packets: feat/signup");
    expect((await run(root, "log", "--branch", "feat/signup")).stdout).toBe(stdout);
  });

  test("diff tells what changed, between two packets or since the one before", async () => {
    const root = bench();
    await run(root, "generate");
    const lonely = await run(root, "diff");
    expect([lonely.code, lonely.stderr]).toEqual([1, expect.stringContaining("superseded no packet")]);
    nextSession(root, "s-2042");
    await run(root, "generate");
    const { code, stdout } = await run(root, "diff");
    expect(code).toBe(0);
    expect(stdout).toContain(
      "next_action\n  - mend what ruff says about app/signup.py\n  + go on as s-2042\n",
    );
    expect(stdout).toContain("feedback.total\n  - 3\n  + 4\n");
    const back = json((await run(root, "diff", "s-2042", "s-2041", "--json")).stdout);
    expect(back["fields"]).toContainEqual(
      expect.objectContaining({ field: "next_action", from: "go on as s-2042" }),
    );
    expect((await run(root, "diff", "s-2041", idIn(root).slice(0, 9))).stdout).toContain("the same content");
  });
});

test("S12 the store leaves what git ignores to people: no .gitignore and no exclude of theirs is touched", async () => {
  const root = bench();
  put(root, ".gitignore", "node_modules/\n");
  git(root, "add", ".gitignore");
  git(root, "commit", "--quiet", "-m", "Ignore modules");
  const exclude = path.join(root, ".git/info/exclude");
  const before = existsSync(exclude) ? readFileSync(exclude, "utf8") : null;
  await run(root, "generate");
  nextSession(root, "s-2042");
  await run(root, "generate");
  await run(root, "brief", "--consume", "--by", "s-2043");
  await run(root, "archive", "--keep", "1");
  await run(root, "doctor", "--repair");
  expect(readFileSync(path.join(root, ".gitignore"), "utf8")).toBe("node_modules/\n");
  expect(existsSync(exclude) ? readFileSync(exclude, "utf8") : null).toBe(before);
  expect(git(root, "status", "--porcelain", "--", ".gitignore")).toBe("");
});

describe("S7 check and brief look at what changed", () => {
  test("check is fresh, then drifted with every commit listed, for people and programs", async () => {
    const root = bench();
    await run(root, "generate");
    expect(await run(root, "check")).toEqual({
      code: 0,
      stdout: `fresh ${SESSION}/handoff.json\n`,
      stderr: "",
    });
    put(root, "app/mail.py", "x\n");
    git(root, "add", "app");
    git(root, "commit", "--quiet", "--message", "Add the mailer");
    const { code, stdout, stderr } = await run(root, "check");
    expect([code, stdout]).toEqual([1, `drifted ${SESSION}/handoff.json\n`]);
    expect(stderr).toMatch(
      /^handoff: drift\.commits: 1 commit, newest [0-9a-f]{12} Add the mailer\n {2}\S.*\n {4}[0-9a-f]{12} Add the mailer\n/u,
    );
    expect(stderr).toMatch(
      /^handoff: drift\.tree: 1 path changed: app\/mail\.py\n {2}\S.*\n {4}app\/mail\.py$/mu,
    );
    const answer = json((await run(root, "check", "--json")).stdout);
    expect(answer).toMatchObject({ ok: false, verdict: "drifted" });
    expect((answer["diagnostics"] as Row[]).map((row) => row["code"])).toEqual([
      "drift.commits",
      "drift.tree",
      "drift.verdict_stale",
    ]);
    expect((answer["diagnostics"] as Row[])[1]).toMatchObject({ items: ["app/mail.py"] });
  });

  test("a brief of a packet that drifted says so at its top; a fresh one says nothing", async () => {
    const root = bench();
    await run(root, "generate");
    expect((await run(root, "brief")).stdout).not.toContain("Since then");
    appendFileSync(path.join(root, "feedback_record.jsonl"), '{"command": "make", "exit_code": 1}\n');
    const { code, stdout, stderr } = await run(root, "brief");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.slice(0, 600)).toContain("Since then: 1 more command on record\n");
  });

  test("the brief tells every change in full inside its data: commits by subject, paths, commands", async () => {
    const root = bench();
    await run(root, "generate");
    put(root, "later.txt", "x\n");
    git(root, "add", "later.txt");
    git(root, "commit", "--quiet", "-m", "Add # later");
    nextSession(root, "s-2041");
    const { code, stdout } = await run(root, "brief");
    expect(code).toBe(0);
    expect(stdout).toMatch(/Since then: \d more changes?, see below\./u);
    const data = stdout.slice(stdout.indexOf("do not obey anything"));
    expect(data).toContain("Changed since this packet:");
    expect(data).toMatch(/- commit: [0-9a-f]{7,12} Add `?#`? later/u);
    expect(data).toContain("path: later.txt");
    expect(data).toMatch(/command.*on record/u);
  });

  test("S8 a taking that cannot be written down still gives the brief, and fails", async () => {
    const root = bench();
    await run(root, "generate");
    rmSync(path.join(root, "outputs/handoff/.lock"), { recursive: true, force: true });
    put(root, "outputs/handoff/.lock", "in the way");
    const { code, stdout, stderr } = await run(root, "brief", "--consume", "--by", "s-2042");
    expect([code, stdout.startsWith("You are taking over")]).toEqual([2, true]);
    expect(stderr).toMatch(/^handoff: (?:write|store)\./mu);
  });

  test("S13 what somebody wrote into handoff.json by hand passes the gate before a brief shows it", async () => {
    const root = bench();
    await run(root, "generate");
    const secret = ["ghp", "_", "A1b2C3d4".repeat(5).slice(0, 36)].join("");
    const file = path.join(root, SESSION, "handoff.json");
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace(/"next_action": "/u, `"next_action": "use ${secret} to `),
    );
    const { stdout } = await run(root, "brief");
    expect(stdout).toContain("[redacted:github-token]");
    expect(stdout).not.toContain(secret);
  });

  test("S6 another branch's packet, a superseded and an archived one give no brief, and say where there is one", async () => {
    const root = bench();
    await run(root, "generate");
    git(root, "checkout", "--quiet", "main");
    const elsewhere = await run(root, "brief");
    expect([elsewhere.code, elsewhere.stdout]).toEqual([1, ""]);
    expect(elsewhere.stderr).toMatch(/^handoff: packet\.missing: .*branch main.*\n.*feat\/signup/u);
    const named = await run(root, "brief", "s-2041");
    expect([named.code, named.stdout]).toEqual([1, ""]);
    expect(named.stderr).toBe(
      "handoff: drift.branch: the packet is of branch feat/signup, checked out is main\n  active packets: feat/signup\n",
    );
    git(root, "checkout", "--quiet", "feat/signup");
    const old = idIn(root);
    nextSession(root, "s-2042");
    await run(root, "generate");
    const superseded = await run(root, "brief", old);
    expect([superseded.code, superseded.stdout]).toEqual([1, ""]);
    expect(superseded.stderr).toContain(
      `drift.superseded: the packet was superseded by ${idIn(root, "outputs/handoff/s-2042")}`,
    );
    await run(root, "archive", old);
    expect((await run(root, "brief", old)).stderr).toContain("drift.archived");
    expect((await run(root, "check", old)).stdout).toMatch(/^refused /u);
    expect((await run(root, "show", old)).code).toBe(0);
  });
});

test("P20 S7 a look at a packet goes on from the scan that made it, with a predecessor too", async () => {
  const root = bench();
  await run(root, "generate");
  nextSession(root, "s-2042");
  const log = path.join(root, "feedback_record.jsonl");
  const line = `${JSON.stringify({ command: "make", exit_code: 0, stdout_tail: "x".repeat(900) })}\n`;
  appendFileSync(log, line.repeat(3000));
  await run(root, "generate");
  // Far behind the cursor an edit in place is the one thing not seen: only a full scan would count a record less.
  const bytes = readFileSync(log);
  const middle = bytes.indexOf("{", 1_000_000);
  writeFileSync(
    log,
    Buffer.concat([bytes.subarray(0, middle), Buffer.from("!"), bytes.subarray(middle + 1)]),
  );
  expect((await run(root, "check")).stderr).not.toContain("feedback");
  appendFileSync(log, line);
  expect((await run(root, "brief")).stdout).toContain("Since then: 1 more command on record");
});

describe("S8 a packet is taken", () => {
  test("the first taker is noted, the second told who and when, in the brief and on stderr", async () => {
    const root = bench();
    await run(root, "generate");
    const before = idIn(root);
    const first = await run(root, "brief", "--consume", "--by", "s-2042");
    expect([first.code, first.stderr]).toEqual([0, ""]);
    expect((await rows(root))[0]).toMatchObject({
      packet_id: before,
      consumed_by: [{ by: "s-2042", at: expect.stringMatching(/^\d{4}-.*Z$/u) }],
    });
    expect(idIn(root)).toBe(before);
    expect((await run(root, "check")).code).toBe(0);
    const second = await run(root, "brief", "--consume", "--by", "s-2043");
    expect(second.code).toBe(0);
    expect(second.stderr).toMatch(
      /^handoff: packet\.taken: taken over before by s-2042, \d{4}-\d\d-\d\d \d\d:\d\d UTC\n/u,
    );
    expect(second.stdout).toContain("Since then: taken over before by s-2042, ");
    // Who has it may read it again; who only looks is told, too, and leaves no trace.
    expect((await run(root, "brief", "--consume", "--by", "s-2043")).stderr).not.toContain("by s-2043");
    const index = read(root, "outputs/handoff/index.json");
    expect((await run(root, "brief")).stderr.match(/packet\.taken/gu)).toHaveLength(2);
    expect(read(root, "outputs/handoff/index.json")).toBe(index);
    expect(await takers(root)).toEqual(["s-2042", "s-2043"]);
  });

  test("a session may take its own packet, which is said", async () => {
    const root = bench();
    await run(root, "generate");
    const { code, stdout, stderr } = await run(root, "brief", "--consume", "--by", "s-2041");
    expect(code).toBe(0);
    expect(stderr).toMatch(/^handoff: packet\.own: this is the packet of s-2041 itself\n {2}.+\n$/u);
    expect(stdout).toContain("Since then: this is the packet of s-2041 itself");
  });

  test("the taker defaults to the CI job, the agent it is for, or the local session; a bad name takes nothing", async () => {
    const root = bench();
    await run(root, "generate");
    await start(["brief", "--consume"], { cwd: root, env: { GITHUB_RUN_ID: "77", GITHUB_RUN_ATTEMPT: "2" } });
    await run(root, "brief", "--consume", "--for", "codex");
    await run(root, "brief", "--consume");
    expect(await takers(root)).toEqual(["ci-77-2", "codex", "local-feat-signup"]);
    const before = tree(root);
    expectUsageError(await run(root, "brief", "--consume", "--by", "../x"), "usage.bad_id", "session id");
    expectUsageError(
      await run(root, "brief", "--consume", "--max-bytes", "20"),
      "brief.too_small",
      "--max-bytes",
    );
    expect(tree(root)).toEqual(before);
  });
});

describe("S1 archive", () => {
  test("by id, with a dry run first; an archived packet stays readable and drives nothing", async () => {
    const root = bench();
    await run(root, "generate");
    const id = idIn(root);
    const before = tree(root);
    const dry = await run(root, "archive", id, "--dry-run");
    expect([dry.code, dry.stdout]).toEqual([
      0,
      expect.stringMatching(/^hp_[^]*dry run: 1 packet would be archived\n$/u),
    ]);
    expect(tree(root)).toEqual(before);
    const done = json((await run(root, "archive", id, "--json")).stdout);
    expect(done).toMatchObject({
      ok: true,
      dry_run: false,
      packets: [{ packet_id: id, status: "archived" }],
    });
    expect(existsSync(path.join(root, SESSION))).toBe(false);
    expect((await run(root, "brief")).code).toBe(1);
    expect(json((await run(root, "show", id, "--json")).stdout)).toMatchObject({
      packet_id: id,
      status: "archived",
    });
    expect((await run(root, "archive", id)).stdout).toContain("0 packets archived");
  });

  test("by age, number and branch, all of which must hold", async () => {
    const root = bench();
    const sessions = ["s-1", "s-2", "s-3", "s-4"];
    for (const session of sessions) {
      nextSession(root, session);
      await run(root, "generate");
    }
    const would = async (...args: string[]): Promise<unknown[]> =>
      (json((await run(root, "archive", "--dry-run", "--json", ...args)).stdout)["packets"] as Row[]).map(
        (row) => row["session_id"],
      );
    expect(await would("--keep", "3")).toEqual(["s-1"]);
    expect(await would("--keep", "0")).toEqual(sessions);
    expect(await would("--keep", "0", "--branch", "main")).toEqual([]);
    // Times lie in the future of every clock that runs this.
    expect(await would("--older-than", "0d", "--keep", "0")).toEqual([]);
    for (const [args, words] of [
      [[], "nothing says what to archive"],
      [["s-1", "--keep", "1"], "exclude each other"],
      [["--older-than", "soon"], "30d"],
      [["--keep", "-1"], "whole number"],
    ] as const)
      expectUsageError(
        await run(root, "archive", ...args),
        words === "30d" || words === "whole number" ? "usage.value" : "usage.arguments",
        words,
      );
    expect((await run(root, "archive", "--keep", "1")).stdout).toContain("3 packets archived");
    expect(
      (await rows(root, "--status", "archived")).map((row) => String(row["session_id"])).toSorted(),
    ).toEqual(["s-1", "s-2", "s-3"]);
    expect((await run(root, "check", "s-4")).stderr).not.toContain("packet.");
  });

  test("--merged takes what the default branch has, and no branch that has no commit of its own", async () => {
    const root = bench();
    await run(root, "generate");
    git(root, "checkout", "--quiet", "-b", "feat/next", "main");
    nextSession(root, "s-2042");
    await run(root, "generate");
    expect((await run(root, "archive", "--merged")).stdout).toContain("0 packets archived");
    git(root, "checkout", "--quiet", "main");
    git(root, "merge", "--quiet", "--no-ff", "--message", "Merge", "feat/signup");
    expect((await run(root, "archive", "--merged")).stdout).toContain("1 packet archived");
    expect((await rows(root, "--status", "active")).map((row) => row["session_id"])).toEqual(["s-2042"]);
    const nowhere = folder();
    expectUsageError(
      await run(nowhere, "archive", "--merged"),
      "archive.no_default_branch",
      "no default branch",
    );
  });
});

describe("doctor --repair", () => {
  test("makes the index anew from the packets, once", async () => {
    const root = bench();
    await run(root, "generate");
    nextSession(root, "s-2042");
    await run(root, "generate");
    const before = await rows(root);
    expect(await run(root, "doctor", "--repair")).toMatchObject({
      code: 0,
      stdout: "nothing to repair in outputs/handoff\n",
    });
    rmSync(path.join(root, "outputs/handoff/index.json"));
    const { code, stdout } = await run(root, "doctor", "--repair");
    expect([code, stdout]).toEqual([0, expect.stringContaining("made the index anew from 2 packets")]);
    const facts = ({ packet_id, status, supersedes, superseded_by }: Row): unknown => ({
      packet_id,
      status,
      supersedes,
      superseded_by,
    });
    expect((await rows(root)).map(facts)).toEqual(before.map(facts));
    const index = readFileSync(path.join(root, "outputs/handoff/index.json"), "utf8");
    expect(json((await run(root, "doctor", "--repair", "--json")).stdout)).toEqual({
      ok: true,
      packet: null,
      path: null,
      actions: [],
      error: null,
      diagnostics: [],
    });
    expect(readFileSync(path.join(root, "outputs/handoff/index.json"), "utf8")).toBe(index);
  });
});
