// R17, R20, R23: long jobs. Eight generations hand over, and nothing that one of them found out is lost.
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Scenario } from "../../fixtures/agents/scenario.js";
import { eventsOf, kinds, leftBehind, withScene } from "./testing/run-scene.js";

/** Two steps fill a session up to the line of 150,000; every second one fails and stays so. */
const job = (count: number): Scenario => ({
  model: "claude-opus-5-5",
  window: 1_000_000,
  line: 150_000,
  start: 60_000,
  steps: Array.from({ length: count }, (_, at) => ({
    name: `s${at + 1}`,
    grows: 90_000,
    ...(at % 2 === 1 ? { exit: 3, run: `echo broken ${at + 1} >&2` } : {}),
  })),
});
const GENERATIONS = [1, 2, 3, 4, 5, 6, 7, 8];

describe.concurrent("eight generations", () => {
  test("lose nothing: decisions, dead ends, failures, commands", async () => {
    await withScene({ scenario: job(17) }, async (scene) => {
      const run = await scene.run({ plan: { at_percent: 15 } });
      expect(run).toMatchObject({ exit: 0, status: "done" });
      expect(run.ledger.retired).toHaveLength(8);
      expect(run.ledger.generations.every(({ degraded }) => degraded === null)).toBe(true);
      expect(scene.steps()).toHaveLength(17);

      const last = run.ledger.retired[7] ?? "";
      const packet = scene.packet(last);
      const brief = scene.prompt(17);
      expect(brief).toContain(path.join("outputs/handoff", last, "handoff.json"));
      for (const n of GENERATIONS) {
        expect(packet.decisions.map(({ what }) => what)).toContain(`decision ${n} of this job`);
        expect(packet.failed_attempts).toContainEqual(
          expect.objectContaining({ kind: "dead_end", what: `dead end ${n}` }),
        );
        expect(packet.failed_attempts).toContainEqual(
          expect.objectContaining({
            kind: "command",
            excerpt: `broken ${2 * n}`,
            exit_code: 3,
            resolved: false,
          }),
        );
        // Each in the brief itself, too: there is room for these.
        for (const part of [`decision ${n} of this job`, `dead end ${n}`, `broken ${2 * n} `])
          expect(brief).toContain(part);
        // Every command counts in the packet of its own session, which the later ones lead back to.
        expect(scene.packet(run.ledger.retired[n - 1] ?? "").feedback).toMatchObject({
          total: 2,
          nonzero: 1,
        });
      }
      const chain = run.ledger.retired.map((session) => scene.packet(session));
      expect(chain.map(({ supersedes }) => supersedes)).toEqual([
        null,
        ...chain.slice(0, -1).map(({ packet_id }) => packet_id),
      ]);
      expect(brief).toContain("2 commands, 1 failed");
    });
  });

  test("R23 are all there are: the ninth session over the line ends the run before another packet", async () => {
    await withScene({ scenario: job(40) }, async (scene) => {
      const run = await scene.run({ plan: { at_percent: 15 } });
      expect(run).toMatchObject({ exit: 1, status: "stopped", rule: "max_generations" });
      expect(run.ledger.retired).toHaveLength(8);
      expect(new Set(run.ledger.retired).size).toBe(8);
      expect(run.ledger.generations).toHaveLength(9);
      expect(run.ledger.generations[8]?.packet_id).toBeNull();
      expect(eventsOf(run, "done")).toHaveLength(8);
      expect(kinds(run).slice(-3)).toEqual(["near", "generation_ended", "run_ended"]);
      // R22: rotations are no attempts, whatever their number.
      expect(run.ledger.generations.every(({ attempts }) => attempts === 0)).toBe(true);
      for (const part of ["start up", "150000", "1000000"]) expect(run.message?.what).toContain(part);
      for (const part of ["--window", "--headroom", "--max-generations"])
        expect(run.message?.hint).toContain(part);
      expect(await leftBehind(run.run_id)).toEqual([]);
    });
  });
});
