// Scenarios in which a process is killed or what it reports to is gone (O3, O9).
import { existsSync } from "node:fs";
import { expectSame, expectThat } from "./scenario-failure.js";
import { expectKept, expectOver, expectRefused } from "./scenarios-requests.js";
import type { Scenario, Stage } from "./stage.js";

/** What is on record, without what only says how a file is called. */
async function onRecord(stage: Stage): Promise<unknown> {
  const { requests, attempts } = await stage.read();
  return { requests, attempts };
}

/** Branches and worktrees, as git has them. */
async function inGit(stage: Stage): Promise<unknown> {
  return [await stage.git("for-each-ref"), await stage.git("worktree", "list", "--porcelain")];
}

function crashed(point: "accepted" | "delivered" | "begun" | "published"): Scenario {
  return {
    name: "handoff-crash",
    variant: point,
    needs: ["requests", "stops", "crash"],
    proves: `killed when a request was ${point}: the work is kept, the request is not fulfilled, twice is once`,
    play: async (stage) => {
      await stage.open();
      await stage.start();
      await stage.work("one.txt");
      await stage.ask("req-1");
      if (point !== "accepted") {
        const { stopped_at: at = null } = await stage.work("two.txt", { until: point });
        expectThat(at === point, `it stands still at ${at ?? "nothing"}, not at ${point}`);
      }
      await stage.crash();
      expectRefused(await stage.request("req-1"), "crashed");
      const attempt = await stage.attempt();
      expectThat(attempt.finalized, "the attempt is not finalized after the restart");
      await expectKept(stage, attempt, "one.txt", ...(point === "accepted" ? [] : ["two.txt"]));
      const after = await onRecord(stage);
      const kept = await inGit(stage);
      await stage.crash();
      expectSame(await onRecord(stage), after, "a second restart changed what is on record");
      expectSame(await inGit(stage), kept, "a second restart changed branches or worktrees");
    },
  };
}

const offline: Scenario = {
  name: "offline-while-running",
  variant: null,
  needs: ["requests", "offline"],
  proves:
    "where requests come from and are reported to goes away during the attempt, and the attempt goes on",
  play: async (stage) => {
    await stage.open();
    await stage.start();
    await stage.work("one.txt");
    await stage.ask("req-1");
    await stage.say({ op: "offline", broken: true });
    let { ended = null } = await stage.work("two.txt");
    await stage.say({ op: "offline", broken: false });
    if (ended === null) ({ ended = null } = await stage.work("three.txt"));
    if (ended === null) ({ ended = null } = await stage.say({ op: "end" }));
    expectThat(ended === "handoff" || ended === "done", `the attempt ended with ${ended ?? "nothing"}`);
    const attempt = await stage.attempt();
    expectThat(attempt.finalized, "the attempt is not finalized");
    await expectKept(stage, attempt, "one.txt", "two.txt");
    expectOver(await stage.request("req-1"));
  },
};

const reads: Scenario = {
  name: "offline-reads",
  variant: null,
  needs: ["requests", "reads", "crash"],
  proves: "records can be read while no engine runs, and reading changes nothing",
  play: async (stage) => {
    await stage.open();
    await stage.start();
    await stage.work("one.txt");
    await stage.ask("req-1", "going home");
    const before = await onRecord(stage);
    await stage.crash(null);
    const digest = await stage.digest();
    expectSame(await onRecord(stage), before, "without an engine other records are read than with it");
    expectSame(await onRecord(stage), before, "records read twice are not the same");
    expectThat((await stage.digest()) === digest, "reading changed files");
  },
};

const retry: Scenario = {
  name: "recovery-retry",
  variant: null,
  needs: ["requests", "stops", "crash", "faults"],
  proves: "a step of the recovery that fails once is tried again, and does its work once",
  play: async (stage) => {
    await stage.open();
    await stage.start();
    await stage.work("one.txt");
    await stage.ask("req-1");
    await stage.work("two.txt", { until: "published" });
    await stage.crash([{ step: "clean_up", times: 1 }]);
    // In the same start, or in the next one.
    if (!(await stage.attempt()).finalized) await stage.crash();
    const attempt = await stage.attempt();
    expectThat(attempt.finalized && attempt.held === null, "the recovery did not try the failed step again");
    const times = attempt.steps.filter((step) => step === "clean_up").length;
    expectThat(times === 1, `clean_up was done ${times} times`);
    expectThat(
      new Set(attempt.steps).size === attempt.steps.length,
      `steps were done twice: ${attempt.steps.join(", ")}`,
    );
  },
};

const release: Scenario = {
  name: "recovery-release",
  variant: null,
  needs: ["requests", "stops", "crash"],
  proves:
    "killed between publication and release: the recovery lets the tree go, and the branch can be taken over",
  play: async (stage) => {
    await stage.open();
    await stage.start();
    await stage.work("one.txt");
    await stage.ask("req-1");
    await stage.work("two.txt", { until: "published" });
    await stage.crash();
    const attempt = await stage.attempt();
    expectThat(attempt.packet !== null && existsSync(attempt.packet), "the published packet is gone");
    const trees = await stage.git("worktree", "list", "--porcelain");
    expectThat(!trees.includes(`branch refs/heads/${attempt.branch}`), "a worktree still has the branch");
    const before = await stage.git("status", "--porcelain");
    await stage.git("switch", "--quiet", attempt.branch);
    expectSame(await stage.git("status", "--porcelain"), before, "the branch does not check out clean");
  },
};

/** In the order in which they are played. */
export const CRASH_SCENARIOS: readonly Scenario[] = [
  crashed("accepted"),
  crashed("delivered"),
  crashed("begun"),
  crashed("published"),
  offline,
  reads,
  retry,
  release,
];
