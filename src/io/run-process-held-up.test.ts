// P9 where we ourselves are held up: what a child did within its time limit counts, whenever we come to look.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasEnded, holdUp } from "../cli/testing/hold-up.js";
import { runProcess, type RunProcessOptions } from "./run-process.js";

const base: RunProcessOptions = { cwd: tmpdir(), timeoutMs: 50, maxBytes: 1_000_000 };

describe.runIf(process.platform === "linux")("runProcess while we are held up ourselves", () => {
  /** A child that says so much and ends, while nobody here looks, until long after its time limit. */
  async function unseen(bytes: number, options: Partial<RunProcessOptions>) {
    const folder = mkdtempSync(path.join(tmpdir(), "handoff-held-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const pid = path.join(folder, "pid");
    const script = 'head -c "$2" /dev/zero; echo $$ > "$1"';
    const running = runProcess("sh", ["-c", script, "sh", pid, String(bytes)], { ...base, ...options });
    holdUp(200, () => hasEnded(pid));
    const { status, exitCode, stdout } = await running;
    return [status, exitCode, stdout.length];
  }

  it("P9 a child that ended within its time limit did, and all it said is there", async () => {
    for (const bytes of [0, 60_000]) expect(await unseen(bytes, { timeoutMs: 50 })).toEqual(["ok", 0, bytes]);
  });

  it("P9 what was too much is too much, whether or not the child has ended by then", async () => {
    const [status, , bytes] = await unseen(60_000, { timeoutMs: 50, maxBytes: 50_000 });
    expect([status, bytes]).toEqual(["too_large", 50_000]);
  });
});
