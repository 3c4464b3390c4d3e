// O1, O3, O5, O9: the engine on its own, with real files, against a run that only listens.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { withScene } from "../rotation/testing/run-scene.js";
import { reachRunner } from "./ask-runner.js";
import { openOperator } from "./open-operator.js";
import type { Operator } from "./operator.js";
import { newBook } from "./request-book.js";
import { newRequest } from "./request-record.js";
import { GATED, requestsOf, testClock } from "./testing/operator-scene.js";

const RUN = "run-0c4d7e3f2a91";
const ASK = { request_id: "req-1", reason: null };

interface Stage {
  readonly operator: Operator;
  readonly clock: ReturnType<typeof testClock>;
  /** What was done to the run. */
  readonly done: string[];
  readonly warnings: string[];
  readonly folder: string;
  readonly begin: () => Promise<void>;
  readonly states: () => string[];
}

async function withEngine(play: (stage: Stage) => Promise<void>): Promise<void> {
  await withScene({ scenario: GATED }, async (scene) => {
    const clock = testClock();
    const done: string[] = [];
    const warnings: string[] = [];
    const operator = openOperator({ clock, onWarning: (_, what) => void warnings.push(what) });
    const workbench = await scene.open();
    const folder = path.join(scene.root, "outputs/handoff/runs", RUN);
    mkdirSync(folder, { recursive: true });
    const begin = (): Promise<void> =>
      operator.port.begin({
        run_id: RUN,
        workbench,
        ask: () => void done.push("ask"),
        force: () => void done.push("force"),
        withdraw: () => void done.push("withdraw"),
        tell: () => undefined,
        changed: () => undefined,
      });
    try {
      await play({
        operator,
        clock,
        done,
        warnings,
        folder,
        begin,
        states: () => requestsOf(scene, RUN).map(({ state }) => state),
      });
    } finally {
      await operator.close();
    }
  });
}

describe("the engine", () => {
  test("O5 interrupt, then the end, by the clock alone; each once, and on record first", async () => {
    await withEngine(async ({ operator, clock, done, begin, states }) => {
      await begin();
      await operator.accept(ASK);
      expect([done, states()]).toEqual([["ask"], ["accepted"]]);
      expect(operator.port.pending()).toMatchObject({
        state: "accepted",
        until: Date.parse("2026-11-29T10:01:00.000Z"),
      });
      for (const ms of [59_999, 1, 1000, 60_000]) clock.advance(ms);
      // Whatever is asked next comes after what was to be written.
      await operator.accept(ASK);
      await expect.poll(() => done).toEqual(["ask", "force"]);
      expect(operator.port.pending()?.until).toBe(Date.parse("2026-11-29T10:04:00.000Z"));
      clock.advance(120_000);
      await expect.poll(states).toEqual(["not_fulfilled"]);
      expect(done).toEqual(["ask", "force", "withdraw"]);
      expect(operator.port.pending()).toBeNull();
    });
  });

  test("O5 the handoff turn leaves a minute to publish", async () => {
    await withEngine(async ({ operator, clock, begin }) => {
      await begin();
      expect(operator.port.writingMs()).toBeNull();
      await operator.accept(ASK);
      operator.port.delivered();
      operator.port.begun();
      expect(operator.port.writingMs()).toBe(300_000);
      clock.advance(239_000);
      expect(operator.port.writingMs()).toBe(61_000);
      clock.advance(100_000);
      expect(operator.port.writingMs()).toBe(1000);
    });
  });

  test("O11 an executor that reports what cannot be is heard aloud, and changes nothing", async () => {
    await withEngine(async ({ operator, warnings, begin, states }) => {
      await begin();
      await operator.accept(ASK);
      operator.port.begun();
      operator.port.delivered();
      operator.port.delivered();
      operator.port.begun();
      operator.port.begun();
      await expect.poll(states).toEqual(["begun"]);
      await expect
        .poll(() => warnings)
        .toEqual([
          "req-1: it began what it had not picked up",
          "req-1: it picked up twice",
          "req-1: it began twice",
        ]);
    });
  });

  test("O1 what cannot be put on record is not accepted, and can be asked again", async () => {
    await withEngine(async ({ operator, done, folder, warnings, begin, states }) => {
      await begin();
      mkdirSync(path.join(folder, "requests.json/in the way"), { recursive: true });
      expect(await operator.accept(ASK)).toMatchObject({ ok: false, code: "request.not_recorded" });
      expect([done, operator.requests()]).toEqual([[], []]);
      expect(warnings.join()).toContain("could not be put on record");
      rmSync(path.join(folder, "requests.json"), { recursive: true });
      expect(await operator.accept(ASK)).toMatchObject({ ok: true, is_new: true });
      expect([done, states()]).toEqual([["ask"], ["accepted"]]);
      // Nor does it take anybody's place.
      rmSync(path.join(folder, "requests.json"));
      mkdirSync(path.join(folder, "requests.json/in the way"), { recursive: true });
      expect((await operator.accept({ ...ASK, request_id: "req-2" })).ok).toBe(false);
      expect(operator.requests()).toMatchObject([{ request_id: "req-1", state: "accepted", ended_at: null }]);
    });
  });

  test("O9 what an earlier start left alive is over when the next begins, and what cannot be read is set aside", async () => {
    const left = {
      ...newBook(RUN),
      requests: [newRequest({ ...ASK, accepted_at: "2026-11-29T09:00:00.000Z" })],
    };
    await withEngine(async ({ operator, folder, begin, states }) => {
      writeFileSync(path.join(folder, "requests.json"), JSON.stringify(left));
      await begin();
      expect(states()).toEqual(["not_fulfilled"]);
      expect(operator.requests()[0]?.why?.reason).toBe("crashed");
      // O1 The id is known for good.
      expect(await operator.accept(ASK)).toMatchObject({ ok: true, is_new: false });
    });
    await withEngine(async ({ operator, folder, warnings, begin }) => {
      writeFileSync(path.join(folder, "requests.json"), '{"half":');
      await begin();
      expect(warnings.join()).toContain("set aside as requests.json.unusable-");
      const aside = readdirSync(folder).find((name) => name.includes("unusable")) ?? "";
      expect(readFileSync(path.join(folder, aside), "utf8")).toBe('{"half":');
      expect(await operator.accept(ASK)).toMatchObject({ ok: true, is_new: true });
    });
  });

  test("O1 O9 asked for twice at once, the second is told of it, too, once it is on record", async () => {
    await withEngine(async ({ operator, begin, states }) => {
      await begin();
      const first = operator.accept(ASK);
      const second = operator.accept(ASK).then((answer) => [answer, states()]);
      expect(await second).toMatchObject([{ ok: true, is_new: false }, ["accepted"]]);
      expect(await first).toMatchObject({ ok: true, is_new: true });
    });
  });

  test("O1 asked for twice at once and not to be put on record, neither is accepted", async () => {
    await withEngine(async ({ operator, begin, folder }) => {
      await begin();
      mkdirSync(path.join(folder, "requests.json"));
      const asked = await Promise.all([operator.accept(ASK), operator.accept(ASK)]);
      expect(asked).toMatchObject([{ code: "request.not_recorded" }, { code: "request.not_recorded" }]);
    });
  });

  test("O9 whoever waits is told of no end that is not on record", async () => {
    await withEngine(async ({ operator, begin, folder, states }) => {
      await begin();
      await operator.accept(ASK);
      const { port } = operator;
      port.delivered();
      port.begun();
      await expect.poll(states).toEqual(["begun"]);
      const { address }: { address: string } = JSON.parse(
        readFileSync(path.join(folder, "runner.json"), "utf8"),
      );
      const talk = await reachRunner(address);
      // The disk has much to do: what comes last is on record late.
      for (let count = 0; count < 200; count += 1) port.publishing();
      const ended = operator.complete({ request_id: "req-1", reason: null, what: "" });
      talk?.say({ op: "wait", request_id: "req-1" });
      const told: unknown[] = [];
      for (let state = ""; state !== "completed";) {
        const answer = await talk?.hear(30_000);
        state = answer?.ok === true ? answer.request.state : "completed";
        told.push([state, state !== "completed" || states().join() === "completed"]);
      }
      await ended;
      talk?.end();
      expect(told).toEqual([
        ["begun", true],
        ["completed", true],
      ]);
    });
  });

  test("O1 a secret in the reason stays out of the record; the same reason is the same content", async () => {
    await withEngine(async ({ operator, folder, begin }) => {
      await begin();
      const secret = `ghp_${"a1B2c3D4e5".repeat(4)}`;
      const ask = { request_id: "req-1", reason: `use ${secret}\u001b[2J` };
      expect(await operator.accept(ask)).toMatchObject({ ok: true, is_new: true });
      expect(await operator.accept(ask)).toMatchObject({ ok: true, is_new: false });
      const text = readFileSync(path.join(folder, "requests.json"), "utf8");
      expect(text).toContain("use [redacted:");
      expect(text).not.toContain(secret);
    });
  });

  test("O3 what is asked of an engine before and after its run is turned away", async () => {
    await withEngine(async ({ operator, begin, states }) => {
      expect(await operator.accept(ASK)).toMatchObject({ ok: false, code: "request.no_attempt" });
      await begin();
      await operator.accept(ASK);
      await operator.close();
      expect(states()).toEqual(["not_fulfilled"]);
      expect(await operator.accept({ ...ASK, request_id: "req-2" })).toMatchObject({ ok: false });
    });
  });
});
