// R20, P28: what a job that is done leaves to whoever comes next. Whole runs of scripted agents, which are real processes.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { FIVE, type Scenario, steps } from "../../fixtures/agents/scenario.js";
import { prepareBrief } from "../session/prepare-brief.js";
import { publishSession } from "../session/publish-session.js";
import { type Scene, withScene } from "./testing/run-scene.js";
import { scriptedAgent } from "./testing/scripted-agents.js";

const ONE: Scenario = { ...FIVE, steps: steps(1, 100) };
const LOOK_OVER = "Look over and verify the work, which the agent says is done: Do all the steps.";

const recordOf = (scene: Scene, session: string): Record<string, unknown> =>
  JSON.parse(scene.file(`.handoff/sessions/${session}/session.json`));

/** A session of before, whose packet says what comes next. */
async function leaveAction(scene: Scene, next_action: string): Promise<string> {
  const folder = path.join(scene.root, ".handoff/sessions/s-0");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "agent_state.json"), JSON.stringify({ schema_version: 1, next_action }));
  return (await publishSession(await scene.open(), { sessionId: "s-0" })).packet.packet_id;
}

describe.concurrent("a job that is done", () => {
  test.each(["claude-code", "codex"] as const)(
    "R20 P28 %s: asks nobody again for what its last brief asked for, but for a look at the work",
    async (agent) => {
      await withScene({ scenario: FIVE }, async (scene) => {
        const run = await scene.run({ plan: { agent: scriptedAgent(agent) } });
        expect(run).toMatchObject({ exit: 0, rule: "done" });
        const [first = "", last = ""] = run.ledger.generations.map(({ session_id }) => session_id ?? "");
        expect(scene.packet(first).next_action).toBe("Do step s5, then the ones after it.");
        expect(scene.packet(last)).toMatchObject({
          next_action: LOOK_OVER,
          next_action_source: { derived: true, rule: "goal" },
          doing: "last said: All steps are done.",
          handoff_reason: "session_end",
        });
        expect(recordOf(scene, last)).toMatchObject({
          end_reason: "job_done",
          last_message: "All steps are done.",
        });
        const { brief } = await prepareBrief(await scene.open(), { at: new Date().toISOString() });
        expect(brief).toContain(LOOK_OVER);
        expect(brief).not.toContain("Do step s5");
        // What it learned comes along all the same.
        expect(brief).toContain("dead end 1: it was tried in session 1");
      });
    },
  );

  test("R20 P28 so does one of a single session", async () => {
    await withScene({ scenario: ONE }, async (scene) => {
      const run = await scene.run();
      expect(scene.packet(run.ledger.session_id ?? "")).toMatchObject({
        next_action: LOOK_OVER,
        doing: "last said: All steps are done.",
      });
    });
  });

  test("P33 what another session had left open, and no brief of the run asked for, stays open", async () => {
    await withScene({ scenario: ONE }, async (scene) => {
      const packet_id = await leaveAction(scene, "open a pull request");
      const run = await scene.run();
      expect(scene.packet(run.ledger.session_id ?? "")).toMatchObject({
        next_action: "open a pull request",
        next_action_source: { derived: true, rule: "recorded", source: { path: packet_id } },
      });
    });
  });

  test("P28 a failure that nobody mended comes before the look", async () => {
    const failing = { name: "s2", run: "node -e 'process.exit(4)'", exit: 4, grows: 10 };
    await withScene({ scenario: { ...ONE, steps: [...ONE.steps, failing] } }, async (scene) => {
      const run = await scene.run();
      expect(run.exit).toBe(0);
      expect(scene.packet(run.ledger.session_id ?? "")).toMatchObject({
        next_action: expect.stringContaining("exit 4"),
        next_action_source: { rule: "failure" },
      });
    });
  });

  test("R20 one that failed asks for what its last brief asked for, still", async () => {
    const scenario = { ...FIVE, turns: { 3: { error: { text: "invalid request", status: 400 } } } };
    await withScene({ scenario }, async (scene) => {
      const run = await scene.run();
      expect(run).toMatchObject({ exit: 3, rule: "agent_failed" });
      const last = run.ledger.generations.at(-1)?.session_id ?? "";
      expect(scene.packet(last)).toMatchObject({
        next_action: "Do step s5, then the ones after it.",
        next_action_source: { derived: true, rule: "recorded" },
      });
      expect(recordOf(scene, last)).toMatchObject({ end_reason: null, ended_at: null });
    });
  });

  test("R27 killed after its end and before its packet: resumed, it leaves the same", async () => {
    await withScene({ scenario: FIVE }, async (scene) => {
      const run = await scene.run();
      const last = run.ledger.session_id ?? "";
      const packet = scene.packet(last);
      // As the runner leaves it that is killed there: the end is in state.json, and nothing has been made of it.
      const state = path.join(scene.root, "outputs/handoff/runs", run.run_id, "state.json");
      const memory: { ledger: object } = JSON.parse(readFileSync(state, "utf8"));
      writeFileSync(state, JSON.stringify({ ...memory, ledger: { ...memory.ledger, status: "running" } }));
      const folder = path.join(scene.root, ".handoff/sessions", last);
      writeFileSync(path.join(folder, "agent_state.json"), "{}");
      writeFileSync(
        path.join(folder, "session.json"),
        JSON.stringify({ ...recordOf(scene, last), end_reason: null, ended_at: null }),
      );
      const again = await scene.run({ resume: run.run_id });
      expect(again).toMatchObject({ exit: 0, rule: "done" });
      const { next_action, doing } = scene.packet(last);
      expect({ next_action, doing }).toEqual({ next_action: packet.next_action, doing: packet.doing });
      expect(recordOf(scene, last)).toMatchObject({ end_reason: "job_done" });
    });
  });
});
