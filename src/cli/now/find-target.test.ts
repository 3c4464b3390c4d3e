// O1, O9: a request whose run ends while it is asked about; the runner is a real process.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { newBook } from "../../operator/request-book.js";
import { writeRequests } from "../../operator/request-file.js";
import { newRequest } from "../../operator/request-record.js";
import { startEndingRunner } from "../../operator/testing/ending-runner.js";
import { GATED } from "../../operator/testing/operator-scene.js";
import { withScene } from "../../rotation/testing/run-scene.js";
import { findTarget } from "./find-target.js";

const RUN = "run-0c4d7e3f2a91";
const ROUNDS = 150;
const AT = "2026-11-29T10:00:00.000Z";

test("O1 O9 a request that is completed while it is asked about is never told as one that crashed", async () => {
  await withScene({ scenario: GATED }, async (scene) => {
    const workbench = await scene.open();
    const folder = path.join(workbench.root, workbench.outDir, "runs", RUN);
    const file = path.join(folder, "requests.json");
    const asked = newRequest({ request_id: "req-1", reason: null, accepted_at: AT });
    const begun = { ...asked, state: "begun", delivered_at: AT, begun_at: AT } as const;
    const book = newBook(RUN);
    await writeRequests(workbench, { ...book, requests: [{ ...begun, state: "completed", ended_at: AT }] });
    const completed = readFileSync(file, "utf8");
    const runner = await startEndingRunner(workbench, RUN, folder);
    const told = new Set<string>();
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        await runner.begin();
        await writeRequests(workbench, { ...book, requests: [begun] });
        runner.end(file, completed, round / 50);
        while (!runner.isGone()) {
          const found = await findTarget(workbench, { runId: null, requestId: "req-1" });
          told.add(found.kind === "at_work" ? "at work" : found.request.state);
        }
      }
    } finally {
      await runner.stop();
    }
    expect([...told].filter((one) => one !== "at work" && one !== "completed")).toEqual([]);
    // Of one that is gone without a word it is told.
    await writeRequests(workbench, { ...book, requests: [begun] });
    expect(await findTarget(workbench, { runId: null, requestId: "req-1" })).toMatchObject({
      kind: "on_record",
      request: { state: "not_fulfilled", why: { reason: "crashed" } },
    });
  });
});
