// R10-R13, R18, R19, R22, R23: whole runs of scripted agents that fail in every way there is.
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { FIVE, type Scenario, type ScriptedFault, steps } from "../../fixtures/agents/scenario.js";
import { put } from "../cli/testing/sample-workbench.js";
import { readLiveness, readOwnIdentity } from "../io/process-identity.js";
import { sendSignal } from "../io/process-tree.js";
import { eventsOf, kinds, leftBehind, withScene } from "./testing/run-scene.js";
import { scriptedAgent } from "./testing/scripted-agents.js";

/** A session that holds all of the job. */
const SMALL: Scenario = { ...FIVE, steps: steps(3, 1000) };
const ALL_FIVE = ["s1", "s2", "s3", "s4", "s5"];
const TOO_LONG = "prompt is too long: 215000 tokens > 200000 maximum";

const withTurns = (scenario: Scenario, turns: Readonly<Record<number, ScriptedFault>>): Scenario => ({
  ...scenario,
  turns,
});

describe.concurrent("a handoff without the session's words", () => {
  test.each([
    ["no_reply", "OK, see you.", [], "Do not assume that nothing was done"],
    [
      "section_missing",
      "## Doing\nHalf of it.\n\n## Dead ends\na lock — it hangs",
      ["doing", "dead_ends"],
      "a lock: it hangs",
    ],
  ] as const)(
    "R18 %s: the packet is made from the artifacts, and the job goes on",
    async (degraded, reply, said, told) => {
      await withScene({ scenario: withTurns(FIVE, { 2: { reply } }) }, async (scene) => {
        const run = await scene.run();
        expect(run).toMatchObject({ exit: 0, status: "done" });
        expect(scene.steps()).toEqual(ALL_FIVE);
        expect(run.ledger.generations.map((row) => row.degraded)).toEqual([degraded, null]);
        expect(eventsOf(run, "done")[0]).toMatchObject({ degraded, sections: said });
        const packet = scene.packet(run.ledger.retired[0] ?? "");
        expect(packet.degraded?.reason).toBe(degraded);
        expect(packet.feedback?.total).toBe(4);
        expect(packet.scene?.join("\n")).toContain("The task as it was given: Do all the steps.");
        const brief = scene.prompt(3);
        expect(brief).toContain(`Degraded packet (${degraded})`);
        // What it did say counts all the same.
        expect(brief).toContain(told);
      });
    },
  );

  test("R18 a writing turn that takes too long is ended", async () => {
    await withScene({ scenario: withTurns(FIVE, { 2: { hang: true } }) }, async (scene) => {
      const run = await scene.run({ ports: { writingMs: 400 } });
      expect(run.ledger.generations.map((row) => row.degraded)).toEqual(["timeout", null]);
      expect(scene.steps()).toEqual(ALL_FIVE);
      expect(await leftBehind(run.run_id)).toEqual([]);
    });
  });

  test("R18 R22 one that fails is not tried again, and is no attempt", async () => {
    const error = { text: "Overloaded", status: 529 };
    await withScene({ scenario: withTurns(FIVE, { 2: { error } }) }, async (scene) => {
      const run = await scene.run();
      expect(run.ledger.generations).toMatchObject([
        { degraded: "agent_failed", attempts: 0, errors: [{ verdict: "retryable", status: 529 }] },
        { degraded: null },
      ]);
      expect(scene.packet(run.ledger.retired[0] ?? "").degraded?.detail).toContain("Overloaded");
      expect(scene.turns()).toBe(3);
    });
  });

  test("R19 the second in a row ends the run: published, retired, nobody started", async () => {
    const scenario = { ...FIVE, steps: steps(12, 30_000), reply: "No idea." };
    await withScene({ scenario }, async (scene) => {
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 1, status: "stopped", rule: "degraded" });
      expect(run.ledger.retired).toHaveLength(2);
      expect(run.ledger.generations.map((row) => row.degraded)).toEqual(["no_reply", "no_reply"]);
      for (const session of run.ledger.retired)
        expect(scene.packet(session).degraded?.reason).toBe("no_reply");
      // Two working turns, two writing turns.
      expect(scene.turns()).toBe(4);
      expect(run.message?.hint).toContain("handoff edit");
      // Somebody goes on all the same: with a successor, since that session is retired.
      const again = await scene.run({ resume: run.run_id });
      expect(again.ledger.generations.length).toBeGreaterThan(2);
      expect(again.ledger.generations[2]?.session_id).not.toBe(run.ledger.retired[1]);
    });
  });

  test("R19 a whole one in between starts the count anew", async () => {
    const scenario = { ...FIVE, steps: steps(13, 30_000) };
    const reply = "No idea.";
    await withScene({ scenario: withTurns(scenario, { 2: { reply }, 6: { reply } }) }, async (scene) => {
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(run.ledger.generations.map((row) => row.degraded)).toEqual(["no_reply", null, "no_reply", null]);
    });
  });
});

describe.concurrent("an overflow", () => {
  test.each([
    ["claude-code", "the first generation", { 1: { after: 2, overflow: TOO_LONG } }, ["overflow", null]],
    ["claude-code", "a later generation", { 3: { after: 1, overflow: TOO_LONG } }, [null, "overflow", null]],
    ["codex", "the first generation", { 1: { after: 2, overflow: "full" } }, ["overflow", null]],
  ] as const)("R13 %s, %s: hands over at once, and is no attempt", async (name, _, turns, degraded) => {
    const scenario = { ...FIVE, steps: steps(7, 30_000) };
    await withScene({ scenario: withTurns(scenario, turns) }, async (scene) => {
      const run = await scene.run({ plan: { agent: scriptedAgent(name) } });
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(scene.steps()).toHaveLength(7);
      expect(run.ledger.generations.map((row) => row.degraded).slice(0, degraded.length - 1)).toEqual(
        degraded.slice(0, -1),
      );
      expect(run.ledger.generations.every(({ attempts }) => attempts === 0)).toBe(true);
      const at = degraded.indexOf("overflow");
      expect(scene.packet(run.ledger.retired[at] ?? "")).toMatchObject({
        handoff_reason: "overflow",
        degraded: { reason: "overflow" },
      });
      // No writing turn of that session.
      const writings = eventsOf(run, "writing").map(({ generation }) => generation);
      expect(writings).not.toContain(at + 1);
      expect(eventsOf(run, "attempt_failed")).toMatchObject([{ verdict: "overflow", delay_ms: null }]);
    });
  });

  test("R4 R13 what it says of the window holds for the next session of the same model", async () => {
    const scenario = { ...FIVE, window: null, model: "local-model" };
    await withScene(
      { scenario: withTurns(scenario, { 1: { after: 2, overflow: TOO_LONG } }) },
      async (scene) => {
        const run = await scene.run();
        expect(run.ledger.generations).toMatchObject([
          { window: null, window_source: "unknown" },
          { window: 200_000, window_source: "calibration" },
        ]);
        expect(JSON.parse(scene.file(".handoff/cache/windows.json"))).toEqual({
          [["claude-code", scriptedAgent("claude-code").bin, "", "local-model"].join(" ")]: 200_000,
        });
      },
    );
  });

  test.each([
    ["end_turn", 210_000],
    ["max_tokens", 199_000],
  ])("R12 a silent one (%s at %i) is one", async (stopReason, silent) => {
    const { line: _, ...scenario } = FIVE;
    const turns = { 1: { after: 1, silent, stopReason } };
    await withScene({ scenario: withTurns({ ...scenario, steps: steps(3, 1000) }, turns) }, async (scene) => {
      const run = await scene.run();
      expect(run.ledger.generations.map((row) => row.degraded)).toEqual(["overflow", null]);
      expect(scene.steps()).toEqual(["s1", "s2", "s3"]);
    });
  });

  test("R13 with rotation off, and without a session, it is an error like any other", async () => {
    await withScene({ scenario: withTurns(SMALL, { 1: { overflow: TOO_LONG } }) }, async (scene) => {
      const run = await scene.run({ limits: { enabled: false } });
      expect(run).toMatchObject({ exit: 3, rule: "agent_failed" });
      expect(run.message?.what).toContain(TOO_LONG);
      expect(run.ledger.retired).toEqual([]);
    });
    await withScene({ scenario: SMALL }, async (scene) => {
      const bin = put(
        scene.home,
        "broken.sh",
        `#!/bin/sh\ncat > /dev/null\necho '${TOO_LONG}' >&2\nexit 1\n`,
      );
      chmodSync(bin, 0o755);
      const run = await scene.run({ plan: { agent: { ...scriptedAgent("claude-code"), bin } } });
      expect(run).toMatchObject({ exit: 3, rule: "agent_failed", ledger: { session_id: null, retired: [] } });
    });
  });
});

describe.concurrent("tries", () => {
  test.each([
    ["429 with a time", { text: "rate limited, please retry after 7 seconds", status: 429 }, 7000],
    ["529", { text: "Overloaded", status: 529 }, 750],
    ["a broken connection", { text: "read ECONNRESET: connection reset by peer", status: null }, 750],
  ] as const)("R22 %s: the same session, after a pause", async (_, error, ms) => {
    await withScene({ scenario: withTurns(SMALL, { 1: { after: 1, error } }) }, async (scene) => {
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(run.sleeps).toEqual([ms]);
      expect(run.ledger.generations).toMatchObject([{ attempts: 1, errors: [{ verdict: "retryable" }] }]);
      expect(eventsOf(run, "attempt_failed")).toMatchObject([
        { attempt: 1, status: error.status, delay_ms: ms },
      ]);
      expect(scene.turns()).toBe(2);
      expect(scene.started(2).argv.at(-1)).toBe(run.ledger.session_id);
      expect(scene.prompt(2)).toContain("Go on with the job");
      expect(scene.steps()).toEqual(["s1", "s2", "s3"]);
    });
  });

  test("R22 six in a row are enough; the way on is named", async () => {
    const every = { error: { text: "Overloaded", status: 529 } };
    await withScene({ scenario: { ...SMALL, every } }, async (scene) => {
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 3, status: "failed", rule: "attempts" });
      expect(scene.turns()).toBe(6);
      expect(run.ledger.generations).toMatchObject([{ attempts: 6 }]);
      expect(eventsOf(run, "attempt_failed").map(({ delay_ms }) => delay_ms === null)).toEqual([
        ...Array.from({ length: 5 }, () => false),
        true,
      ]);
      expect(run.message?.hint).toContain(`handoff run --resume ${run.run_id}`);
    });
  });

  test("R22 tries with progress in between are none in a row", async () => {
    const every = { after: 1, error: { text: "Overloaded", status: 529 } };
    await withScene({ scenario: { ...SMALL, steps: steps(7, 1000), every } }, async (scene) => {
      const run = await scene.run({ limits: { max_attempts: 2 } });
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(run.ledger.generations).toMatchObject([{ attempts: 6 }]);
    });
  });

  test.each([400, 401, 403, 404])(
    "R22 %i ends the run at once, with the packet of its session",
    async (status) => {
      const error = { text: "no", status };
      await withScene({ scenario: withTurns(SMALL, { 1: { after: 1, error } }) }, async (scene) => {
        const run = await scene.run();
        expect(run).toMatchObject({ exit: 3, status: "failed", rule: "agent_failed" });
        expect(scene.turns()).toBe(1);
        expect(run.sleeps).toEqual([]);
        expect(scene.packet(run.ledger.session_id ?? "").feedback?.total).toBe(1);
      });
    },
  );

  test("R22 an agent that is not there, and one that may not be run", async () => {
    await withScene({ scenario: SMALL }, async (scene) => {
      const agent = scriptedAgent("claude-code");
      const missing = await scene.run({ plan: { agent: { ...agent, bin: "/nonexistent/agent" } } });
      expect(missing).toMatchObject({ exit: 3, rule: "agent_failed" });
      expect(missing.message?.what).toContain("/nonexistent/agent: no such program");
      const denied = await scene.run({ plan: { agent: { ...agent, bin: path.join(scene.root, "README") } } });
      expect(denied.message?.what).toContain("EACCES");
    });
  });

  test("a torn line costs itself, and the try: the same session goes on", async () => {
    await withScene({ scenario: withTurns(SMALL, { 1: { after: 1, torn: true } }) }, async (scene) => {
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(run.warnings.map(({ code }) => code)).toEqual(["agent.torn"]);
      expect(run.ledger.generations).toMatchObject([{ attempts: 1 }]);
      expect(run.ledger.generations[0]?.errors[0]?.text).toBe("the agent ended without a word (exit 1)");
    });
  });

  test("R22 an agent that is killed from outside is started again, whatever it had said", async () => {
    const turns = { 1: { after: 1, die: "SIGKILL", stderr: "Warning: something odd" } };
    await withScene({ scenario: withTurns(SMALL, turns) }, async (scene) => {
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(run.ledger.generations).toMatchObject([{ attempts: 1 }]);
    });
  });

  test("an agent whose output somebody holds open has ended all the same", async () => {
    await withScene({ scenario: withTurns(SMALL, { 1: { hold: true } }) }, async (scene) => {
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 0, status: "done" });
      // It was left alone: it is no descendant of an agent that we had to kill.
      const holders = await leftBehind(run.run_id);
      expect(holders).toHaveLength(1);
      for (const pid of holders) sendSignal(pid, "SIGKILL");
    });
  });

  test("R27 an agent that heeds neither INT nor TERM is killed with its tools, and its session asked", async () => {
    await withScene({ scenario: withTurns(FIVE, { 1: { after: 4, stubborn: true } }) }, async (scene) => {
      // By then it has started its tool.
      const patience = { interruptMs: 3000, terminateMs: 200, drainMs: 200 };
      const run = await scene.run({ ports: { patience } });
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(run.ledger.generations.map((row) => row.degraded)).toEqual([null, null]);
      expect(scene.steps()).toEqual(ALL_FIVE);
      const own = await readOwnIdentity();
      const pid = Number(readFileSync(path.join(scene.home, "stubborn-tool"), "utf8"));
      expect(await readLiveness({ ...own, pid, started: null }, own)).toBe("dead");
      expect(await leftBehind(run.run_id)).toEqual([]);
    });
  });

  test.each([0, 1, 130])(
    "R14 a plain program that is cut and exits with %i was interrupted",
    async (exit) => {
      await withScene({ scenario: withTurns(FIVE, { 1: { exit } }) }, async (scene) => {
        const run = await scene.run({ plan: { agent: scriptedAgent("command") } });
        expect(run).toMatchObject({ exit: 0, status: "done" });
        expect(run.ledger.retired).toEqual([`cmd-${run.run_id}-1`]);
        expect(run.ledger.generations.map((row) => row.degraded)).toEqual([null, null]);
        expect(scene.steps()).toEqual(ALL_FIVE);
      });
    },
  );
});

describe.concurrent("a program that never says which session it is", () => {
  test("R22 is tried again as often as allowed; what is known of its window is said once", async () => {
    await withScene({ scenario: SMALL }, async (scene) => {
      const agent = { ...scriptedAgent("claude-code"), bin: "/bin/false" };
      const run = await scene.run({ plan: { agent }, limits: { max_attempts: 3 } });
      expect(run).toMatchObject({ exit: 3, rule: "attempts" });
      expect(run.ledger.generations).toMatchObject([{ attempts: 3, session_id: null, packet_id: null }]);
      expect(run.warnings.map(({ code }) => code)).toEqual(["window.unknown"]);
    });
  });
});

describe.concurrent("sessions", () => {
  const lost = { error: { text: "Overloaded", status: 529 }, forget: true };

  test("R27 one that the agent does not know, with nothing read of it: the generation starts anew", async () => {
    await withScene({ scenario: withTurns(SMALL, { 1: lost }) }, async (scene) => {
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(run.ledger.generations).toHaveLength(1);
      expect(scene.turns()).toBe(3);
      expect(scene.prompt(3)).toBe(scene.prompt(1));
      expect(run.ledger.session_id).toBe(scene.started(3).argv.at(-1));
      expect(run.warnings.map(({ code }) => code)).toEqual(["run.session_lost"]);
    });
  });

  test.each(["claude-code", "codex", "command"] as const)(
    "R18 R27 one that had begun to work: what it did is handed over (%s)",
    async (name) => {
      await withScene({ scenario: withTurns(SMALL, { 1: { ...lost, after: 1 } }) }, async (scene) => {
        const run = await scene.run({ plan: { agent: scriptedAgent(name) } });
        expect(run).toMatchObject({ exit: 0, status: "done" });
        expect(run.ledger.generations.map((row) => row.degraded)).toEqual(["agent_failed", null]);
        // What a plain program runs, nobody tells us.
        const total = name === "command" ? 0 : 1;
        expect(scene.packet(run.ledger.retired[0] ?? "").feedback?.total).toBe(total);
        expect(scene.steps()).toEqual(["s1", "s2", "s3"]);
      });
    },
  );

  test("an id that cannot name a folder gets a name that can", async () => {
    await withScene({ scenario: { ...FIVE, odd: true } }, async (scene) => {
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(run.ledger.retired).toEqual(["odd/1 id"]);
      expect(run.warnings.map(({ code }) => code)).toEqual(["run.session_renamed", "run.session_renamed"]);
      const [done] = eventsOf(run, "done");
      expect(done?.path).toMatch(/^outputs\/handoff\/session-[0-9a-f]{16}\/handoff\.json$/u);
      const packet = JSON.parse(scene.file(done?.path ?? "")) as { feedback: { total: number } };
      expect(packet.feedback.total).toBe(4);
      expect(scene.prompt(3)).toContain("decision 1 of this job");
    });
  });

  test("R29 one that goes on under another id: nothing that is on record under the first one is lost", async () => {
    const all = steps(5, 30_000);
    const [first, ...others] = all;
    const scenario: Scenario = {
      ...FIVE,
      renames: true,
      steps: first === undefined ? [] : [{ ...first, exit: 3, run: "echo E: flaky >&2" }, ...others],
      turns: { 1: { after: 2, error: { text: "Overloaded", status: 529 } } },
    };
    await withScene({ scenario }, async (scene) => {
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(run.ledger.generations).toHaveLength(2);
      // Two ids until the try that failed, one more in the writing turn.
      const brief = scene.prompt(4);
      expect(brief).toMatch(/^You are taking over/u);
      expect(brief).toContain(`from session \`${run.ledger.retired[0]}\``);
      expect(brief).toContain("E: flaky");
      expect(brief).toContain("decision 1 of this job");
      const sessions = readdirSync(path.join(scene.root, "outputs/handoff")).filter((name) =>
        /^[0-9a-f-]{36}$/u.test(name),
      );
      expect(sessions).toHaveLength(4);
      const counts = sessions.map((name) => scene.packet(name).feedback?.total ?? 0);
      expect(counts.toSorted((one, other) => one - other)).toEqual([0, 1, 2, 2]);
    });
  });

  test("S13 R26 an id that is a secret is nowhere but in the owner's own state, and the session is asked by it", async () => {
    // Made up here, so that no scanner of sources finds one.
    const token = `ghp_${"A1b2C3d4E5f6".repeat(3)}`;
    await withScene({ scenario: { ...FIVE, odd: token } }, async (scene) => {
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(scene.started(2).argv.at(-1)).toBe(`${token}/1 id`);
      const holding = readdirSync(scene.root, { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile() && !one.parentPath.includes(".git"))
        .map((one) => path.join(one.parentPath, one.name))
        .filter((file) => file.includes(token) || readFileSync(file, "utf8").includes(token));
      const own = path.join(scene.root, "outputs/handoff/runs", run.run_id, "state.json");
      expect(holding).toEqual([own]);
      expect(statSync(own).mode & 0o777).toBe(0o600);
    });
  });

  test("R23 a session above the line with its first message is said aloud; the second in a row ends the run", async () => {
    const scenario = { ...FIVE, starts: [160_000, 165_000] };
    await withScene({ scenario }, async (scene) => {
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 1, status: "stopped", rule: "start_up_floor" });
      expect(run.warnings).toMatchObject([
        { code: "run.start_up_floor", what: expect.stringContaining("160000") },
      ]);
      expect(run.ledger.retired).toHaveLength(1);
      expect(run.message?.what).toContain("150000");
      expect(kinds(run).at(-1)).toBe("run_ended");
      expect(await leftBehind(run.run_id)).toEqual([]);
    });
  });

  test("R23 one below it in between starts the count anew", async () => {
    const scenario = { ...FIVE, starts: [160_000, 60_000, 160_000, 60_000], steps: steps(8, 30_000) };
    await withScene({ scenario }, async (scene) => {
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(run.ledger.generations.length).toBe(4);
    });
  });
});
