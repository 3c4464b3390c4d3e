// R27: the runner is killed without a word at random moments, over and over; gone on with, the job ends as if nothing had been.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Scenario, steps } from "../../fixtures/agents/scenario.js";
import { git } from "../cli/testing/sample-workbench.js";
import { restFaults } from "../store/testing/sound-store.js";
import { leftBehind, type Scene, withScene } from "./testing/run-scene.js";
import type { AgentName } from "./testing/scripted-agents.js";
import { buildRunner, type Runner } from "./testing/runner-process.js";
import { randomOf } from "./testing/seeded-random.js";

const KILLS = 50;
/** KILL_SEED explores further. */
const SEED = Number(process.env["KILL_SEED"] ?? "20261129");
/** Runs at the same time. */
const LANES = 3;
/** Kills of one job; then it may end. */
const KILLS_OF_ONE = 5;
/** Who runs the jobs, in turns. */
const AGENTS: readonly (readonly [AgentName, AgentName | null])[] = [
  ["claude-code", null],
  ["claude-code", "codex"],
  ["codex", "claude-code"],
];

const SCENARIO: Scenario = {
  model: "claude-sonnet-4-5",
  window: 200_000,
  line: 150_000,
  start: 60_000,
  think: 20,
  steps: steps(6, 30_000),
};

let runner: Runner;
beforeAll(async () => {
  runner = await buildRunner();
});
afterAll(() => runner.remove());

/** What the job leaves in the project, whoever did it. */
function projectOf({ root }: Scene): Record<string, string> {
  const files = readdirSync(path.join(root, "steps"))
    .toSorted()
    .map((name) => [name, readFileSync(path.join(root, "steps", name), "utf8")] as const);
  const status = git(root, "status", "--porcelain", "--untracked-files=all", "--", "steps", "README");
  return { ...Object.fromEntries(files), status };
}

interface Played {
  readonly kills: number;
  readonly project: Record<string, string>;
  /** Where the run stood each time it was killed. */
  readonly phases: readonly string[];
}

/** Plays the job to its end, killing its runner up to `kills` times. */
async function play(
  kills: number,
  delay: () => number,
  [agent, next]: (typeof AGENTS)[number] = ["claude-code", null],
): Promise<Played> {
  let done = 0;
  let project: Record<string, string> = {};
  const phases: string[] = [];
  await withScene({ scenario: SCENARIO }, async (scene) => {
    const job = { root: scene.root, env: scene.env, agent, next };
    const ids = new Set<string>();
    let resume: string | null = null;
    for (;;) {
      const told = await runner.start({ ...job, resume }, done < kills ? delay() : undefined);
      if (told.runId !== null) ids.add(told.runId);
      if (told.killed) {
        done += 1;
        resume = told.runId;
        const file = path.join(scene.root, "outputs/handoff/runs", resume ?? "", "state.json");
        try {
          phases.push((JSON.parse(readFileSync(file, "utf8")) as { state: { phase: string } }).state.phase);
        } catch {
          // Killed before anything was on disk: a person would start it again.
          resume = null;
          phases.push("nothing");
        }
        continue;
      }
      if (told.end === null) throw new Error(told.output);
      expect(told.end).toMatchObject({ exit: 0, status: "done", rule: "done" });
      const ledger = told.end.ledger;
      const retired = ledger.retired ?? [];
      expect(new Set(retired).size).toBe(retired.length);
      expect(ledger.generations.map(({ generation }) => generation)).toEqual(
        Array.from({ length: retired.length + 1 }, (_, at) => at + 1),
      );
      for (const session of retired) expect(scene.packet(session).session_id).toBe(session);
      const { outDir } = await scene.open();
      expect(await restFaults({ root: scene.root, outDir })).toEqual([]);
      break;
    }
    for (const id of ids) expect(await leftBehind(id)).toEqual([]);
    project = projectOf(scene);
  });
  return { kills: done, project, phases };
}

test(
  `R27 killed ${KILLS} times, seed ${SEED}: the same end, and nobody left behind`,
  { timeout: 900_000 },
  async () => {
    const began = performance.now();
    const undisturbed = await play(0, () => 0);
    const whole = performance.now() - began;
    const random = randomOf(SEED);
    let left = KILLS;
    let jobs = 0;
    const all: Played[] = [];
    const lane = async (): Promise<void> => {
      while (left > 0) {
        const asked = Math.min(left, KILLS_OF_ONE);
        left -= asked;
        jobs += 1;
        // From before it has said a word to well into its next generation.
        const played = await play(asked, () => random() * whole, AGENTS[jobs % AGENTS.length]);
        left += asked - played.kills;
        all.push(played);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    const spread = (): number => new Set(all.flatMap(({ phases }) => phases)).size;
    // A machine that has become slower since has all of them near the beginning: further ones come later.
    for (let times = 2; spread() <= 2; times += 1)
      all.push(await play(KILLS_OF_ONE, () => random() * whole * times));
    expect(all.reduce((sum, { kills }) => sum + kills, 0)).toBeGreaterThanOrEqual(KILLS);
    for (const { project } of all) expect(project).toEqual(undisturbed.project);
    // The moments are spread over a run: were they all in one phase, this would show little.
    expect(spread()).toBeGreaterThan(2);
  },
);
