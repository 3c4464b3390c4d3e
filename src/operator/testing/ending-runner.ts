// For tests: a runner that ends a run while others look at it. A real process, named in runner.json; it puts its last words on record
// and goes, over and over, each time it is told to.
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { identityOf, readOwnIdentity } from "../../io/process-identity.js";
import type { RunPlace } from "../run-file.js";
import { writeRunner } from "../socket-place.js";

const SCRIPT = `const { renameSync, unlinkSync, writeFileSync } = require("node:fs");
process.stdin.on("data", (line) => {
  const { file, text, runner, later } = JSON.parse(String(line));
  for (const until = performance.now() + later; performance.now() < until;);
  writeFileSync(file + ".new", text);
  renameSync(file + ".new", file);
  unlinkSync(runner);
});
process.stdout.write("ready");`;

export interface EndingRunner {
  /** It runs the run from here on. */
  readonly begin: () => Promise<void>;
  /** It ends it, so many milliseconds later, with this as the file's last text. Does not wait for that. */
  readonly end: (file: string, text: string, later: number) => void;
  readonly isGone: () => boolean;
  readonly stop: () => Promise<void>;
}

/** Starts it; `folder` is the run's. */
export async function startEndingRunner(
  place: RunPlace,
  runId: string,
  folder: string,
): Promise<EndingRunner> {
  const child = spawn(process.execPath, ["-e", SCRIPT], { stdio: ["pipe", "pipe", "inherit"] });
  const exit = new Promise((resolve) => child.once("exit", resolve));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const identity = identityOf(child.pid ?? 0, await readOwnIdentity());
  const runner = path.join(folder, "runner.json");
  const address = path.join(folder, "now.sock");
  return {
    begin: async () => {
      await writeRunner(place, {
        schema_version: "1.0",
        run_id: runId,
        address,
        runner: identity,
        since: "2026-11-29T10:00:00.000Z",
      });
      // Nobody listens there: who runs it is all that is asked.
      writeFileSync(address, "");
    },
    end: (file, text, later) => void child.stdin.write(JSON.stringify({ file, text, runner, later })),
    isGone: () => !existsSync(runner),
    stop: async () => {
      child.kill("SIGKILL");
      await exit;
    },
  };
}
