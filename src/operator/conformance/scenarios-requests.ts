// Scenarios of one request's life (O1-O5, O7, O8, O10). Each asserts what its name says and nothing else, so that a fault fails one.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { parseJson } from "../../text/parse-json.js";
import { expectSame, expectThat } from "./scenario-failure.js";
import { type AttemptRow, contentOf, type RequestRow, type Scenario, type Stage } from "./stage.js";

const ENDS = new Set(["completed", "not_fulfilled", "superseded"]);

/** Where it stands, for people. */
const standing = ({ state, why }: RequestRow): string => (why === null ? state : `${state} (${why})`);

/** One request has come to its end. */
export function expectOver(request: RequestRow): void {
  expectThat(ENDS.has(request.state), `${request.request_id} has no end: it is ${standing(request)}`);
}

export function expectRefused(request: RequestRow, why: string): void {
  expectThat(
    request.state === "not_fulfilled" && request.why === why,
    `${request.request_id} is ${standing(request)}, not not_fulfilled (${why})`,
  );
}

/** All of the work is on the attempt's branch. */
export async function expectKept(stage: Stage, { branch }: AttemptRow, ...files: string[]): Promise<void> {
  for (const file of files) {
    const found = await stage.onBranch(branch, file);
    expectThat(found !== null, `${file} is not on the branch ${branch}`);
    expectThat(`${found}\n` === contentOf(file), `${file} on the branch ${branch} is not as it was written`);
  }
}

/** The agent works in a worktree that git knows, on the attempt's branch. */
async function expectApart(stage: Stage, { tree, branch }: AttemptRow, file: string): Promise<void> {
  const trees = await stage.git("worktree", "list", "--porcelain");
  expectThat(trees.includes(`branch refs/heads/${branch}`), `no worktree has the branch ${branch}`);
  const text = await readFile(path.join(tree, file), "utf8").catch(() => null);
  expectThat(text === contentOf(file), `${file} is not in the attempt's tree as it was written`);
}

async function packetReason(file: string | null): Promise<unknown> {
  expectThat(file !== null && existsSync(file), "the packet that is on record is not there");
  const parsed = parseJson(await readFile(file, "utf8"));
  expectThat(parsed.ok, "the packet is no JSON");
  return Reflect.get(Object(parsed.value), "handoff_reason");
}

const times = ({ accepted_at, delivered_at, begun_at, ended_at }: RequestRow): (string | null)[] => [
  accepted_at,
  delivered_at,
  begun_at,
  ended_at,
];

const handoff: Scenario = {
  name: "handoff",
  variant: null,
  needs: ["requests"],
  proves: "a request is delivered and begun once, completed, and leaves a packet and the work on a branch",
  play: async (stage) => {
    await stage.open();
    const head = await stage.git("rev-parse", "HEAD");
    const { attempt: number } = await stage.start();
    expectThat(number === 1, `the first attempt is called ${number}`);
    await stage.work("one.txt");
    await expectApart(stage, await stage.attempt(), "one.txt");
    expectThat((await stage.ask("req-1", "going home")).accepted === true, "the request was not accepted");
    const { ended = null } = await stage.work("two.txt");
    expectThat(ended === "handoff", `the attempt ended with ${ended ?? "nothing"}, not with the handoff`);
    const seen = stage.reports().map(({ request_id, state }) => `${request_id} ${state}`);
    const rest = seen.filter((one) => one !== "req-1 accepted");
    const wanted = ["req-1 delivered", "req-1 begun", "req-1 completed"];
    expectSame(rest, wanted, `reported was ${rest.join(", ")}, not ${wanted.join(", ")}`);
    const request = await stage.request("req-1");
    expectThat(request.state === "completed", `the request is ${standing(request)}, not completed`);
    const told = times(request);
    expectThat(
      told.every((time) => time !== null) &&
        told.every((time, at) => at === 0 || (told[at - 1] ?? "") <= (time ?? "")),
      `the request's times are not in order: ${told.join(", ")}`,
    );
    const attempt = await stage.attempt();
    expectThat(attempt.finalized && attempt.held === null, "the attempt is not finalized");
    const isFrom = await stage.git("merge-base", head, attempt.branch);
    expectThat(isFrom === head, "the branch does not come from the commit that HEAD was at");
    expectThat(attempt.base === head, "the commit on record is not the one that the attempt started from");
    const reason = await packetReason(attempt.packet);
    expectThat(reason === "operator_request", `the packet's reason is ${JSON.stringify(reason)}`);
    await expectKept(stage, attempt, "one.txt", "two.txt");
    expectThat(!existsSync(attempt.tree), "the attempt's tree is still there");
    expectThat((await stage.git("rev-parse", "HEAD")) === head, "HEAD of the main tree has moved");
    expectSame(await stage.git("status", "--porcelain"), "", "the main tree does not look as before");
  },
};

const second: Scenario = {
  name: "handoff-second-rejected",
  variant: null,
  needs: ["requests", "stops"],
  proves: "once a handoff has begun another request is rejected, and changes nothing",
  play: async (stage) => {
    await stage.open();
    const none = await stage.ask("req-0");
    expectThat(none.accepted === false, "a request was accepted with no attempt at work");
    await stage.start();
    await stage.ask("req-1");
    const { stopped_at: at = null } = await stage.work("one.txt", { until: "begun" });
    expectThat(at === "begun", `it stands still at ${at ?? "nothing"}, not at begun`);
    const before = await stage.read();
    const answer = await stage.ask("req-2");
    expectThat(answer.accepted === false, "a second request was accepted after the first had begun");
    expectSame(
      (await stage.read()).requests,
      before.requests,
      "the rejected request changed what is on record",
    );
    await stage.say({ op: "go" });
    expectOver(await stage.request("req-1"));
  },
};

const superseded: Scenario = {
  name: "handoff-superseded",
  variant: null,
  needs: ["requests"],
  proves: "the newest request wins until it is delivered; the older one is superseded and nothing else",
  play: async (stage) => {
    await stage.open();
    await stage.start();
    await stage.ask("req-1", "first");
    expectThat((await stage.ask("req-2", "second")).accepted === true, "the newer request was not accepted");
    const older = await stage.request("req-1");
    expectThat(
      older.state === "superseded" && older.superseded_by === "req-2",
      `the older request is ${standing(older)}, not superseded by the newer one`,
    );
    await stage.work("one.txt");
    const ofOlder = stage
      .reports()
      .filter(({ request_id, state }) => request_id === "req-1" && state !== "accepted");
    expectThat(
      ofOlder.every(({ state }) => state === "superseded"),
      `the superseded request was reported ${ofOlder.map(({ state }) => state).join(", ")}`,
    );
    expectThat(
      stage.reports().some(({ request_id, state }) => request_id === "req-2" && state === "begun"),
      "the newer request was not begun",
    );
    expectSame(await stage.request("req-1"), older, "the superseded request was changed afterwards");
  },
};

const expired: Scenario = {
  name: "handoff-expired",
  variant: null,
  needs: ["requests", "clock"],
  proves: "60 s: one interrupt; 240 s after the acceptance, whatever happened since: expired",
  play: async (stage) => {
    await stage.open();
    await stage.start();
    await stage.work("one.txt");
    await stage.say({ op: "busy" });
    await stage.ask("req-1");
    const interrupts = (): number => stage.reports().filter(({ state }) => state === "interrupted").length;
    await stage.pass(59);
    expectThat(interrupts() === 0, "it was interrupted before 60 s had passed");
    await stage.pass(2);
    expectThat(interrupts() === 1, `after 61 s it was interrupted ${interrupts()} times`);
    await stage.pass(120);
    await stage.pass(58);
    expectThat(interrupts() === 1, `it was interrupted ${interrupts()} times in all`);
    const late = await stage.request("req-1");
    expectThat(!ENDS.has(late.state), `after 239 s the request is ${standing(late)} already`);
    await stage.pass(2);
    expectRefused(await stage.request("req-1"), "expired");
  },
};

const invalid: Scenario = {
  name: "handoff-invalid-note",
  variant: null,
  needs: ["requests", "notes"],
  proves:
    "a note that cannot be used fulfils nothing; branch, checkpoint and tree are kept, the reason names the attempt",
  play: async (stage) => {
    await stage.open();
    const { attempt: number } = await stage.start();
    await stage.ask("req-1");
    await stage.work("one.txt", { note: "unusable" });
    expectRefused(await stage.request("req-1"), "packet_invalid");
    const attempt = await stage.attempt();
    expectThat(attempt.held !== null, "the attempt is not held");
    expectThat(
      attempt.held.includes(`attempt ${number}`) || attempt.held.includes(attempt.branch),
      `the reason does not name the attempt: ${attempt.held}`,
    );
    await expectKept(stage, attempt, "one.txt");
    expectThat(existsSync(attempt.tree), "the attempt's tree is gone");
  },
};

const late: Scenario = {
  name: "handoff-late",
  variant: null,
  needs: ["requests", "stops"],
  proves: "a request that comes when the model's work is done leaves the outcome as it is, and says so",
  play: async (stage) => {
    await stage.open();
    await stage.start();
    await stage.work("one.txt");
    await stage.say({ op: "end", until: "said" });
    expectThat((await stage.ask("req-1")).accepted === true, "the request was not accepted");
    const { ended = null } = await stage.say({ op: "go" });
    expectThat(ended === "done", `the attempt ended with ${ended ?? "nothing"}, not done`);
    expectRefused(await stage.request("req-1"), "outcome_not_handoff");
  },
};

/** In the order in which they are played. */
export const REQUEST_SCENARIOS: readonly Scenario[] = [handoff, second, superseded, expired, invalid, late];
