// handoff run --worktree (O6, O7): the built command line, a scripted agent, real worktrees.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { steps, type Scenario } from "../../../fixtures/agents/scenario.js";
import { requestBookSchema, type RequestRecord } from "../../operator/request-record.js";
import { git, put } from "../testing/sample-workbench.js";
import { runCli } from "../testing/built-cli.js";
import { useCli } from "../testing/use-cli.js";
import { played, useRuns } from "../testing/use-runs.js";

const { cli } = useCli();
const job = useRuns(cli);

const TWO_SESSIONS: Scenario = {
  model: "opus",
  window: 200_000,
  start: 20_000,
  steps: steps(3, 65_000),
  line: 150_000,
};
const PROMPT = ["--prompt", "Do all the steps."];
const runIdIn = (text: string): string => /run-[0-9a-f]{12}/u.exec(text)?.[0] ?? "";

const requestsOf = (root: string, id: string): RequestRecord[] => {
  const file = path.join(root, "outputs/handoff/runs", id, "requests.json");
  return existsSync(file)
    ? [...requestBookSchema.parse(JSON.parse(readFileSync(file, "utf8"))).requests]
    : [];
};

describe("O6 the agent works in a tree of its own", () => {
  test("O6 over two sessions: the main tree is as before, the branch has everything, the packet says how to take it over", async () => {
    const work = job(TWO_SESSIONS);
    put(work.root, "mine.txt", "the person's\n");
    const before = git(work.root, "status", "--porcelain", "--untracked-files=all");
    const end = await work.run([...played("claude-code"), "--worktree", ...PROMPT]);
    expect([end.code, end.stderr.includes("run.last_packet")]).toEqual([0, false]);
    const id = runIdIn(end.stdout);
    const branch = `handoff/${id}/1`;
    expect(end.stdout).toContain(`the work is on ${branch}: git switch ${branch}, or git merge ${branch}`);
    expect(work.steps()).toEqual([false, false, false]);
    const files = git(work.root, "ls-tree", "-r", "--name-only", branch);
    expect(
      files
        .trim()
        .split("\n")
        .filter((file) => file.startsWith("steps/")),
    ).toHaveLength(3);
    expect(files).not.toContain(".handoff");
    const status = git(work.root, "status", "--porcelain", "--untracked-files=all");
    expect(
      status
        .split("\n")
        .filter((line) => !line.includes("outputs/"))
        .join("\n"),
    ).toBe(before);
    expect(existsSync(path.join(work.root, ".handoff/worktrees", id))).toBe(false);

    const ledger = JSON.parse(
      readFileSync(path.join(work.root, "outputs/handoff/runs", id, "run.json"), "utf8"),
    );
    const [first, last] = ledger.generations;
    const packet = JSON.parse(
      readFileSync(path.join(work.root, "outputs/handoff", last.session_id, "handoff.json"), "utf8"),
    );
    expect(packet).toMatchObject({ packet_id: last.packet_id, branch, git: { dirty: false } });
    expect(packet.head_commit).toBe(git(work.root, "rev-parse", branch).trim());
    // Hidden or not, what was recorded is the workbench's.
    for (const { session_id } of [first, last])
      expect(existsSync(path.join(work.root, ".handoff/sessions", session_id, "session.json"))).toBe(true);
  });

  test("O6, R27 interrupted and gone on with: a second attempt on the first one's work", async () => {
    const work = job({ ...TWO_SESSIONS, turns: { 1: { after: 1, hang: true } } });
    const going = work.start([...played("claude-code"), "--worktree", ...PROMPT]);
    await going.until("session 1: claude-code");
    const id = runIdIn(going.said());
    const first = path.join(work.root, ".handoff/worktrees", id, "steps");
    await expect.poll(() => existsSync(first), { timeout: 60_000 }).toBe(true);
    going.child.kill("SIGINT");
    const cut = await going.end;
    expect(cut.code).toBe(130);
    expect(cut.stdout).toContain(`git switch handoff/${id}/1`);
    const done = git(work.root, "ls-tree", "-r", "--name-only", `handoff/${id}/1`);
    expect(done).toContain("steps/");
    const end = await work.run(["--resume", id]);
    expect([end.code, end.stdout.includes(`git switch handoff/${id}/2`)]).toEqual([0, true]);
    const files = git(work.root, "ls-tree", "-r", "--name-only", `handoff/${id}/2`).trim().split("\n");
    expect(files.filter((file) => file.startsWith("steps/"))).toHaveLength(3);
    expect(git(work.root, "merge-base", `handoff/${id}/1`, `handoff/${id}/2`)).toBe(
      git(work.root, "rev-parse", `handoff/${id}/1`),
    );
  });

  test("O4, O6 handoff now --wait: the packet is named from the person's workbench, and is the one with the work on its branch", async () => {
    const work = job({
      ...TWO_SESSIONS,
      steps: [
        { name: "s1" },
        { name: "s2", run: "while [ ! -e gate ]; do sleep 0.02; done" },
        { name: "s3" },
      ],
      turns: { 1: { after: 2, hang: true } },
    });
    const going = work.start([...played("claude-code"), "--worktree", ...PROMPT]);
    await going.until("session 1: claude-code");
    const id = runIdIn(going.said());
    const tree = path.join(work.root, ".handoff/worktrees", id);
    await expect.poll(() => existsSync(path.join(tree, "steps/s1.txt")), { timeout: 60_000 }).toBe(true);
    const asked = work.now(["--wait", "--json"]);
    await expect.poll(() => requestsOf(work.root, id).length, { timeout: 60_000 }).toBe(1);
    writeFileSync(path.join(tree, "gate"), "");
    const { code } = await asked;
    const ended = await going.end;
    expect([code, ended.code]).toEqual([0, 1]);
    const [request] = requestsOf(work.root, id);
    expect(request).toMatchObject({
      state: "completed",
      packet: { path: expect.stringMatching(/^outputs\//u) },
    });
    const packet = JSON.parse(readFileSync(path.join(work.root, request?.packet?.path ?? ""), "utf8"));
    expect(packet).toMatchObject({
      packet_id: request?.packet?.packet_id,
      handoff_reason: "operator_request",
      branch: `handoff/${id}/1`,
      head_commit: git(work.root, "rev-parse", `handoff/${id}/1`).trim(),
    });
    expect(git(work.root, "ls-tree", "-r", "--name-only", `handoff/${id}/1`)).toContain("steps/s2.txt");
    expect(existsSync(tree)).toBe(false);

    // R20 A fresh session takes over from that packet, on a branch of its own.
    const next = await work.run(["--resume", id]);
    expect([next.code, next.stderr.includes("drift.")]).toEqual([0, false]);
    expect(git(work.root, "ls-tree", "-r", "--name-only", `handoff/${id}/2`)).toContain("steps/s3.txt");
  });

  test("O9, R27 the whole command killed: gone on with, the request is answered, the work kept, a second attempt goes on", async () => {
    const work = job({ ...TWO_SESSIONS, turns: { 1: { after: 1, hang: true } } });
    const going = work.start([...played("claude-code"), "--worktree", ...PROMPT]);
    await going.until("session 1: claude-code");
    const id = runIdIn(going.said());
    const first = path.join(work.root, ".handoff/worktrees", id, "steps");
    await expect.poll(() => existsSync(first), { timeout: 60_000 }).toBe(true);
    expect((await work.now([])).code).toBe(0);
    const left = async (): Promise<unknown> =>
      JSON.parse((await runCli(cli(), ["doctor", "--json"], { cwd: work.root, env: work.env })).stdout).left;
    expect(await left()).toEqual([]);
    going.child.kill("SIGKILL");
    await going.end;
    expect(await left()).toMatchObject([
      { run_id: id, attempt: 1, what: `attempt 1 of ${id} was not finished: its runner is gone` },
    ]);
    const doctor = await runCli(cli(), ["doctor"], { cwd: work.root, env: work.env });
    expect(doctor.stdout).toContain(`handoff run --resume ${id} puts its work on handoff/${id}/1`);
    const end = await work.run(["--resume", id]);
    expect([end.code, end.stdout.includes(`git switch handoff/${id}/2`)]).toEqual([0, true]);
    expect(requestsOf(work.root, id)).toMatchObject([{ state: "not_fulfilled", why: { reason: "crashed" } }]);
    const stepsOn = (attempt: number): string[] =>
      git(work.root, "ls-tree", "-r", "--name-only", `handoff/${id}/${attempt}`)
        .split("\n")
        .filter((file) => file.startsWith("steps/"));
    expect([stepsOn(1).length, stepsOn(2).length]).toEqual([1, 3]);
    expect(existsSync(path.join(work.root, ".handoff/worktrees", id))).toBe(false);
    expect(await left()).toEqual([]);
    // Done is done: nothing begins once more.
    const again = await work.run(["--resume", id]);
    expect(again.code).toBe(0);
    expect(git(work.root, "branch", "--list", "handoff/*").trim().split("\n")).toHaveLength(2);
  });

  test("R27 O9 gone on with while it is at work: refused, and nothing of it is touched", async () => {
    const work = job({ ...TWO_SESSIONS, turns: { 1: { after: 1, hang: true } } });
    const going = work.start([...played("claude-code"), "--worktree", ...PROMPT]);
    await going.until("session 1: claude-code");
    const id = runIdIn(going.said());
    const tree = path.join(work.root, ".handoff/worktrees", id);
    await expect.poll(() => existsSync(path.join(tree, "steps")), { timeout: 60_000 }).toBe(true);
    const attempts = path.join(work.root, "outputs/handoff/runs", id, "attempts");
    const facts = (): unknown => [
      existsSync(path.join(tree, "steps")),
      git(tree, "symbolic-ref", "HEAD"),
      git(work.root, "worktree", "list", "--porcelain"),
      git(work.root, "for-each-ref"),
      readdirSync(attempts).filter((name) => name.endsWith(".json")),
      readFileSync(path.join(attempts, "1.json"), "utf8"),
    ];
    const before = facts();
    const other = await work.run(["--resume", id]);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("run.running")]);
    expect(facts()).toEqual(before);
    going.child.kill("SIGINT");
    expect((await going.end).code).toBe(130);
    expect(git(work.root, "ls-tree", "-r", "--name-only", `handoff/${id}/1`)).toContain("steps/");
  });

  test("R27 O9 killed, and gone on with three times at once: one start of it does, in a tree that no other cleans away", async () => {
    const work = job({ ...TWO_SESSIONS, think: 150, turns: { 1: { after: 1, hang: true } } });
    const going = work.start([...played("claude-code"), "--worktree", ...PROMPT]);
    await going.until("session 1: claude-code");
    const id = runIdIn(going.said());
    const first = path.join(work.root, ".handoff/worktrees", id, "steps");
    await expect.poll(() => existsSync(first), { timeout: 60_000 }).toBe(true);
    going.child.kill("SIGKILL");
    await going.end;
    const ends = await Promise.all([1, 2, 3].map(() => work.run(["--resume", id])));
    // Who came late enough finds the job done.
    expect(ends.filter(({ code, stdout }) => code === 0 && stdout.includes("git switch"))).toHaveLength(1);
    for (const { code, stderr } of ends)
      expect(code === 0 ? "" : stderr).toMatch(code === 0 ? /^$/u : /run\.running/u);
    expect(git(work.root, "branch", "--list", "handoff/*").trim().split("\n")).toHaveLength(2);
    const files = git(work.root, "ls-tree", "-r", "--name-only", `handoff/${id}/2`).split("\n");
    expect(files.filter((file) => file.startsWith("steps/"))).toHaveLength(3);
  });

  test("O6, R30 --dry-run says where the agent would work; without a commit it is refused before there is a job", async () => {
    const work = job(TWO_SESSIONS);
    const head = git(work.root, "rev-parse", "HEAD").trim();
    const asked = [...played("claude-code"), "--worktree", "--dry-run"];
    const dry = await work.run(asked);
    const tree = path.join(work.root, ".handoff/worktrees/<run_id>");
    expect(dry.stdout).toContain(`${tree}, on handoff/<run_id>/1, made from ${head.slice(0, 12)}\n`);
    const { plan } = JSON.parse((await work.run([...asked, "--json"])).stdout);
    expect(plan.worktree).toEqual({ tree, branch: "handoff/<run_id>/1", base_commit: head });
    expect(git(work.root, "branch", "--list", "handoff/*")).toBe("");
    git(work.root, "switch", "--quiet", "--orphan", "nothing-yet");
    for (const args of [asked, asked.slice(0, -1)]) {
      const refused = await work.run(args);
      expect([refused.code, refused.stdout]).toEqual([1, ""]);
      expect(refused.stderr).toContain("handoff: attempt.no_commit: ");
    }
  });
});
