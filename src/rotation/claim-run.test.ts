// R27: of processes that go on with one run at the same moment one does, and the others are told so before they start anything.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Scenario, steps } from "../../fixtures/agents/scenario.js";
import { leftBehind, withScene } from "./testing/run-scene.js";
import { buildRunner, type Runner } from "./testing/runner-process.js";

let runner: Runner;
beforeAll(async () => {
  runner = await buildRunner();
});
afterAll(() => runner.remove());

test("R27 gone on with four times at once, it is run once", async () => {
  const scenario: Scenario = {
    model: "claude-sonnet-4-5",
    window: 200_000,
    line: 150_000,
    start: 60_000,
    think: 150,
    steps: steps(5, 30_000),
    turns: { 1: { after: 1, error: { text: "invalid x-api-key", status: 401 } } },
  };
  await withScene({ scenario }, async (scene) => {
    const job = { root: scene.root, env: scene.env, agent: "claude-code" as const, next: null };
    const first = await runner.start({ ...job, resume: null });
    expect(first.end).toMatchObject({ exit: 3, rule: "agent_failed" });
    const resume = first.runId ?? "";
    const ends = await Promise.all(Array.from({ length: 4 }, () => runner.start({ ...job, resume })));
    // Who came late enough finds the job done.
    const winners = ends.filter(({ end, output }) => end?.exit === 0 && output.includes('"event"'));
    expect(winners).toHaveLength(1);
    for (const { end, thrown } of ends)
      expect(end === null ? thrown : end.rule).toBe(end === null ? "run.running" : "done");
    // Turn 1 failed; then one session to its line, asked once, and its successor.
    expect(scene.turns()).toBe(4);
    expect(await leftBehind(resume)).toEqual([]);
  });
});
