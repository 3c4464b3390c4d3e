// handoff now, as a person calls it: the built command line beside a run of it, agents that are real processes, and runners that
// are killed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { steps, type Scenario } from "../../../fixtures/agents/scenario.js";
import { identityOf, readOwnIdentity } from "../../io/process-identity.js";
import { sendSignal } from "../../io/process-tree.js";
import { newBook } from "../../operator/request-book.js";
import { newRequest, requestBookSchema, type RequestRecord } from "../../operator/request-record.js";
import { runCli } from "../testing/built-cli.js";
import { useCli } from "../testing/use-cli.js";
import { type GoingRun, type Job, played, useRuns } from "../testing/use-runs.js";

const { cli } = useCli();
const job = useRuns(cli);

const PROMPT = ["--prompt", "Do all the steps."];
/** The second step waits for a gate; the call after it for good, once. */
const GATED: Scenario = {
  model: "opus",
  window: 200_000,
  start: 20_000,
  steps: [{ name: "s1" }, { name: "s2", run: "while [ ! -e gate ]; do sleep 0.02; done" }, { name: "s3" }],
  turns: { 1: { after: 2, hang: true } },
};

const openGate = ({ root }: Job): void => writeFileSync(path.join(root, "gate"), "");
const runsIn = ({ root }: Job): string => path.join(root, "outputs/handoff/runs");

/** Waits for a condition; a test that waits in vain runs into its own limit. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(20);
}

/** A run at its second step, its socket open. */
async function atWork(work: Job): Promise<{ readonly run: GoingRun; readonly id: string }> {
  const run = work.start([...played("claude-code"), ...PROMPT]);
  await run.until(/run-[0-9a-f]{12}/u);
  const id = /run-[0-9a-f]{12}/u.exec(run.said())?.[0] ?? "";
  await until(() => existsSync(path.join(runsIn(work), id, "runner.json")) && work.steps()[0] === true);
  return { run, id };
}

const requestsOf = (work: Job, id: string): readonly RequestRecord[] => {
  const file = path.join(runsIn(work), id, "requests.json");
  return existsSync(file) ? requestBookSchema.parse(JSON.parse(readFileSync(file, "utf8"))).requests : [];
};
const states = (work: Job, id: string): string[] => requestsOf(work, id).map(({ state }) => state);

describe("handoff now", () => {
  test("O1 O14 --wait shows each state as it comes, and the packet's path; the run ends with exit 1", async () => {
    const work = job(GATED);
    const { run, id } = await atWork(work);
    const asked = work.now(["--wait", "--reason", "going home"]);
    await until(() => states(work, id).length === 1);
    openGate(work);
    const { code, stdout, stderr } = await asked;
    expect([code, stderr]).toEqual([0, ""]);
    const [request] = requestsOf(work, id);
    const file = request?.packet?.path ?? "";
    expect(stdout.split("\n").map((line) => line.slice(9))).toEqual([
      `accepted      ${request?.request_id}: ${id} hands over at its next message, in 60 s at the latest`,
      "delivered     the run has picked it up",
      "begun         the session is asked where it stands",
      `completed     packet ${request?.packet?.packet_id}: ${file}`,
      expect.stringContaining(`handoff run --resume ${id} goes on instead`.slice(9)),
      "",
    ]);
    expect(request?.request_id).toMatch(/^req-[0-9a-f]{12}$/u);
    expect(existsSync(path.join(work.root, file))).toBe(true);
    const ended = await run.end;
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(
      `a person asks for a handoff at the next message (${request?.request_id}): going home`,
    );
    expect(ended.stderr).toContain(
      "handoff: run.operator: a person asked for a handoff, and its packet is out",
    );
    // Nothing that only a run at work has is left; what is private is the owner's.
    const folder = path.join(runsIn(work), id);
    expect(readdirSync(folder).filter((name) => /runner|sock/u.test(name))).toEqual([]);
    expect(statSync(path.join(folder, "requests.json")).mode & 0o777).toBe(0o600);
    expect(readFileSync(path.join(runsIn(work), ".gitignore"), "utf8")).toContain("requests.json*\n");

    // O1 The same id again, whenever: the record there is. With another reason: rejected.
    const same = ["--request-id", request?.request_id ?? "", "--reason", "going home"];
    expect(await work.now(same)).toMatchObject({ code: 0, stdout: expect.stringContaining(file) });
    const json: Record<string, unknown> = JSON.parse((await work.now([...same, "--json"])).stdout);
    expect(json).toMatchObject({
      ok: true,
      run_id: id,
      request,
      path: path.join(work.root, file),
      error: null,
    });
    const other = await work.now([...same.slice(0, 2), "--reason", "lunch"]);
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringContaining("handoff: request.other_content: "),
    ]);

    // O4 Going on starts from that packet.
    const again = await work.run(["--resume", id]);
    expect([again.code, work.steps()]).toEqual([0, [true, true, true]]);
    expect(states(work, id)).toEqual(["completed"]);
  });

  test("O2 without a run at work it is rejected, with a name for each case", async () => {
    const work = job(GATED);
    expect((await work.now([])).stderr).toContain("handoff: now.no_run: ");
    expect(await work.now(["--run", "run-0c4d7e3f2a91"])).toMatchObject({ code: 2 });
    expect((await work.now(["--run", "../x"])).stderr).toContain("handoff: usage.bad_id: ");
    expect((await work.now(["--request-id", "x".repeat(129)])).stderr).toContain("handoff: usage.bad_id: ");
    const done = job({ ...GATED, steps: steps(1, 1000), turns: {} });
    const end = await done.run([...played("claude-code"), ...PROMPT]);
    const id = /run-[0-9a-f]{12}/u.exec(end.stdout)?.[0] ?? "";
    const late = await done.now(["--run", id]);
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining("handoff: request.no_attempt: ")]);
    expect(existsSync(path.join(runsIn(done), id, "requests.json"))).toBe(false);
  });

  test("O3 three at once from three processes: one is handed over to, each is told the truth", async () => {
    const work = job(GATED);
    const { run, id } = await atWork(work);
    const all = [1, 2, 3].map((n) => work.now(["--wait", "--json", "--request-id", `req-${n}`]));
    await until(() => states(work, id).length === 3);
    openGate(work);
    const told = await Promise.all(all);
    await run.end;
    const records = requestsOf(work, id);
    expect(records.map(({ state }) => state).toSorted()).toEqual(["completed", "superseded", "superseded"]);
    for (const { code, stdout } of told) {
      const { request }: { request: RequestRecord } = JSON.parse(stdout);
      expect(request).toEqual(records.find(({ request_id }) => request_id === request.request_id));
      expect(code).toBe(request.state === "completed" ? 0 : 1);
    }
  });

  test("O1 several runs at work: which one has to be said, and each hears only what is said to it", async () => {
    const work = job(GATED);
    const one = await atWork(work);
    const two = await atWork(work);
    const which = await work.now([]);
    expect([which.code, which.stderr]).toEqual([
      2,
      expect.stringContaining("handoff: now.several_runs: 2 runs"),
    ]);
    expect(which.stderr).toContain(one.id);
    expect(await work.now(["--run", two.id])).toMatchObject({ code: 0 });
    expect([states(work, one.id), states(work, two.id)]).toEqual([[], ["accepted"]]);
    for (const { run } of [one, two]) run.child.kill("SIGKILL");
  });

  test("O1 a runner that does not answer: exit 2, and the id to keep", async () => {
    const work = job(GATED);
    const { run, id } = await atWork(work);
    run.child.kill("SIGSTOP");
    const asked = await work.now(["--run", id, "--request-id", "req-kept", "--reason", "it's late"]);
    run.child.kill("SIGCONT");
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain("handoff: request.unreachable: ");
    expect(asked.stderr).toContain(`handoff now --run ${id} --request-id req-kept --reason 'it'\\''s late'`);
    // It had heard all the same: asking again says so, and nothing is asked twice.
    const again = await work.now(["--request-id", "req-kept", "--reason", "it's late"]);
    expect([again.code, states(work, id)]).toEqual([0, ["accepted"]]);
    openGate(work);
    expect((await run.end).code).toBe(1);
    expect(states(work, id)).toEqual(["completed"]);
  });

  test("O1 what is copied into a workbench sends nobody anywhere", async () => {
    const work = job(GATED);
    const id = "run-0c4d7e3f2a91";
    const folder = path.join(runsIn(work), id);
    mkdirSync(folder, { recursive: true });
    const runner = await readOwnIdentity();
    for (const address of ["/var/run/docker.sock", path.join(folder, "now.sock"), "relative"]) {
      const record = {
        schema_version: "1.0",
        run_id: id,
        address,
        runner,
        since: "2026-11-29T10:00:00.000Z",
      };
      writeFileSync(path.join(folder, "runner.json"), JSON.stringify(record));
      expect(await work.now([])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("request.unreachable"),
      });
    }
  });
});

describe("O9 a runner that dies", () => {
  test("a moment after its socket has: whoever waits hears that it is gone, not that nothing is known", async () => {
    const work = job(GATED);
    const id = "run-0c4d7e3f2a91";
    const folder = path.join(runsIn(work), id);
    mkdirSync(folder, { recursive: true });
    const address = path.join(folder, "now.sock");
    const dying = `require("node:net").createServer((socket) => {
      socket.destroy();
      setTimeout(() => process.exit(), 700);
    }).listen(process.argv[1], () => console.log("up"));`;
    const child = spawn(process.execPath, ["-e", dying, address], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    const accepted_at = new Date().toISOString();
    const write = (name: string, content: object): void =>
      writeFileSync(path.join(folder, name), JSON.stringify(content));
    const runner = identityOf(child.pid ?? 0, await readOwnIdentity());
    write("runner.json", { schema_version: "1.0", run_id: id, address, runner, since: accepted_at });
    const accepted = newRequest({ request_id: "req-1", reason: null, accepted_at });
    write("requests.json", { ...newBook(id), requests: [accepted] });
    const { code, stdout } = await work.now(["--run", id, "--request-id", "req-1", "--wait", "--json"]);
    const told: unknown = JSON.parse(stdout);
    expect([code, told]).toEqual([
      1,
      expect.objectContaining({
        request: expect.objectContaining({
          state: "not_fulfilled",
          why: expect.objectContaining({ reason: "crashed" }),
        }),
      }),
    ]);
    expect(states(work, id)).toEqual(["accepted"]);
  });
});

/** Only root can play two users. */
describe.runIf(process.getuid?.() === 0)("O1 another user", () => {
  test("O1 whose run it is not is told that it does not answer, not that there is none", async () => {
    const work = job(GATED);
    const { run, id } = await atWork(work);
    chmodSync(path.dirname(work.root), 0o755);
    const trust = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: "*" };
    const ask = (...args: string[]) =>
      runCli(cli(), ["now", ...args], { cwd: work.root, env: trust, uid: 65534 });
    for (const args of [[], ["--run", id], ["--run", id, "--request-id", "req-1"]])
      expect(await ask(...args)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`handoff: request.unreachable: the run ${id} does not answer`),
      });
    expect(states(work, id)).toEqual([]);
    run.child.kill("SIGKILL");
  });
});

describe("the socket", () => {
  test("O1 hostile input is answered, and breaks nothing of the run", async () => {
    const work = job(GATED);
    const { run, id } = await atWork(work);
    const { address }: { address: string } = JSON.parse(
      readFileSync(path.join(runsIn(work), id, "runner.json"), "utf8"),
    );
    expect(statSync(address).mode & 0o777).toBe(0o600);
    const say = (text: string | Buffer): Promise<string> =>
      new Promise((resolve) => {
        let heard = "";
        const socket = connect(address, () => socket.end(text));
        socket.on("data", (piece) => {
          heard += piece.toString();
        });
        socket.on("error", () => resolve(heard));
        socket.on("close", () => resolve(heard));
      });
    const rejected = [
      "nonsense\n",
      "{}\n",
      "[]\n",
      '{"op":"now"}\n',
      '{"op":"now","request_id":"../../etc"}\n',
      '{"op":"now","request_id":"req-1","reason":7}\n',
      '{"op":"now","request_id":"req-1","more":true}\n',
      '{"op":"wait","request_id":"req-unknown"}\n',
      `${"[".repeat(10_000)}\n`,
      Buffer.from([0xff, 0xfe, 0x00, 0x0a]),
      `{"op":"now","request_id":"req-1","reason":"${"x".repeat(3000)}"}\n`,
      "{",
    ];
    for (const text of rejected) expect(await say(text)).toContain('{"ok":false,"code":"');
    expect(await say(`${"x".repeat(200_000)}\n`)).toContain("protocol.line");
    // Nobody is served without end.
    await say("{}\n".repeat(5000));
    const idle = Array.from({ length: 40 }, () => connect(address).on("error", () => undefined));
    await Promise.all(
      idle.map((socket) => new Promise((resolve) => socket.once("connect", resolve).once("close", resolve))),
    );
    for (const socket of idle) socket.destroy();
    expect(states(work, id)).toEqual([]);
    // There is room again once the run has noticed that they have left.
    let status = "";
    while (status === "") status = await say('{"op":"status"}\n');
    expect(JSON.parse(status)).toMatchObject({ ok: true, run_id: id, requests: [] });
    const asked = work.now(["--wait"]);
    await until(() => states(work, id).length === 1);
    openGate(work);
    expect((await asked).code).toBe(0);
    expect((await run.end).code).toBe(1);
  });

  test("O1 a run whose folder is too deep for a socket is asked all the same", async () => {
    const work = job({ ...GATED, turns: { 2: { after: 1, hang: true } } });
    const out = `${"deep/".repeat(20)}store`;
    const run = work.start([...played("claude-code"), ...PROMPT, "--out", out]);
    await run.until(/run-[0-9a-f]{12}/u);
    const id = /run-[0-9a-f]{12}/u.exec(run.said())?.[0] ?? "";
    const file = path.join(work.root, out, "runs", id, "runner.json");
    await until(() => existsSync(file) && work.steps()[0] === true);
    const { address }: { address: string } = JSON.parse(readFileSync(file, "utf8"));
    expect(address).not.toContain("deep");
    expect(statSync(path.dirname(address)).mode & 0o777).toBe(0o700);
    // Killed and gone on with, it listens elsewhere, and nothing is left of where it did.
    run.child.kill("SIGKILL");
    await run.end;
    const again = work.start(["--resume", id, "--out", out]);
    const placeOf = (): string => (JSON.parse(readFileSync(file, "utf8")) as { address: string }).address;
    await until(() => existsSync(file) && placeOf() !== address);
    expect(existsSync(path.dirname(address))).toBe(false);
    const last = path.dirname(placeOf());
    const asked = work.now(["--wait", "--out", out]);
    const requests = path.join(path.dirname(file), "requests.json");
    await until(() => existsSync(requests));
    openGate(work);
    expect((await asked).code).toBe(0);
    await again.end;
    expect(existsSync(last)).toBe(false);
  });
});

describe("O9 the runner is killed", () => {
  const kill = async (work: Job, { run, id }: Awaited<ReturnType<typeof atWork>>): Promise<void> => {
    run.child.kill("SIGKILL");
    await run.end.catch(() => undefined);
    const { child }: { child: { pid: number } | null } = JSON.parse(
      readFileSync(path.join(runsIn(work), id, "state.json"), "utf8"),
    );
    // An agent that heeds nothing would cost the one who goes on its whole patience; one of an earlier turn has ended already.
    if (child !== null) sendSignal(-child.pid, "SIGKILL");
    const tool = path.join(work.home, "stubborn-tool");
    if (existsSync(tool)) sendSignal(-Number(readFileSync(tool, "utf8")), "SIGKILL");
  };

  test.each([
    ["accepted", {}],
    ["delivered", { turns: { 1: { after: 2, stubborn: true } } }],
    ["begun", { turns: { 1: { after: 2, hang: true }, 2: { hang: true } } }],
  ] as const)(
    "while its request is %s: told as it is, over with the next start, and the job is done",
    async (state, changes) => {
      const work = job({ ...GATED, ...changes });
      const going = await atWork(work);
      const { id } = going;
      const waiting = work.now(["--wait", "--json", "--request-id", "req-1"]);
      await until(() => states(work, id).length === 1);
      if (state !== "accepted") openGate(work);
      await until(() => states(work, id)[0] === state);
      if (state === "begun") await until(() => existsSync(path.join(work.home, "turns/2")));
      await kill(work, going);
      // Whoever waits hears it, and so does whoever asks later; nothing is written by either.
      const told: { request: RequestRecord } = JSON.parse((await waiting).stdout);
      expect(told.request).toMatchObject({ state: "not_fulfilled", why: { reason: "crashed" } });
      const later = await work.now(["--request-id", "req-1"]);
      expect([later.code, later.stderr]).toEqual([
        1,
        expect.stringContaining("handoff: request.not_fulfilled: "),
      ]);
      expect(later.stderr).toContain(`when the request was ${state}`);
      expect(states(work, id)).toEqual([state]);

      openGate(work);
      const end = await work.run(["--resume", id]);
      expect([end.code, work.steps()]).toEqual([0, [true, true, true]]);
      const [request] = requestsOf(work, id);
      expect(request).toMatchObject({ state: "not_fulfilled", why: { reason: "crashed" } });
      // Twice is once.
      expect((await work.run(["--resume", id])).code).toBe(0);
      expect(requestsOf(work, id)).toEqual([request]);
    },
  );

  test("between the packet and the verdict: not fulfilled, and the packet is named; a run that is done says it, too", async () => {
    const work = job(GATED);
    const { run, id } = await atWork(work);
    const asked = work.now(["--wait", "--request-id", "req-1"]);
    await until(() => states(work, id).length === 1);
    openGate(work);
    await asked;
    await run.end;
    const file = path.join(runsIn(work), id, "requests.json");
    // As it lay there a moment before its end.
    const book = requestBookSchema.parse(JSON.parse(readFileSync(file, "utf8")));
    const alive = {
      ...book,
      requests: book.requests.map((one) => ({ ...one, state: "begun" as const, ended_at: null })),
    };
    writeFileSync(file, JSON.stringify(alive));
    const packet = book.requests[0]?.packet?.packet_id ?? "none";
    expect((await work.now(["--request-id", "req-1"])).stderr).toContain(
      `its packet ${packet} is published all the same`,
    );
    expect((await work.run(["--resume", id])).code).toBe(0);
    expect(requestsOf(work, id)[0]?.why?.what).toContain(packet);
    // The run is done now; going on with it starts nothing, and still leaves nothing alive.
    writeFileSync(file, JSON.stringify(alive));
    expect((await work.run(["--resume", id])).code).toBe(0);
    expect(states(work, id)).toEqual(["not_fulfilled"]);
  });
});
