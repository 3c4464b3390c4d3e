// L4, L5: what the lead wrote, read while it is being written anew; the writer is a real process.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { emptyFolder } from "../cli/testing/sample-workbench.js";
import { readHandover } from "./handover.js";

const READS = 2000;
/** Puts one handover after the other in its place; each has its number as its time, too, in seconds. */
const WRITER = `const { renameSync, utimesSync, writeFileSync } = require("node:fs");
process.chdir(process.argv[1]);
for (let count = 1; ; count += 1) {
  writeFileSync("next", "## Doing\\n\\nthe job\\n\\n## Next\\n\\n" + count + "\\n");
  utimesSync("next", count, count);
  renameSync("next", "handover.md");
}`;

let root = "";
beforeEach(() => {
  root = emptyFolder();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("L4 a handover that is replaced while it is read: old words never have the time of new ones", async () => {
  const writer = spawn(process.execPath, ["-e", WRITER, root], { stdio: "ignore" });
  const gone = new Promise((resolve) => writer.once("exit", resolve));
  const tooNew: unknown[] = [];
  try {
    for (let count = 0; count < READS;) {
      const { facts } = await readHandover(root, path.join(root, "handover.md"));
      if (facts.kind !== "file") continue;
      count += 1;
      const written = Number(facts.next_action);
      if (!(facts.modified_ns <= BigInt(written) * 1_000_000_000n)) tooNew.push([facts.modified_ns, written]);
    }
  } finally {
    writer.kill("SIGKILL");
    await gone;
  }
  expect(tooNew).toEqual([]);
});
