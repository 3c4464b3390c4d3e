// O9: what is left is told, and nothing that is finished this very moment; the runner is a real process.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { withScene } from "../rotation/testing/run-scene.js";
import { writeAttempt } from "./attempt-files.js";
import { newAttempt } from "./attempt-record.js";
import { leftAttempts } from "./left-attempts.js";
import { startEndingRunner } from "./testing/ending-runner.js";
import { GATED } from "./testing/operator-scene.js";

const RUN = "run-0c4d7e3f2a91";
const ROUNDS = 150;
const AT = "2026-11-29T10:00:00.000Z";

test("O9 an attempt that its runner finishes while it is looked at is not left", async () => {
  await withScene({ scenario: GATED }, async (scene) => {
    const { root, outDir } = await scene.open();
    const place = { root, outDir };
    const folder = path.join(root, outDir, "runs", RUN);
    const file = path.join(folder, "attempts/1.json");
    const begun = newAttempt({
      run_id: RUN,
      attempt: 1,
      branch: `handoff/${RUN}/1`,
      base_commit: "0",
      tree: path.join(root, "tree"),
      takes_over: false,
      started_at: AT,
    });
    await writeAttempt(place, { ...begun, finalized_at: AT });
    const finished = readFileSync(file, "utf8");
    const runner = await startEndingRunner(place, RUN, folder);
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        await runner.begin();
        await writeAttempt(place, begun);
        runner.end(file, finished, round / 50);
        while (!runner.isGone()) expect(await leftAttempts(place)).toEqual([]);
      }
    } finally {
      await runner.stop();
    }
    // Nobody finishes it any more.
    await writeAttempt(place, begun);
    expect(await leftAttempts(place)).toMatchObject([{ run_id: RUN, attempt: 1 }]);
  });
});
