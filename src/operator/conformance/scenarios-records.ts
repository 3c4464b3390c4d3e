// Scenarios of what is on record: counts, ends, files that others read, halts.
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { parseJson } from "../../text/parse-json.js";
import { expectSame, expectThat } from "./scenario-failure.js";
import { expectOver } from "./scenarios-requests.js";
import type { Scenario } from "./stage.js";

const errors: Scenario = {
  name: "errors-reset",
  variant: null,
  needs: ["requests", "errors"],
  proves: "failures count in a row: a success begins the count anew",
  play: async (stage) => {
    await stage.open();
    await stage.start({ max_errors: 3 });
    const fail = async (): Promise<string | null> => (await stage.say({ op: "fail" })).ended ?? null;
    for (const file of ["one.txt", "two.txt"]) {
      for (const count of [1, 2])
        expectThat(
          (await fail()) === null,
          `the attempt ended with failure ${count} in a row, and 3 are allowed`,
        );
      const { ended = null } = await stage.work(file);
      expectThat(ended === null, "a success ended the attempt");
    }
    expectThat((await fail()) === null && (await fail()) === null, "failures before a success still count");
    const ended = await fail();
    expectThat(ended === "failed", `after 3 failures in a row the attempt is ${ended ?? "still at work"}`);
  },
};

const sealed: Scenario = {
  name: "sealed-after-outcome",
  variant: null,
  needs: ["requests", "clock", "crash"],
  proves: "nothing changes a record after its end: no question, no time, no restart",
  play: async (stage) => {
    await stage.open();
    await stage.start();
    await stage.ask("req-1", "going home");
    await stage.work("one.txt");
    const request = await stage.request("req-1");
    expectOver(request);
    const attempt = await stage.attempt();
    const same = async (after: string): Promise<void> => {
      expectSame(await stage.request("req-1"), request, `the request was changed by ${after}`);
      expectSame(await stage.attempt(), attempt, `the attempt was changed by ${after}`);
    };
    const again = await stage.ask("req-1", "going home");
    expectThat(again.accepted === true, "the same request was not answered with its record");
    expectSame(again.request, request, "the same request was answered with another record");
    const other = await stage.ask("req-1", "something else");
    expectThat(other.accepted === false, "another request of the same id was accepted");
    await same("asking again");
    await stage.pass(400);
    await same("time");
    await stage.crash();
    await same("a restart");
  },
};

/** Until then a file was read at least so often, or there was no reading to speak of. */
const LEAST_READS = 20;

const torn: Scenario = {
  name: "export-torn-read",
  variant: null,
  needs: ["requests", "export"],
  proves: "who reads the records' files while they are written never sees half of one",
  play: async (stage) => {
    await stage.open();
    await stage.start();
    await stage.ask("req-0");
    const { files = [] } = await stage.read();
    expectThat(files.length > 0, "no files are named that others read");
    let count = 0;
    const over = new AbortController();
    const problems: string[] = [];
    const reading = (async (): Promise<void> => {
      while (problems.length === 0 && (!over.signal.aborted || count < LEAST_READS)) {
        for (const file of files) {
          const text = await readFile(file, "utf8").catch(() => null);
          if (text === null) problems.push(`${file} was gone for a moment`);
          else if (!parseJson(text).ok) problems.push(`half of ${file} was read: ${text.length} characters`);
        }
        count += 1;
        // The other side has its turn.
        await delay(1);
      }
    })();
    for (let asked = 1; asked <= 15; asked += 1) await stage.ask(`req-${asked}`, "x".repeat(asked * 50));
    await stage.work("one.txt");
    over.abort();
    await reading;
    expectThat(problems.length === 0, problems[0] ?? "");
    const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
    expectThat(
      texts.some((text) => text.includes("req-15")),
      "none of the named files has the requests",
    );
  },
};

const halt: Scenario = {
  name: "halt-records-last-halt",
  variant: null,
  needs: ["requests", "halts"],
  proves: "of several halts of a run the last one is on record",
  play: async (stage) => {
    await stage.open();
    const { run } = await stage.start();
    await stage.work("one.txt");
    const first = await stage.say({ op: "halt" });
    expectThat(first.ended === "halted", `a halt ended the attempt with ${first.ended ?? "nothing"}`);
    expectThat((await stage.read()).last_halt?.attempt === 1, "the first halt is not on record");
    const { attempt } = await stage.start({ run });
    expectThat(attempt === 2, `the second attempt is called ${attempt}`);
    await stage.work("two.txt");
    await stage.say({ op: "halt" });
    const last = (await stage.read()).last_halt?.attempt ?? null;
    expectThat(last === 2, `the last halt on record is that of attempt ${last ?? "?"}`);
  },
};

/** In the order in which they are played. */
export const RECORD_SCENARIOS: readonly Scenario[] = [errors, sealed, torn, halt];
