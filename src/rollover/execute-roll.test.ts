// The start of an executor beside others: the executors are real processes that play who comes when, the records are real files.
import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { emptyFolder } from "../cli/testing/sample-workbench.js";
import { readOwnIdentity } from "../io/process-identity.js";
import { executeRoll, startExecutor } from "./execute-roll.js";
import { readExecutor, readRoll, writeRoll } from "./roll-file.js";
import { SAMPLE_ROLL } from "./testing/sample-roll.js";
import { makePaneFolder } from "./roll-folder.js";

const KEY = "0123456789abcdef";
const [, main = ""] = process.argv;

let root = "";
beforeEach(() => {
  root = emptyFolder();
});
afterEach(() => {
  process.argv[1] = main;
  rmSync(root, { recursive: true, force: true });
});

/** From here on an executor is a process that does this; `record` is where the pane's executor is named, `living` one that lives. */
async function executorDoes(lines: string): Promise<void> {
  const record = path.join(await makePaneFolder(root, KEY), "executor.json");
  const living = { ...(await readOwnIdentity()), serves_many: false };
  const script = path.join(root, "executor.cjs");
  writeFileSync(
    script,
    `const { renameSync, writeFileSync } = require("node:fs");
const record = ${JSON.stringify(record)};
const living = ${JSON.stringify(living)};
const name = (one) => { writeFileSync(record + ".new", JSON.stringify(one)); renameSync(record + ".new", record); };
${lines}
`,
  );
  process.argv[1] = script;
}

describe("an executor is started", () => {
  // The other one takes the roll, and ours ends, between two looks.
  test("L11 one that ends because another has the roll is no failure, however closely the two follow each other", async () => {
    await executorDoes("name(living);");
    const starts: string[] = [];
    for (let run = 0; run < 12; run += 1) {
      rmSync(path.join(root, ".handoff/rollover", KEY, "executor.json"), { force: true });
      starts.push(await startExecutor(root, KEY, process.env).then(() => "taken up", String));
    }
    expect(starts).toEqual(starts.map(() => "taken up"));
  });

  test.each([
    ["ends without having it", "", "it ended with 0"],
    ["ends with an error", "process.exit(3);", "it ended with 3"],
    ["is killed", "process.kill(process.pid, 'SIGKILL');", "it ended with a signal"],
    ["leaves the name of a dead one", "name({ ...living, pid: 2 ** 22 + 1 });", "it ended with 0"],
  ])("L6 one that %s is told, with how it ended", async (_what, lines, why) => {
    await executorDoes(lines);
    await expect(startExecutor(root, KEY, process.env)).rejects.toMatchObject({
      code: "rollover.not_started",
      message: `the process that carries the roll out did not start: ${why}`,
    });
  });
});

describe("an executor leaves", () => {
  // Its pane is gone, so that each roll ends at once; and its history is a pipe, which holds it while it tells of that.
  test("L6 L11 a roll that is accepted before it is gone is not left lying: one of the two carries it out", async () => {
    const folder = await makePaneFolder(root, KEY);
    const history = path.join(folder, "history.jsonl");
    execFileSync("mkfifo", [history]);
    await writeRoll(root, KEY, SAMPLE_ROLL);
    const env = { HANDOFF_ROLL: KEY, PATH: "" };
    const first = executeRoll(root, env);
    while ((await readRoll(root, KEY))?.phase !== "refused")
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    await writeRoll(root, KEY, { ...SAMPLE_ROLL, phase: "accepted", roll_id: "roll-000000000002" });
    // As confirm sees it: somebody has the pane's roll.
    expect(await readExecutor(root, KEY)).toBe("alive");
    expect(await executeRoll(root, env)).toBeNull();
    const reader = openSync(history, constants.O_RDWR | constants.O_NONBLOCK);
    try {
      await first;
    } finally {
      closeSync(reader);
    }
    const { roll_id, phase, ending } = (await readRoll(root, KEY)) ?? {};
    expect([roll_id, phase, ending]).toEqual(["roll-000000000002", "refused", "PANE_GONE"]);
    expect(await readExecutor(root, KEY)).toBe("none");
  });
});
