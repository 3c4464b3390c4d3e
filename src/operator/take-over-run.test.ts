// R27, O7: a run that is over belongs to its runner until that is through with it. The runner is a real process, as its file says.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Scenario } from "../../fixtures/agents/scenario.js";
import { git } from "../cli/testing/sample-workbench.js";
import { identityOf, readOwnIdentity } from "../io/process-identity.js";
import type { runRotation } from "../rotation/run-rotation.js";
import { type Scene, withScene } from "../rotation/testing/run-scene.js";
import { runInWorktree } from "./run-in-worktree.js";
import { runWithOperator } from "./run-with-operator.js";
import { writeRunner } from "./socket-place.js";
import { testClock } from "./testing/operator-scene.js";

/** It fails in its first turn, and can be gone on with. */
const FAILED: Scenario = {
  model: "claude-sonnet-4-5",
  window: 200_000,
  start: 20_000,
  steps: [{ name: "s1" }, { name: "s2" }],
  turns: { 1: { after: 1, error: { text: "invalid x-api-key", status: 401 } } },
};
const PLAYS: Readonly<Record<string, typeof runRotation>> = {
  "in the person's tree": (open, beginning, ports) =>
    runWithOperator(open, beginning, ports, { clock: testClock() }),
  "in a tree of its own": async (open, beginning, ports) =>
    (await runInWorktree(open, beginning, ports, { clock: testClock() })).end,
};

const factsOf = ({ root }: Scene, id: string): unknown => [
  git(root, "for-each-ref"),
  git(root, "worktree", "list", "--porcelain"),
  ...["state.json", "run.json", "runner.json"].map((name) =>
    readFileSync(path.join(root, "outputs/handoff/runs", id, name), "utf8"),
  ),
];

test.each(Object.keys(PLAYS))(
  "R27 O7 %s: over, and its runner is still at it: nobody goes on with it, and nothing is touched",
  async (where) => {
    await withScene({ scenario: FAILED }, async (scene) => {
      const play = PLAYS[where];
      if (play === undefined) throw new Error("nothing plays it");
      const { run_id } = await scene.run({ play });
      const { root, outDir } = await scene.open();
      const other = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], { stdio: "ignore" });
      const gone = new Promise((resolve) => other.once("exit", resolve));
      try {
        await writeRunner(
          { root, outDir },
          {
            schema_version: "1.0",
            run_id,
            address: path.join(root, outDir, "runs", run_id, "now.sock"),
            runner: identityOf(other.pid ?? 0, await readOwnIdentity()),
            since: "2026-11-29T10:00:00.000Z",
          },
        );
        const before = factsOf(scene, run_id);
        await expect(scene.run({ resume: run_id, play })).rejects.toMatchObject({
          code: "run.running",
          exitCode: 2,
        });
        expect(factsOf(scene, run_id)).toEqual(before);
      } finally {
        other.kill("SIGKILL");
      }
      await gone;
      expect(await scene.run({ resume: run_id, play })).toMatchObject({ exit: 0, status: "done" });
    });
  },
);

test("R27 what could not be begun is given back: the run stands as it was found", async () => {
  await withScene({ scenario: FAILED }, async (scene) => {
    const play = PLAYS["in a tree of its own"];
    if (play === undefined) throw new Error("nothing plays it");
    const { run_id } = await scene.run({ play });
    // The branch of the next attempt is somebody's.
    git(scene.root, "branch", `handoff/${run_id}/2`);
    const state = (): string =>
      readFileSync(path.join(scene.root, "outputs/handoff/runs", run_id, "state.json"), "utf8");
    const before = state();
    await expect(scene.run({ resume: run_id, play })).rejects.toMatchObject({ code: "attempt.git" });
    expect(state()).toBe(before);
  });
});
