// O1: the socket of a run, and what says where it is, as real files.
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { expect, test } from "vitest";
import { withScene } from "../rotation/testing/run-scene.js";
import { listenForRequests } from "./listen-for-requests.js";
import { GATED } from "./testing/operator-scene.js";

const RUN = "run-0c4d7e3f2a91";

// Whoever goes on with the run listens at the same place: what is removed after that would be theirs.
test("O1 R27 as long as anything of a runner's is still to be removed, runner.json says that it has the run", async () => {
  await withScene({ scenario: GATED }, async (scene) => {
    const { root, outDir } = await scene.open();
    const desk = {
      run_id: RUN,
      accept: () => Promise.reject(new Error("nobody asks")),
      requests: () => [],
      subscribe: () => () => undefined,
    };
    const listening = await listenForRequests({ root, outDir }, desk, "2026-11-29T10:00:00.000Z");
    const runner = path.join(root, "outputs/handoff/runs", RUN, "runner.json");
    const { address }: { address: string } = JSON.parse(readFileSync(runner, "utf8"));
    const client = connect({ path: address, allowHalfOpen: true });
    await new Promise((resolve) => client.once("connect", resolve));
    const closed = listening.close();
    while (existsSync(address))
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    expect(existsSync(runner)).toBe(true);
    await closed;
    client.destroy();
    expect([existsSync(runner), existsSync(address)]).toEqual([false, false]);
  });
});
