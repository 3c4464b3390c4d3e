// R5-R8, R14-R18, R20, R22-R26, R28, R29: whole runs of scripted agents, which are real processes at work in a real project.
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { FIVE, type Scenario, steps } from "../../fixtures/agents/scenario.js";
import { decide } from "./decide.js";
import { eventsOf, kinds, leftBehind, withScene } from "./testing/run-scene.js";
import { type AgentName, scriptedAgent } from "./testing/scripted-agents.js";

const ALL_FIVE = ["s1", "s2", "s3", "s4", "s5"];

describe.concurrent("a rotation", () => {
  test("R14 R15 R20 at the line: cut, asked on the same session, published, succeeded, and the job is done", async () => {
    await withScene({ scenario: FIVE }, async (scene) => {
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 0, status: "done", rule: "done", message: null });
      expect(scene.steps()).toEqual(ALL_FIVE);
      expect(kinds(run)).toEqual([
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
      const [first, second] = run.ledger.generations;
      expect(run.ledger.retired).toEqual([first?.session_id]);
      expect(run.ledger.session_id).toBe(second?.session_id);
      // Turn 2 asks the first session, turn 3 begins the second.
      expect(scene.started(2).argv).toContain("--resume");
      expect(scene.started(2).argv.at(-1)).toBe(first?.session_id);
      expect(scene.started(3).argv.at(-1)).toBe(second?.session_id);
      expect(scene.prompt(1)).toBe("Do all the steps.");
      expect(scene.prompt(2)).toContain("150,000 of 200,000 tokens");
      const [done] = eventsOf(run, "done");
      expect(done).toMatchObject({
        session_id: first?.session_id,
        generation: 1,
        degraded: null,
        sections: ["doing", "decided", "dead_ends", "next", "scene"],
        packet_id: first?.packet_id,
      });
      expect(existsSync(path.join(scene.root, done?.path ?? ""))).toBe(true);
      const [near] = eventsOf(run, "near");
      expect(near).toMatchObject({ at: 150_000, context: 150_000, window: 200_000 });
      expect(await leftBehind(run.run_id)).toEqual([]);
    });
  });

  test("R17 R20 the successor's prompt is the brief: its words, its facts, the task; the packet is taken", async () => {
    await withScene({ scenario: FIVE }, async (scene) => {
      const run = await scene.run();
      const [first, second] = run.ledger.generations;
      const brief = scene.prompt(3);
      expect(brief).toMatch(/^You are taking over/u);
      for (const part of [
        "Do step s5, then the ones after it.",
        "decision 1 of this job: session 1 found it out",
        "dead end 1: it was tried in session 1",
        "Task: Do all the steps.",
        "4 commands, none failed",
        "Do not restart the work",
      ])
        expect(brief).toContain(part);
      const packet = scene.packet(first?.session_id ?? "");
      expect(packet).toMatchObject({ handoff_reason: "context_threshold", degraded: null });
      expect(packet.feedback?.total).toBe(4);
      const index = JSON.parse(scene.file("outputs/handoff/index.json")) as {
        packets: { packet_id: string; consumed_by: { by: string }[] }[];
      };
      const row = index.packets.find(({ packet_id }) => packet_id === packet.packet_id);
      expect(row?.consumed_by.map(({ by }) => by)).toEqual([second?.session_id]);
      // The last session leaves its packet, too.
      expect(scene.packet(second?.session_id ?? "")).toMatchObject({
        handoff_reason: "session_end",
        supersedes: packet.packet_id,
      });
    });
  });

  test("R6 a step that ends one token below the line is not cut; one at the line is", async () => {
    const at = (start: number): Scenario => ({
      ...FIVE,
      starts: [start],
      start: 1000,
      steps: steps(2, 10_000),
    });
    await withScene({ scenario: at(149_999 - 10_000) }, async (scene) => {
      const run = await scene.run();
      expect(run.ledger.generations).toHaveLength(1);
      expect(run.ledger.generations[0]?.context).toBe(159_999);
      expect(kinds(run)).not.toContain("writing");
    });
    await withScene({ scenario: { ...at(150_000 - 10_000), steps: steps(3, 10_000) } }, async (scene) => {
      const run = await scene.run();
      expect(run.ledger.retired).toHaveLength(1);
      expect(eventsOf(run, "writing")[0]?.context).toBe(150_000);
      expect(scene.steps()).toEqual(["s1", "s2", "s3"]);
    });
  });

  test("R14 a turn that comes to its own end above the line is the end of the job, not a rotation", async () => {
    await withScene({ scenario: { ...FIVE, steps: steps(1, 100_000) } }, async (scene) => {
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(run.ledger.generations[0]?.context).toBe(160_000);
      expect(scene.turns()).toBe(1);
    });
  });

  test("R5 a subagent above the line changes nothing", async () => {
    const scenario = { ...FIVE, steps: [{ name: "s1", grows: 1000, subagent: { context: 190_000 } }] };
    await withScene({ scenario }, async (scene) => {
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(kinds(run)).toEqual(["run_started", "generation_started", "generation_ended", "run_ended"]);
      expect(run.ledger.generations[0]?.context).toBe(61_000);
    });
  });

  test("R15 the writing turn stands above the line and is not cut, by the predicate the loop itself asks", async () => {
    await withScene({ scenario: { ...FIVE, writingGrows: 40_000 } }, async (scene) => {
      const phases: string[] = [];
      const run = await scene.run({
        ports: {
          onProgress: ({ phase, context, thresholds, session_id }) => {
            if (phase !== "writing") return;
            phases.push(phase);
            const facts = { enabled: true, thresholds, context, session_id };
            expect(decide({ ...facts, writing: true })).toBe("none");
            expect(decide({ ...facts, writing: false })).toBe("due");
          },
        },
      });
      expect(phases.length).toBeGreaterThan(0);
      expect(run.ledger.generations[0]).toMatchObject({ degraded: null, context: 220_000 });
      // Nothing of it on the live display.
      expect(run.texts).toEqual(["All steps are done."]);
    });
  });

  test("R7 near is told once, R25 every event has its run, its time and its session", async () => {
    const scenario = { ...FIVE, start: 125_000, steps: steps(8, 6000) };
    await withScene({ scenario }, async (scene) => {
      const run = await scene.run();
      expect(eventsOf(run, "near").map(({ generation }) => generation)).toEqual([1, 2]);
      expect(new Set(run.events.map(({ run_id }) => run_id))).toEqual(new Set([run.run_id]));
      const told = run.events.filter(({ event }) => event !== "run_started");
      const sessions = run.ledger.generations.map(({ session_id }) => session_id);
      expect(told.every(({ session_id, generation }) => session_id === sessions[generation - 1])).toBe(true);
    });
  });

  test.each(["codex", "command"] as const)("R24 %s rotates the same way", async (name) => {
    await withScene({ scenario: { ...FIVE } }, async (scene) => {
      const run = await scene.run({ plan: { agent: scriptedAgent(name) } });
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(scene.steps()).toEqual(ALL_FIVE);
      expect(run.ledger.retired).toHaveLength(1);
      expect(run.ledger.generations[0]).toMatchObject({ degraded: null, window: 200_000 });
      expect(scene.prompt(scene.turns())).toContain("Do step s5, then the ones after it.");
      expect(await leftBehind(run.run_id)).toEqual([]);
    });
  });

  const pairs: readonly (readonly [AgentName, AgentName])[] = [
    ["claude-code", "codex"],
    ["codex", "claude-code"],
  ];
  test.each(pairs)("R24 from %s to %s, and back", async (one, other) => {
    const scenario = { ...FIVE, steps: steps(9, 30_000) };
    await withScene({ scenario }, async (scene) => {
      const run = await scene.run({ plan: { agent: scriptedAgent(one), next: scriptedAgent(other) } });
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(run.ledger.generations.map(({ agent }) => agent)).toEqual([one, other, one]);
      expect(run.ledger.generations.map(({ degraded }) => degraded)).toEqual([null, null, null]);
      expect(scene.steps()).toHaveLength(9);
      // The brief is the other agent's own to read: on stdin, whoever it is.
      expect(scene.prompt(3)).toContain("decision 1 of this job");
      expect(scene.prompt(5)).toContain("decision 2 of this job");
    });
  });

  test("R24 each agent has its own arguments, and the same line by percentage", async () => {
    await withScene({ scenario: { ...FIVE, line: 100_000 } }, async (scene) => {
      const run = await scene.run({
        plan: {
          agent: scriptedAgent("claude-code", ["--model", "one"]),
          next: scriptedAgent("codex", ["-m", "two"]),
          at_percent: 50,
        },
      });
      expect(scene.started(1).argv.slice(-2)).toEqual(["--model", "one"]);
      expect(scene.started(3).argv.slice(0, 3)).toEqual(["exec", "-m", "two"]);
      expect(eventsOf(run, "near").map(({ at }) => at)).toEqual([100_000, 100_000]);
    });
  });

  test("R28 a task of a megabyte reaches the agent whole, and the brief says where all of it is", async () => {
    const task = `Do all the steps. ${"x".repeat(1_000_000)} THE END`;
    await withScene({ scenario: FIVE }, async (scene) => {
      const run = await scene.run({ plan: { task } });
      expect(run.exit).toBe(0);
      expect(scene.prompt(1)).toBe(task);
      const brief = scene.prompt(3);
      expect(brief).toContain("Task: Do all the steps. xxxx");
      expect(brief).toContain(`in full: "task" in outputs/handoff/runs/${run.run_id}/run.json`);
      expect(brief.length).toBeLessThan(9600);
    });
  });

  test("R8 the agent's own compaction is switched off, unless it is asked for", async () => {
    const scenario = { ...FIVE, steps: steps(1, 1000) };
    const told = { no_summary: ["1", undefined], auto: [undefined, undefined], off: ["1", "1"] } as const;
    for (const [compact, expected] of Object.entries(told))
      await withScene({ scenario }, async (scene) => {
        await scene.run({ plan: { compact: compact as keyof typeof told } });
        const { env } = scene.started(1);
        expect([env["DISABLE_AUTO_COMPACT"], env["DISABLE_COMPACT"]]).toEqual(expected);
      });
  });

  test("R8 with rotation off it is left on: it is all there is", async () => {
    await withScene({ scenario: { ...FIVE, steps: steps(1, 1000) } }, async (scene) => {
      await scene.run({ limits: { enabled: false } });
      expect(scene.started(1).env["DISABLE_AUTO_COMPACT"]).toBeUndefined();
    });
  });

  test("R8 one that comes all the same is due", async () => {
    const scenario = { ...FIVE, steps: steps(2, 1000), turns: { 1: { after: 1, compact: true } } };
    await withScene({ scenario }, async (scene) => {
      const run = await scene.run();
      expect(kinds(run)).toContain("writing");
      expect(run.ledger.retired).toHaveLength(1);
      expect(scene.steps()).toEqual(["s1", "s2"]);
    });
  });

  test("R29 the agent sees the run, and no session but its own", async () => {
    const scenario = { ...FIVE, steps: steps(1, 1000) };
    await withScene({ scenario }, async (scene) => {
      const env = {
        ...scene.env,
        HANDOFF_SESSION_ID: "outer",
        CLAUDE_CODE_SESSION_ID: "outer",
        CODEX_THREAD_ID: "outer",
      };
      const run = await scene.run({ ports: { env } });
      const seen = scene.started(1).env;
      expect(seen["HANDOFF_RUN"]).toBe(run.run_id);
      expect(Object.values(seen)).not.toContain("outer");
    });
  });

  test("R29 inside a run no other is started", async () => {
    await withScene({ scenario: FIVE }, async (scene) => {
      const nested = scene.run({ ports: { env: { ...scene.env, HANDOFF_RUN: "run-outer" } } });
      await expect(nested).rejects.toMatchObject({ code: "run.nested", exitCode: 2 });
      expect(existsSync(path.join(scene.home, "turns"))).toBe(false);
    });
  });

  test("R29 without hooks the runner records commands with their exits, and the session", async () => {
    const scenario = { ...FIVE, steps: [{ name: "s1", exit: 3, run: "echo oops >&2" }, { name: "s2" }] };
    await withScene({ scenario }, async (scene) => {
      const run = await scene.run();
      const folder = `.handoff/sessions/${run.ledger.session_id}`;
      expect(scene.lines(`${folder}/feedback.jsonl`)).toMatchObject([
        { exit_code: 3, source: "runner", agent: "claude-code", session_id: run.ledger.session_id },
        { exit_code: 0, source: "runner" },
      ]);
      expect(JSON.parse(scene.file(`${folder}/session.json`))).toMatchObject({
        agent: "claude-code",
        model: "claude-sonnet-4-5",
        goal: "Do all the steps.",
        branch: "main",
        source: "run",
      });
      expect(scene.packet(run.ledger.session_id ?? "").failed_attempts).toMatchObject([
        { exit_code: 3, resolved: false },
      ]);
    });
  });

  test("R26 costs and turns: a running total counts once, however many turns a session has", async () => {
    await withScene({ scenario: FIVE }, async (scene) => {
      const run = await scene.run();
      // Four messages and the writing turn, a cent each; the last session one message and its end.
      expect(run.ledger.generations).toMatchObject([
        { cost_usd: 0.05, turns: 5 },
        { cost_usd: 0.02, turns: 2 },
      ]);
    });
  });

  test("R26 the ledger on disk is what the run says, its task through the gate; the state is private", async () => {
    const secret = `sk-ant-api03-${"A1b2C3d4".repeat(11)}-AAAAAA`;
    await withScene({ scenario: FIVE }, async (scene) => {
      const run = await scene.run({ plan: { task: `Use ${secret} and do all the steps.` } });
      const folder = path.join(scene.root, "outputs/handoff/runs", run.run_id);
      const text = readFileSync(path.join(folder, "run.json"), "utf8");
      expect(JSON.parse(text)).toEqual(run.ledger);
      expect(run.ledger.task).toMatch(/^Use \[redacted:[a-z-]+\] and do all the steps\.$/u);
      expect(JSON.stringify(run.events)).not.toContain(secret);
      expect(scene.prompt(1)).toContain(secret);
      expect(scene.prompt(3)).not.toContain(secret);
      expect(readFileSync(path.join(folder, "../.gitignore"), "utf8")).toContain("state.json*\n");
    });
  });

  test("R20 it runs outside git, too, and with a store elsewhere", async () => {
    const out = realpathSync(mkdtempSync(path.join(tmpdir(), "handoff-out-")));
    try {
      await withScene(
        { scenario: FIVE, repository: false, out: path.join(out, "deep/store") },
        async (scene) => {
          const run = await scene.run();
          expect(run).toMatchObject({ exit: 0, status: "done" });
          expect(run.ledger.retired).toHaveLength(1);
          expect(scene.steps()).toEqual(ALL_FIVE);
          expect(existsSync(path.join(out, "deep/store/runs", run.run_id, "run.json"))).toBe(true);
          expect(existsSync(path.join(scene.root, "outputs"))).toBe(false);
          expect(scene.prompt(3)).toMatch(
            /^You are taking over work in progress from session `[0-9a-f-]+`\. Packet/u,
          );
        },
      );
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  });
});

describe.concurrent("the window", () => {
  const SMALL = { ...FIVE, line: 12_000, start: 2000, steps: steps(4, 5000) };
  const { line: _, ...HASTY } = FIVE;

  test("R4 option, environment and configuration come before the agent's report", async () => {
    await withScene({ scenario: HASTY }, async (scene) => {
      const env = { ...scene.env, HANDOFF_WINDOW: "1000000" };
      const run = await scene.run({ ports: { env } });
      expect(run.ledger.generations).toMatchObject([{ window: 1_000_000, window_source: "environment" }]);
    });
    await withScene({ scenario: SMALL }, async (scene) => {
      const run = await scene.run({ plan: { window: 40_000, headroom: 28_000 } });
      expect(run.ledger.generations).toMatchObject([
        { window: 40_000, window_source: "option" },
        { window: 40_000, window_source: "option" },
      ]);
      expect(eventsOf(run, "near")[0]?.at).toBe(12_000);
      expect(run.warnings.map(({ code }) => code)).toContain("headroom.small");
    });
  });

  test("R4 without a report the name of the model counts, said aloud once a session", async () => {
    await withScene({ scenario: { ...FIVE, window: null, model: "claude-haiku-4-5" } }, async (scene) => {
      const run = await scene.run();
      expect(run.ledger.generations).toMatchObject([
        { window: 200_000, window_source: "model_name" },
        { window: 200_000, window_source: "model_name" },
      ]);
      expect(run.warnings.map(({ code }) => code)).toEqual(["window.guessed", "window.guessed"]);
      expect(eventsOf(run, "generation_started").map(({ window }) => window)).toEqual([200_000, 200_000]);
    });
  });

  test("R4 a window nobody knows is said aloud, and nothing is cut", async () => {
    await withScene({ scenario: { ...HASTY, window: null, model: "local-model" } }, async (scene) => {
      const run = await scene.run();
      expect(run.ledger.generations).toMatchObject([
        { window: null, window_source: "unknown", context: 210_000 },
      ]);
      expect(run.warnings.map(({ code }) => code)).toEqual(["window.unknown"]);
    });
  });

  test("R8 Codex compacts by itself: the line stays below that, and it is said", async () => {
    await withScene({ scenario: { ...FIVE, steps: steps(1, 1000) } }, async (scene) => {
      const run = await scene.run({ plan: { agent: scriptedAgent("codex"), headroom: 5000 } });
      expect(run.state.thresholds?.at).toBe(179_999);
      expect(run.warnings.map(({ code }) => code)).toContain("line.lowered");
    });
  });
});
