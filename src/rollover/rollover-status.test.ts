// What is told of a roll while its executor ends it (L10, L11): the executor is a real process.
import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { emptyFolder } from "../cli/testing/sample-workbench.js";
import { identityOf, readOwnIdentity } from "../io/process-identity.js";
import { makePaneFolder, writeRecord } from "./roll-folder.js";
import { readStatus } from "./rollover-status.js";

const KEY = "0123456789abcdef";
const ROUNDS = 200;
/** Writes down how it ended, then leaves; once for each line that it reads, and each time at another moment of the look. */
const EXECUTOR = `const { renameSync, unlinkSync, writeFileSync } = require("node:fs");
process.chdir(process.argv[1]);
process.stdin.on("data", (lines) => {
  const roll = JSON.parse(String(lines));
  for (const until = performance.now() + roll.tries / 100; performance.now() < until;);
  writeFileSync("new", JSON.stringify({ ...roll, phase: "bootstrapped" }));
  renameSync("new", "roll.json");
  unlinkSync("executor.json");
});
process.stdout.write("ready");`;

let root = "";
beforeEach(() => {
  root = emptyFolder();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("L10 L11 a roll that ends well this very moment is never called interrupted", async () => {
  const folder = await makePaneFolder(root, KEY);
  const executor = spawn(process.execPath, ["-e", EXECUTOR, folder], { stdio: ["pipe", "pipe", "inherit"] });
  await new Promise((resolve) => executor.stdout.once("data", resolve));
  const gone = new Promise((resolve) => executor.once("exit", resolve));
  const identity = { ...identityOf(executor.pid ?? 0, await readOwnIdentity()), serves_many: false };
  const seen = new Set<string>();
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const roll = {
        roll_id: `roll-${round}`,
        phase: "bootstrapping",
        tries: round,
        process: identity,
        accepted_at: "2026-11-30T00:00:00.000Z",
      };
      await writeRecord(root, KEY, "executor.json", identity);
      await writeRecord(root, KEY, "roll.json", roll);
      executor.stdin.write(JSON.stringify(roll));
      for (let state = ""; state !== "bootstrapped";) {
        const [pane] = (await readStatus(root)).panes;
        state = pane?.state ?? "nothing";
        seen.add(state);
      }
      while (existsSync(path.join(folder, "executor.json")));
    }
  } finally {
    executor.kill("SIGKILL");
    await gone;
  }
  expect([...seen].toSorted()).toEqual(["bootstrapped", "rolling"]);
});
