// R20, R21, R26, R27: runs that are interrupted, waited for, broken off by files and branches, and gone on with.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { FIVE, steps } from "../../fixtures/agents/scenario.js";
import { git } from "../cli/testing/sample-workbench.js";
import { identityOf, readOwnIdentity } from "../io/process-identity.js";
import type { RunEventLine } from "../model/run-events.js";
import { publishSession } from "../session/publish-session.js";
import { eventsOf, kinds, leftBehind, type Scene, withScene } from "./testing/run-scene.js";
import { scriptedAgent } from "./testing/scripted-agents.js";

const ALL_FIVE = ["s1", "s2", "s3", "s4", "s5"];

/** Aborts `stop` (and `kill`) at the first event of a kind; both signals as ports. */
function interruptAt(kind: RunEventLine["event"], also: "kill" | null = null) {
  const stop = new AbortController();
  const kill = new AbortController();
  return {
    ports: { stop: stop.signal, kill: kill.signal },
    onEvent: ({ event }: RunEventLine): void => {
      if (event !== kind) return;
      stop.abort();
      if (also === "kill") setTimeout(() => kill.abort(), 300);
    },
  };
}
async function untilThere(file: string): Promise<void> {
  while (!existsSync(file)) await delay(10);
}
const memoryOf = ({ root }: Scene, runId: string): string =>
  path.join(root, "outputs/handoff/runs", runId, "state.json");

describe.concurrent("Ctrl-C", () => {
  test("R27 at work: the agent is interrupted, a packet published; the run goes on in the same session", async () => {
    const scenario = { ...FIVE, turns: { 1: { after: 2, hang: true } } };
    await withScene({ scenario }, async (scene) => {
      const run = await scene.run(interruptAt("generation_started"));
      expect(run).toMatchObject({ exit: 130, status: "interrupted", rule: "signal" });
      expect(run.message?.hint).toContain(`--resume ${run.run_id}`);
      const session = run.ledger.session_id ?? "";
      expect(scene.packet(session)).toMatchObject({ handoff_reason: "operator_request", degraded: null });
      expect(run.ledger.retired).toEqual([]);
      expect(await leftBehind(run.run_id)).toEqual([]);

      const again = await scene.run({ resume: run.run_id });
      expect(again).toMatchObject({ exit: 0, status: "done", run_id: run.run_id });
      expect(scene.started(2).argv.at(-1)).toBe(session);
      expect(again.ledger.generations[0]?.session_id).toBe(session);
      expect(scene.steps()).toEqual(ALL_FIVE);
    });
  });

  test("R27 a second one leaves at once, and takes an agent that heeds nothing along", async () => {
    const scenario = { ...FIVE, turns: { 1: { after: 1, stubborn: true } } };
    await withScene({ scenario }, async (scene) => {
      const { ports, onEvent } = interruptAt("generation_started", "kill");
      const patience = { interruptMs: 600_000, terminateMs: 600_000, drainMs: 300 };
      const run = await scene.run({ ports: { ...ports, patience }, onEvent });
      expect(run).toMatchObject({ exit: 130, rule: "signal", status: "interrupted" });
      expect(await leftBehind(run.run_id)).toEqual([]);
      // No packet: that would have had to wait.
      expect(readdirSync(path.join(scene.root, "outputs/handoff"))).toEqual(["runs"]);
      const again = await scene.run({ resume: run.run_id });
      expect(again).toMatchObject({ exit: 0, status: "done" });
      expect(scene.steps()).toEqual(ALL_FIVE);
    });
  });

  test("R27 before the session is known there is nothing to publish", async () => {
    await withScene({ scenario: FIVE }, async (scene) => {
      const run = await scene.run(interruptAt("run_started"));
      expect(run).toMatchObject({ exit: 130, ledger: { session_id: null } });
      expect(await leftBehind(run.run_id)).toEqual([]);
      const again = await scene.run({ resume: run.run_id });
      expect(again).toMatchObject({ exit: 0, status: "done" });
      expect(scene.prompt(scene.turns() - 2)).toBe("Do all the steps.");
    });
  });

  test("R27 while a try is waited for", async () => {
    const scenario = { ...FIVE, turns: { 1: { after: 1, error: { text: "Overloaded", status: 529 } } } };
    await withScene({ scenario }, async (scene) => {
      const { ports, onEvent } = interruptAt("attempt_failed");
      const sleep = (_: number, signal: AbortSignal): Promise<void> =>
        new Promise((resolve) => {
          if (signal.aborted) resolve();
          else signal.addEventListener("abort", () => resolve(), { once: true });
        });
      const run = await scene.run({ ports: { ...ports, sleep }, onEvent });
      expect(run).toMatchObject({ exit: 130, rule: "signal" });
      expect(scene.turns()).toBe(1);
      expect(scene.packet(run.ledger.session_id ?? "").handoff_reason).toBe("operator_request");
    });
  });

  test("R27 in the writing turn: the packet says that it was interrupted", async () => {
    const scenario = { ...FIVE, turns: { 2: { hang: true } } };
    await withScene({ scenario }, async (scene) => {
      const stop = new AbortController();
      const run = await scene.run({
        ports: { stop: stop.signal },
        onEvent: ({ event }) => {
          if (event === "writing")
            void untilThere(path.join(scene.home, "prompts/2.txt")).then(() => stop.abort());
        },
      });
      expect(run).toMatchObject({ exit: 130, rule: "signal" });
      expect(scene.packet(run.ledger.session_id ?? "").degraded?.reason).toBe("interrupted");
      const again = await scene.run({ resume: run.run_id });
      expect(again).toMatchObject({ exit: 0, status: "done" });
      expect(scene.steps()).toEqual(ALL_FIVE);
    });
  });

  test("R27 while the packet is written: it is finished, and nobody started", async () => {
    await withScene({ scenario: FIVE }, async (scene) => {
      const stop = new AbortController();
      const run = await scene.run({
        ports: {
          stop: stop.signal,
          onProgress: ({ phase }) => {
            if (phase === "publishing") stop.abort();
          },
        },
      });
      expect(run).toMatchObject({ exit: 130, rule: "signal" });
      expect(scene.turns()).toBe(2);
      expect(scene.packet(run.ledger.session_id ?? "").next_action).toBe(
        "Do step s5, then the ones after it.",
      );
    });
  });
});

describe.concurrent("the pause", () => {
  test("R21 R20 a person looks, edits handoff.json, lets go: the edit counts", async () => {
    await withScene({ scenario: FIVE }, async (scene) => {
      const asked: number[] = [];
      const run = await scene.run({
        limits: { pause: true },
        ports: {
          pause: async () => {
            asked.push(scene.turns());
            const [session = ""] = readdirSync(path.join(scene.root, ".handoff/sessions")).filter(
              (name) => !name.startsWith("."),
            );
            const file = path.join(scene.root, "outputs/handoff", session, "handoff.json");
            const text = readFileSync(file, "utf8");
            writeFileSync(file, text.replaceAll("Do step s5, then", "Sing a song, do step s5, then"));
          },
        },
      });
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(asked).toEqual([2]);
      expect(scene.prompt(3)).toContain("Sing a song, do step s5, then the ones after it.");
    });
  });

  test("R21 stopped in the pause no successor starts; gone on with, one does", async () => {
    await withScene({ scenario: FIVE }, async (scene) => {
      const stop = new AbortController();
      const run = await scene.run({
        limits: { pause: true },
        ports: {
          stop: stop.signal,
          pause: () =>
            new Promise(() => {
              stop.abort();
            }),
        },
      });
      expect(run).toMatchObject({ exit: 130, rule: "signal" });
      expect(scene.turns()).toBe(2);
      expect(run.ledger.retired).toHaveLength(1);
      await expect(scene.run({ resume: run.run_id })).rejects.toMatchObject({
        code: "run.no_pause",
        hint: "it was begun with --pause: go on in a terminal",
      });
      const again = await scene.run({ resume: run.run_id, limits: { pause: false } });
      expect(again).toMatchObject({ exit: 0, status: "done" });
      expect(scene.prompt(3)).toMatch(/^You are taking over/u);
      expect(again.ledger.generations.map(({ generation }) => generation)).toEqual([1, 2]);
    });
  });

  test("R21 where nobody can be waited for it is refused, before anything starts", async () => {
    await withScene({ scenario: FIVE }, async (scene) => {
      await expect(scene.run({ limits: { pause: true } })).rejects.toMatchObject({ code: "run.no_pause" });
      expect(readdirSync(scene.home)).toEqual(["scenario.json"]);
    });
  });

  test("R27 killed between its last two writes: resumed, the ledger says the end too, and no half file stays", async () => {
    await withScene({ scenario: FIVE }, async (scene) => {
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 0, status: "done" });
      const runs = path.join(scene.root, "outputs/handoff/runs");
      const ledger = path.join(runs, run.run_id, "run.json");
      const whole = readFileSync(ledger, "utf8");
      writeFileSync(ledger, whole.replace('"status": "done"', '"status": "running"'));
      expect(readFileSync(ledger, "utf8")).not.toBe(whole);
      // Nobody has this process id: the largest that Linux gives.
      const half = ".run.json.4194303.0123456789ab.tmp";
      writeFileSync(path.join(runs, run.run_id, half), "{");
      mkdirSync(path.join(runs, "run-0123456789ab"));
      writeFileSync(path.join(runs, "run-0123456789ab", ".state.json.4194303.0123456789ab.tmp"), "{");
      const living = `.state.json.${process.pid}.0123456789ab.tmp`;
      for (const one of ["run-0123456789ab", run.run_id]) writeFileSync(path.join(runs, one, living), "{");

      const again = await scene.run({ resume: run.run_id });
      expect(again).toMatchObject({ exit: 0, status: "done", run_id: run.run_id });
      expect(readFileSync(ledger, "utf8")).toBe(whole);
      // Of a writer that lives it is no half file: requests are written while the run is.
      const left = readdirSync(path.join(runs, run.run_id)).filter((name) => name.endsWith(".tmp"));
      expect(left).toEqual([living]);
      expect(readdirSync(path.join(runs, "run-0123456789ab"))).toEqual([living]);
    });
  });

  test("S7 another branch since: no successor, a refusal that names both; back on it the run goes on", async () => {
    await withScene({ scenario: FIVE }, async (scene) => {
      const pause = async (): Promise<void> => void git(scene.root, "checkout", "--quiet", "-b", "other");
      const run = await scene.run({ limits: { pause: true }, ports: { pause } });
      expect(run).toMatchObject({ exit: 1, status: "stopped", rule: "drift.branch" });
      expect(run.message?.what).toMatch(/main.*other|other.*main/u);
      expect(run.message?.hint).toContain(`--resume ${run.run_id}`);
      expect(scene.turns()).toBe(2);
      expect(kinds(run).at(-1)).toBe("run_ended");
      git(scene.root, "checkout", "--quiet", "main");
      const again = await scene.run({ resume: run.run_id, limits: { pause: false } });
      expect(again).toMatchObject({ exit: 0, status: "done" });
    });
  });

  test("S6 another session's packet in the place of ours: the successor starts from that one", async () => {
    await withScene({ scenario: FIVE }, async (scene) => {
      const pause = async (): Promise<void> => {
        writeFileSync(
          path.join(scene.root, "agent_state.json"),
          JSON.stringify({ session_id: "somebody", next_action: "Mind the gap, then do the rest." }),
        );
        await publishSession(await scene.open(), { sessionId: "somebody" });
      };
      const run = await scene.run({ limits: { pause: true }, ports: { pause } });
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(run.warnings.map(({ code }) => code)).toContain("run.packet_replaced");
      expect(scene.prompt(3)).toContain("Mind the gap");
    });
  });
});

describe.concurrent("files", () => {
  test("R27 a run that cannot be written down ends its agent, with the file and what to do", async () => {
    const scenario = { ...FIVE, turns: { 1: { after: 1, hang: true } } };
    await withScene({ scenario }, async (scene) => {
      const run = await scene.run({
        onEvent: ({ event, run_id }) => {
          if (event !== "generation_started") return;
          const file = memoryOf(scene, run_id);
          rmSync(file);
          mkdirSync(path.join(file, "full"), { recursive: true });
        },
      });
      expect(run).toMatchObject({ exit: 2, status: "failed", rule: "write.not_a_file" });
      expect(run.message?.what).toContain("state.json");
      expect(await leftBehind(run.run_id)).toEqual([]);
      expect(eventsOf(run, "run_ended")).toMatchObject([{ exit: 2, rule: "write.not_a_file" }]);
    });
  });

  test("R27 one that could not even be begun promises nothing to go on with", async () => {
    await withScene({ scenario: FIVE }, async (scene) => {
      writeFileSync(path.join(scene.root, "outputs"), "in the way");
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 2, status: "failed", rule: "write.not_a_folder" });
      expect(run.message?.hint).toContain("then start it again");
      expect(run.message?.hint).not.toContain("--resume");
      expect(readdirSync(scene.home)).toEqual(["scenario.json"]);
    });
  });

  test("what the system refuses is told in our words, with the file and what to do", async () => {
    await withScene({ scenario: FIVE }, async (scene) => {
      writeFileSync(path.join(scene.root, ".handoff"), "in the way");
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 2, status: "failed", rule: "not_published" });
      const told = [...run.warnings.map(({ what }) => what), run.message?.what ?? ""].join("\n");
      expect(told).toContain("something that is not a folder is in the way");
      expect(told).not.toMatch(/ENOTDIR|lstat|mkdir/u);
      rmSync(path.join(scene.root, ".handoff"));
      expect(await scene.run({ resume: run.run_id })).toMatchObject({ exit: 0, status: "done" });
    });
  });

  test("a packet that cannot be written ends the run, and it can be gone on with", async () => {
    await withScene({ scenario: FIVE }, async (scene) => {
      const index = path.join(scene.root, "outputs/handoff/index.json");
      const run = await scene.run({
        onEvent: ({ event }) => {
          if (event === "writing") mkdirSync(path.join(index, "full"), { recursive: true });
        },
      });
      expect(run).toMatchObject({ exit: 2, status: "failed", rule: "not_published" });
      expect(run.message?.what).toContain("index.json");
      expect(scene.turns()).toBe(2);
      rmSync(index, { recursive: true });
      const again = await scene.run({ resume: run.run_id });
      expect(again).toMatchObject({ exit: 0, status: "done" });
      expect(scene.steps()).toEqual(ALL_FIVE);
    });
  });

  test("R26 a ledger that cannot be read is set aside, said, and made anew", async () => {
    const scenario = { ...FIVE, turns: { 1: { after: 1, hang: true } } };
    await withScene({ scenario }, async (scene) => {
      const run = await scene.run(interruptAt("generation_started"));
      const folder = path.dirname(memoryOf(scene, run.run_id));
      writeFileSync(path.join(folder, "run.json"), "{torn");
      const again = await scene.run({ resume: run.run_id });
      expect(again).toMatchObject({ exit: 0, status: "done" });
      expect(again.warnings.map(({ code }) => code)).toEqual(["run.ledger_set_aside"]);
      const [aside = ""] = readdirSync(folder).filter((name) => name.startsWith("run.json.unusable-"));
      expect(readFileSync(path.join(folder, aside), "utf8")).toBe("{torn");
      expect(JSON.parse(readFileSync(path.join(folder, "run.json"), "utf8"))).toEqual(again.ledger);
    });
  });

  test.each([
    ["torn", () => "{torn"],
    ["of another run", (text: string) => text.replaceAll(/run-[0-9a-f]{12}/gu, "run-000000000000")],
    ["with a phase nobody knows", (text: string) => text.replace(/"phase": "[a-z]+"/u, '"phase": "dancing"')],
    ["of a later version", (text: string) => text.replace('"version": 1', '"version": 2')],
  ])("R27 a state that is %s drives nothing: it is set aside", async (_, spoil) => {
    const scenario = { ...FIVE, turns: { 1: { after: 1, hang: true } } };
    await withScene({ scenario }, async (scene) => {
      const run = await scene.run(interruptAt("generation_started"));
      const file = memoryOf(scene, run.run_id);
      writeFileSync(file, spoil(readFileSync(file, "utf8")));
      await expect(scene.run({ resume: run.run_id })).rejects.toMatchObject({
        code: "run.unreadable",
        exitCode: 2,
      });
      await expect(scene.run({ resume: run.run_id })).rejects.toMatchObject({
        code: "run.missing",
        exitCode: 2,
      });
      expect(readdirSync(path.dirname(file)).some((name) => name.startsWith("state.json.unusable-"))).toBe(
        true,
      );
      expect(scene.turns()).toBe(1);
    });
  });
});

describe.concurrent("going on", () => {
  test("R27 a run that is done stays done", async () => {
    await withScene({ scenario: FIVE }, async (scene) => {
      const run = await scene.run();
      const turns = scene.turns();
      const again = await scene.run({ resume: run.run_id });
      expect(again).toMatchObject({ exit: 0, status: "done", ledger: run.ledger });
      expect(again.events).toEqual([]);
      expect(scene.turns()).toBe(turns);
    });
  });

  test("R26 its commands are counted on from where the count stood", async () => {
    const scenario = { ...FIVE, turns: { 1: { after: 2, hang: true } } };
    await withScene({ scenario }, async (scene) => {
      const counts: number[] = [];
      const stop = new AbortController();
      const onProgress = ({ commands }: { readonly commands: number }): void => {
        counts.push(commands);
        if (commands === 2) stop.abort();
      };
      const run = await scene.run({ ports: { stop: stop.signal, onProgress } });
      expect(run).toMatchObject({ exit: 130, rule: "signal" });
      const again = await scene.run({ resume: run.run_id, ports: { onProgress } });
      expect(again).toMatchObject({ exit: 0, status: "done" });
      expect(counts.at(-1)).toBe(5);
    });
  });

  test("R27 with the agents and limits it was started with, or others", async () => {
    const scenario = { ...FIVE, steps: steps(13, 30_000) };
    await withScene({ scenario }, async (scene) => {
      const agent = scriptedAgent("claude-code", ["--model", "one"]);
      const run = await scene.run({ plan: { agent }, limits: { max_generations: 1 } });
      expect(run).toMatchObject({ exit: 1, rule: "max_generations" });
      expect(run.ledger.retired).toHaveLength(1);
      const more = await scene.run({ resume: run.run_id, limits: { max_generations: 8 } });
      expect(more).toMatchObject({ exit: 0, status: "done" });
      expect(scene.steps()).toHaveLength(13);
      expect(scene.started(scene.turns()).argv.slice(-2)).toEqual(["--model", "one"]);
    });
  });

  test("R27 a run that is being run elsewhere is left alone", async () => {
    const scenario = { ...FIVE, turns: { 1: { after: 1, hang: true } } };
    await withScene({ scenario }, async (scene) => {
      const run = await scene.run(interruptAt("generation_started"));
      const other = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], { stdio: "ignore" });
      try {
        const file = memoryOf(scene, run.run_id);
        const memory = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
        const runner = identityOf(other.pid ?? 0, await readOwnIdentity());
        const ledger = { ...(memory["ledger"] as object), status: "running" };
        writeFileSync(file, JSON.stringify({ ...memory, runner, ledger }));
        await expect(scene.run({ resume: run.run_id })).rejects.toMatchObject({
          code: "run.running",
          exitCode: 2,
        });
        // The same id, another process: that one is gone.
        writeFileSync(file, JSON.stringify({ ...memory, runner: { ...runner, started: "1" }, ledger }));
        expect(await scene.run({ resume: run.run_id })).toMatchObject({ exit: 0 });
      } finally {
        other.kill("SIGKILL");
      }
    });
  });

  test("R27 what a killed runner left behind is ended first, wherever it went", async () => {
    const scenario = { ...FIVE, turns: { 1: { after: 1, hang: true } } };
    await withScene({ scenario }, async (scene) => {
      const run = await scene.run(interruptAt("generation_started"));
      const env = { ...scene.env, HANDOFF_RUN: run.run_id };
      // Its parent ends at once: it is nobody's child any more, and heeds nothing.
      const script = "(trap '' INT TERM; sleep 600 & wait; sleep 600) & exit 0";
      const parent = spawn("/bin/sh", ["-c", script], { env, detached: true, stdio: "ignore" });
      await new Promise((resolve) => parent.once("exit", resolve));
      expect((await leftBehind(run.run_id)).length).toBeGreaterThan(0);
      const patience = { interruptMs: 200, terminateMs: 200, drainMs: 200 };
      const again = await scene.run({ resume: run.run_id, ports: { patience } });
      expect(again).toMatchObject({ exit: 0, status: "done" });
      expect(again.warnings.map(({ code }) => code)).toEqual(["run.leftovers"]);
      expect(await leftBehind(run.run_id)).toEqual([]);
    });
  });

  test("a run that nobody knows, and an id that is none", async () => {
    await withScene({ scenario: FIVE }, async (scene) => {
      await expect(scene.run({ resume: "run-000000000000" })).rejects.toMatchObject({ code: "run.missing" });
      await expect(scene.run({ resume: "../../etc" })).rejects.toMatchObject({ code: "usage.bad_id" });
    });
  });

  test("R24 a store that moved with its workbench is gone on with", async () => {
    const scenario = { ...FIVE, turns: { 1: { after: 1, hang: true } } };
    await withScene({ scenario }, async (scene) => {
      const run = await scene.run(interruptAt("generation_started"));
      const moved = `${scene.root}-moved`;
      renameSync(scene.root, moved);
      renameSync(moved, scene.root);
      expect(await scene.run({ resume: run.run_id })).toMatchObject({ exit: 0, run_id: run.run_id });
    });
  });
});
