// Talks with real children (JSON-RPC on stdio is no more than lines): what was answered in time counts, whenever we come to hear it.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { holdUp } from "../cli/testing/hold-up.js";
import { runDialogue } from "./run-dialogue.js";

const options = { cwd: tmpdir(), env: process.env, maxChars: 10_000, opening: ["hello"] };

it.runIf(process.platform !== "win32")(
  "A4 an answer that came in time counts, also where we were held up until the time was over",
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "handoff-dialogue-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const said = path.join(folder, "said");
    const heard: string[] = [];
    const talking = runDialogue("sh", ["-c", 'read -r line; echo "$line back"; : > "$1"; cat', "sh", said], {
      ...options,
      timeoutMs: 50,
      onLine: (line) => {
        heard.push(line);
        return null;
      },
    });
    holdUp(200, () => existsSync(said));
    expect([await talking, heard]).toEqual(["done", ["hello back"]]);
  },
);

it.runIf(process.platform !== "win32")("A4 no answer is a time-out", async () => {
  const talking = runDialogue("sh", ["-c", "cat > /dev/null"], {
    ...options,
    timeoutMs: 300,
    onLine: () => [],
  });
  expect(await talking).toBe("timeout");
});
