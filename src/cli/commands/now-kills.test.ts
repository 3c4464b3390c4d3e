// O9, O11: runners that are killed at random moments while people ask them for handoffs. Whatever was accepted has one end, and the
// job is done as if nothing had been.
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { steps, type Scenario } from "../../../fixtures/agents/scenario.js";
import { findByVariable } from "../../io/process-tree.js";
import { isOver, requestBookSchema, type RequestRecord } from "../../operator/request-record.js";
import { randomOf } from "../../rotation/testing/seeded-random.js";
import { restFaults } from "../../store/testing/sound-store.js";
import { useCli } from "../testing/use-cli.js";
import { type Job, played, useRuns } from "../testing/use-runs.js";

const { cli } = useCli();
const job = useRuns(cli);

const KILLS = 12;
/** Whole, a start of the run takes about so long, in milliseconds. */
const WHOLE = 1500;
const SEED = Number(process.env["KILL_SEED"] ?? "20261130");
const SCENARIO: Scenario = {
  model: "opus",
  window: 200_000,
  start: 20_000,
  think: 250,
  steps: steps(8, 1000),
};

const runsIn = ({ root }: Job): string => path.join(root, "outputs/handoff/runs");

function requestsOf(work: Job, id: string): readonly RequestRecord[] {
  const file = path.join(runsIn(work), id, "requests.json");
  return existsSync(file) ? requestBookSchema.parse(JSON.parse(readFileSync(file, "utf8"))).requests : [];
}

/** As the ledger has it; null: there is none yet. */
function statusOf(work: Job, id: string): string | null {
  const file = path.join(runsIn(work), id, "run.json");
  if (!existsSync(file)) return null;
  const { status }: { status: string } = JSON.parse(readFileSync(file, "utf8"));
  return status;
}

/** Asks as a client does; what the runner answered, if it lived that long. */
function ask(work: Job, id: string, request_id: string): Promise<{ ok?: boolean }> {
  return new Promise((resolve) => {
    let address: string;
    try {
      ({ address } = JSON.parse(readFileSync(path.join(runsIn(work), id, "runner.json"), "utf8")));
    } catch {
      // It is not there yet, or has gone with a run that has ended.
      resolve({});
      return;
    }
    let heard = "";
    const socket = connect(address, () => socket.write(`{"op":"now","request_id":"${request_id}"}\n`));
    socket.on("data", (piece) => {
      heard += piece.toString();
      if (heard.endsWith("\n")) socket.destroy();
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve(heard.endsWith("\n") ? JSON.parse(heard) : {}));
  });
}

test(
  `O9 O11 killed ${KILLS} times, seed ${SEED}: one end for whatever was accepted, and the work is done`,
  { timeout: 900_000 },
  async () => {
    const work = job(SCENARIO);
    const random = randomOf(SEED);
    const accepted = new Set<string>();
    let id = "";
    let kills = 0;
    for (let start = 1; ; start += 1) {
      const args = id === "" ? [...played("claude-code"), "--prompt", "Do all the steps."] : ["--resume", id];
      const run = work.start(args);
      const end = { code: null as number | null, isOver: false };
      const ended = run.end.then(({ code }) => Object.assign(end, { code, isOver: true }));
      const isKilled = kills < KILLS;
      const dies = random() * WHOLE;
      const asks = start === 1 ? 0 : random() * dies;
      if (id === "") {
        await run.until(/run-[0-9a-f]{12}/u);
        id = /run-[0-9a-f]{12}/u.exec(run.said())?.[0] ?? "";
      }
      // Every second start is asked; the last ones are let be, so that the job gets done.
      if (isKilled && start % 2 === 1) {
        // Once it listens; how far it is by then is up to chance.
        while (!end.isOver && !existsSync(path.join(runsIn(work), id, "runner.json"))) await delay(10);
        await Promise.race([delay(asks), ended]);
        const request = `req-${start}`;
        if ((await ask(work, id, request)).ok === true) accepted.add(request);
      }
      if (isKilled) {
        await Promise.race([delay(dies), ended]);
        if (!end.isOver) kills += 1;
        run.child.kill("SIGKILL");
      }
      await ended;
      const status = statusOf(work, id);
      // Killed before it was on disk: a person would start it again.
      if (status === null) id = "";
      if (status === "done") break;
      expect(start).toBeLessThan(60);
    }
    // Gone on with once more: nothing is started, and what a killed start had left alive is over.
    expect((await work.run(["--resume", id])).code).toBe(0);
    const requests = requestsOf(work, id);
    for (const request_id of accepted) expect(requests.map((one) => one.request_id)).toContain(request_id);
    expect(requests.filter((one) => !isOver(one))).toEqual([]);
    expect(requests.length).toBeGreaterThan(0);
    expect(work.steps()).toEqual(SCENARIO.steps.map(() => true));
    expect(await restFaults({ root: work.root, outDir: "outputs/handoff" })).toEqual([]);
    expect(await findByVariable("HANDOFF_RUN", id)).toEqual([]);
  },
);
