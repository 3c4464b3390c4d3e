// handoff run, as a person or a script calls it: the built command line, and agents that are real processes.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { steps, type Scenario } from "../../../fixtures/agents/scenario.js";
import { findByVariable } from "../../io/process-tree.js";
import { runEventSchema } from "../../model/run-events.js";
import { runLedgerSchema } from "../../model/run-ledger.js";
import { put } from "../testing/sample-workbench.js";
import { useCli } from "../testing/use-cli.js";
import { type Job, played, scripted, useRuns } from "../testing/use-runs.js";

const { cli } = useCli();
const job = useRuns(cli);

/** Two steps fit below the line of 150,000; three do not. */
const TWO_SESSIONS: Scenario = {
  model: "opus",
  window: 200_000,
  start: 20_000,
  steps: steps(3, 65_000),
  line: 150_000,
};
const ONE_SESSION: Scenario = { ...TWO_SESSIONS, steps: steps(2, 1000) };
const PROMPT = ["--prompt", "Do all the steps."];

const events = (text: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => runEventSchema.parse(JSON.parse(line)));
const runIdIn = (text: string): string => /run-[0-9a-f]{12}/u.exec(text)?.[0] ?? "";
const ledgerOf = ({ root }: Job, id: string) =>
  runLedgerSchema.parse(
    JSON.parse(readFileSync(path.join(root, "outputs/handoff/runs", id, "run.json"), "utf8")),
  );

describe("the job ends well: exit 0", () => {
  test("R20, R25 over two sessions: the summary on stdout, what happened on stderr", async () => {
    const work = job(TWO_SESSIONS);
    const end = await work.run([...played("claude-code"), ...PROMPT]);
    expect([end.code, work.steps()]).toEqual([0, [true, true, true]]);
    const id = runIdIn(end.stdout);
    const ledger = ledgerOf(work, id);
    const [first, second] = ledger.generations;
    expect(end.stdout.replaceAll(/ {2,}/gu, " ").split("\n")).toEqual([
      expect.stringMatching(
        new RegExp(`^${id} done: 2 sessions · 3 commands · \\$0\\.\\d\\d · \\d:\\d\\d$`, "u"),
      ),
      expect.stringMatching(
        new RegExp(`^ 1 claude-code ${first?.session_id} [\\d.]+k of 200k ${first?.packet_id}$`, "u"),
      ),
      expect.stringContaining(` 2 claude-code ${second?.session_id} `),
      `outputs/handoff/runs/${id}/run.json`,
      "",
    ]);
    const lines = end.stderr.split("\n").map((line) => line.slice(9));
    expect(lines).toContain(`▶ ${id}: Do all the steps.`);
    expect(lines).toContain("● session 1: claude-code, opus, window 200k (it says so)");
    expect(lines).toContain("▲ over the line at 150k of 200k: the session is asked where it stands");
    expect(lines).toContain(
      `✓ packet ${first?.packet_id} is out: outputs/handoff/${first?.session_id}/handoff.json`,
    );
    expect(lines).toContain("● session 2: claude-code, opus, window 200k (it says so)");
    // Nothing draws where nobody looks.
    expect(end.stdout + end.stderr).not.toContain("\u001b");
    // R15 What the session answered is the packet's.
    expect(end.stderr).not.toContain("dead end 1");
  });

  test("P41 --json is the result and nothing else", async () => {
    const work = job(TWO_SESSIONS);
    const end = await work.run([...played("claude-code"), ...PROMPT, "--json"]);
    const result: Record<string, unknown> = JSON.parse(end.stdout);
    const ledger = ledgerOf(work, String(result["run_id"]));
    expect(Object.keys(result)).toEqual([
      "ok",
      "packet",
      "path",
      "dry_run",
      "run_id",
      "status",
      "rule",
      "exit",
      "ledger",
      "session_id",
      "retired",
      "generations",
      "plan",
      "worktree",
      "warnings",
      "error",
      "diagnostics",
    ]);
    const last = ledger.generations.at(-1);
    expect(result).toMatchObject({
      ok: true,
      packet: { packet_id: last?.packet_id, session_id: last?.session_id },
      path: path.join(work.root, `outputs/handoff/${last?.session_id}/handoff.json`),
      dry_run: false,
      status: "done",
      rule: "done",
      exit: 0,
      session_id: ledger.session_id,
      retired: ledger.retired,
      generations: ledger.generations,
      plan: null,
      error: null,
    });
  });

  test("R25 --events - has stdout for itself; the summary goes to stderr", async () => {
    const work = job(TWO_SESSIONS);
    const end = await work.run([...played("command"), ...PROMPT, "--events", "-"]);
    const told = events(end.stdout);
    expect(told.map(({ event }) => event)).toEqual([
      "run_started",
      "generation_started",
      "near",
      "writing",
      "done",
      "generation_ended",
      "generation_started",
      "generation_ended",
      "run_ended",
    ]);
    expect(end.stderr).toContain(`${told[0]?.run_id} done: 2 sessions`);
  });

  test("R25 --events FILE is added to, by every run and by the one that goes on", async () => {
    const work = job({ ...ONE_SESSION, turns: { 1: { error: { text: "invalid api key", status: 401 } } } });
    const to = ["--events", "events.jsonl"];
    const first = await work.run([...played("claude-code"), ...PROMPT, ...to]);
    expect(first.code).toBe(3);
    const id = runIdIn(first.stdout);
    expect((await work.run(["--resume", id, ...to])).code).toBe(0);
    const told = events(readFileSync(path.join(work.root, "events.jsonl"), "utf8"));
    expect(told.filter(({ event }) => event === "run_ended").map(({ run_id }) => run_id)).toEqual([id, id]);
  });

  test("S13 no secret in what is told", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const work = job({ ...ONE_SESSION, turns: { 1: { stderr: secret } } });
    const end = await work.run([...played("command"), "--prompt", `use ${secret}`, "--events", "-"]);
    expect(end.code).toBe(0);
    expect(end.stdout + end.stderr).not.toContain("a1B2");
    // The agent gets it all the same.
    expect(work.prompt(1)).toContain(secret);
  });

  test("R24 --next takes turns, each with its own program and arguments", async () => {
    const work = job(TWO_SESSIONS);
    const other = ["--next", "command", "--next-bin", scripted("command"), "--next-args", "-v --deep"];
    const end = await work.run([
      ...played("claude-code"),
      "--agent-args",
      "--permission-mode 'accept edits'",
      ...other,
      ...PROMPT,
    ]);
    expect(end.code).toBe(0);
    expect(work.argv(1).slice(-2)).toEqual(["--permission-mode", "accept edits"]);
    expect(work.argv(3)).toEqual(["-v", "--deep"]);
    expect(ledgerOf(work, runIdIn(end.stdout)).generations.map(({ agent }) => agent)).toEqual([
      "claude-code",
      "command",
    ]);
  });

  test("the configuration's rotation counts where no option speaks", async () => {
    // Nobody interrupts it: its calls take as long as ever.
    const work = job({ ...TWO_SESSIONS, line: 900_000 });
    put(work.root, "handoff.config.json", { rotation: { enabled: false, window: 500_000 } });
    const off = await work.run([...played("command"), ...PROMPT, "--json"]);
    expect(JSON.parse(off.stdout)).toMatchObject({
      exit: 0,
      generations: [{ window: 500_000, window_source: "config" }],
    });
  });
});

describe("the job", () => {
  test.each<[string, readonly string[], string | undefined, string]>([
    ["from a file", ["--prompt-file", "job.md"], undefined, "from\na file\n"],
    ["through a pipe", [], "from a pipe", "from a pipe"],
    ["from stdin, by -", ["-"], "by a dash", "by a dash"],
    ["from stdin, by --prompt-file -", ["--prompt-file", "-"], "by an option", "by an option"],
    ["by option, whatever the pipe has", ["--prompt", "- [ ] --this"], "not this", "- [ ] --this"],
    ["without its byte order mark", [], "\ufeffplain", "plain"],
    ["of a megabyte (R28)", [], "x ".repeat(524_288), "x ".repeat(524_288)],
  ])("%s", async (_, args, input, prompt) => {
    const work = job(ONE_SESSION);
    writeFileSync(path.join(work.root, "job.md"), "from\na file\n");
    const end = await work.run([...played("command"), ...args], input === undefined ? {} : { input });
    expect(end.code).toBe(0);
    expect(work.prompt(1)).toBe(prompt);
  });

  test.each([
    ["no pipe and no option", undefined],
    ["an empty pipe", "\n"],
  ])("%s: nothing is started", async (_, input) => {
    const work = job(ONE_SESSION);
    const end = await work.run([...played("command")], input === undefined ? {} : { input });
    expect([end.code, end.stdout]).toEqual([2, ""]);
    expect(end.stderr).toMatch(
      /^handoff: run\.job: .*empty\n {2}--prompt TEXT, --prompt-file FILE, or through a pipe/u,
    );
    expect(existsSync(path.join(work.home, "turns"))).toBe(false);
  });

  test("R29 inside a run nothing is read and nothing started", async () => {
    const work = job(ONE_SESSION);
    const end = await work.run([...played("command")], { env: { HANDOFF_RUN: "run-1" } });
    expect([end.code, end.stderr.split(":")[1]]).toEqual([2, " run.nested"]);
    expect(existsSync(path.join(work.root, "outputs"))).toBe(false);
  });
});

describe("R19, R22, R23 exit 1 and 3", () => {
  test("R19 two degraded handoffs in a row: 1, and what to do", async () => {
    const work = job({ ...TWO_SESSIONS, steps: steps(9, 65_000), reply: "hmm" });
    const end = await work.run([...played("claude-code"), ...PROMPT]);
    expect(end.code).toBe(1);
    expect(end.stderr).toMatch(/\nhandoff: run\.degraded: 2 sessions in a row .*\n {2}.*handoff edit.*\n$/u);
    expect(end.stdout).toContain("stopped: 2 sessions");
  });

  test("R23 as many sessions as are allowed: 1, and the switches", async () => {
    const work = job({ ...TWO_SESSIONS, steps: steps(9, 65_000) });
    const end = await work.run([...played("claude-code"), ...PROMPT, "--max-generations", "1", "--json"]);
    expect(end.code).toBe(1);
    expect(JSON.parse(end.stdout)).toMatchObject({
      ok: false,
      status: "stopped",
      rule: "max_generations",
      error: { code: "run.max_generations", hint: expect.stringContaining("--window") },
    });
  });

  test("R22 an error that no try changes: 3", async () => {
    const work = job({ ...ONE_SESSION, turns: { 1: { error: { text: "invalid api key", status: 401 } } } });
    const end = await work.run([...played("claude-code"), ...PROMPT]);
    expect(end.code).toBe(3);
    expect(end.stderr).toMatch(
      /\nhandoff: run\.agent_failed: .*invalid api key.*\n {2}.*--resume run-[0-9a-f]{12}\n$/u,
    );
  });

  test("R22 --max-attempts tries: 3", async () => {
    const work = job({
      ...ONE_SESSION,
      every: { error: { text: "Overloaded. Retry-After: 0", status: 529 } },
    });
    const end = await work.run([...played("claude-code"), ...PROMPT, "--max-attempts", "2"]);
    expect([end.code, end.stderr.match(/✗ a try failed/gu)?.length]).toEqual([3, 2]);
  });
});

describe("R26, R27 a run that cannot be written down: 2", () => {
  test("names the file and what to do; neither a ledger that is not there nor a run to go on with", async () => {
    const work = job(ONE_SESSION);
    put(work.root, "outputs", "in the way\n");
    const end = await work.run([...played("claude-code"), ...PROMPT]);
    expect(end.code).toBe(2);
    expect(end.stdout).not.toContain("run.json");
    expect(end.stderr).toContain("handoff: write.not_a_folder: ");
    expect(end.stderr).toContain("then start it again");
    expect(end.stderr).not.toContain("--resume");
    const told = await work.run([...played("claude-code"), ...PROMPT, "--json"]);
    expect(JSON.parse(told.stdout)).toMatchObject({ ok: false, exit: 2, ledger: null });
  });
});

describe("R27 Ctrl-C: 130", () => {
  const HANGS: Scenario = { ...ONE_SESSION, turns: { 1: { after: 1, hang: true } } };

  test.each(["SIGINT", "SIGTERM"] as const)(
    "R27 %s: a packet, then the end; --resume goes on",
    async (signal) => {
      const work = job(HANGS);
      const going = work.start([...played("claude-code"), ...PROMPT]);
      await going.until("● session 1");
      while (!work.steps()[0]) await new Promise((resolve) => setTimeout(resolve, 20));
      going.child.kill(signal);
      const end = await going.end;
      expect(end.code).toBe(130);
      expect(end.stderr).toContain("■ stopping: the packet is written first; again leaves at once");
      const id = runIdIn(end.stdout);
      expect(end.stderr).toMatch(
        new RegExp(`handoff: run\\.signal: .*\\n {2}go on with handoff run --resume ${id}\\n$`, "u"),
      );
      const { status, generations } = ledgerOf(work, id);
      expect(status).toBe("interrupted");
      expect(generations[0]?.packet_id).toMatch(/^hp_/u);
      expect(await findByVariable("HANDOFF_RUN", id)).toEqual([]);

      const resumed = await work.run(["--resume", id, "--json"]);
      expect(resumed.code).toBe(0);
      expect(JSON.parse(resumed.stdout)).toMatchObject({ ok: true, run_id: id, status: "done" });
      expect(work.steps()).toEqual([true, true]);

      const again = await work.run(["--resume", id]);
      expect([again.code, again.stderr.split("\n")[0]]).toEqual([
        0,
        `handoff: run.done: ${id} has ended well already: nothing is started`,
      ]);
    },
  );

  test("R27 the second one leaves at once, and leaves nobody behind", async () => {
    const work = job({ ...ONE_SESSION, turns: { 1: { after: 1, stubborn: true } } });
    const going = work.start([...played("claude-code"), ...PROMPT]);
    await going.until("● session 1");
    while (!existsSync(path.join(work.home, "stubborn-tool")))
      await new Promise((resolve) => setTimeout(resolve, 20));
    going.child.kill("SIGINT");
    await going.until("■ stopping");
    // Two presses, not one that arrives twice.
    await new Promise((resolve) => setTimeout(resolve, 200));
    going.child.kill("SIGINT");
    const end = await going.end;
    expect(end.code).toBe(130);
    expect(end.stderr).toContain("■ leaving at once");
    expect(await findByVariable("HANDOFF_RUN", runIdIn(end.stdout))).toEqual([]);
  });

  test("R27 a reader of the events that goes away ends the run as Ctrl-C does", async () => {
    const work = job(HANGS);
    const going = work.start([...played("claude-code"), ...PROMPT, "--events", "-"]);
    await going.until('"run_started"');
    going.child.stdout?.destroy();
    // The next event finds nobody there.
    await going.until("● session 1");
    const end = await going.end;
    expect(end.code).toBe(130);
    expect(ledgerOf(work, runIdIn(end.stderr)).status).toBe("interrupted");
  });
});
