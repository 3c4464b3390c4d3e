// Standard input of a hook that is held up itself: real pipes.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test, onTestFinished } from "vitest";
import { holdUp } from "../cli/testing/hold-up.js";
import { readPayload } from "./read-payload.js";

/** What is read of an input that is all there before we look, long after the time is over. */
async function readLate(end: string) {
  const folder = mkdtempSync(path.join(tmpdir(), "handoff-payload-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const said = path.join(folder, "said");
  const script = `head -c 30000 /dev/zero | tr '\\0' x; : > "$1"; ${end}`;
  const writer = spawn("sh", ["-c", script, "sh", said], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void writer.kill("SIGKILL"));
  const reading = readPayload(writer.stdout, { maxBytes: 100_000, silenceMs: 100, waitMs: 60_000 });
  holdUp(300, () => existsSync(said));
  const read = await reading;
  return read.status === "too_large" ? read.status : read.text.length;
}

test.runIf(process.platform !== "win32").each([
  ["closed", "exit"],
  ["left open", "exec sleep 30"],
])("A6 a payload that came in time is read, however late we look: %s", async (_, end) => {
  expect(await readLate(end)).toBe(30_000);
});
