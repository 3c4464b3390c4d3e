// A11 A command and its time limit, beside a process of ours that is held up; all else of exec is tested with the built command line.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { hasEnded, holdUp } from "../testing/hold-up.js";
import { runCommand } from "./run-command.js";

it.runIf(process.platform === "linux").each([0, 3])(
  "A11 a command that ended with %i within its time was not stopped, also where we come to hear of it later",
  async (code) => {
    const folder = mkdtempSync(path.join(tmpdir(), "handoff-held-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const pid = path.join(folder, "pid");
    const running = runCommand(["sh", "-c", `echo $$ > "$1"; exit ${code}`, "sh", pid], 50);
    holdUp(200, () => hasEnded(pid));
    expect(await running).toMatchObject({ code, signal: null, error: null, timedOut: false });
  },
);

it.runIf(process.platform !== "win32")("A11 one that goes on is stopped", async () => {
  expect(await runCommand(["sleep", "30"], 50)).toMatchObject({ signal: "SIGTERM", timedOut: true });
});
