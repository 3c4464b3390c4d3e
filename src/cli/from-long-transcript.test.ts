import { spawn } from "node:child_process";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { plainEnvironment } from "./testing/built-cli.js";
import { useCli } from "./testing/use-cli.js";

const SESSION = "11111111-2222-4333-8444-555555555555";
const { cli, folder } = useCli();

/** A transcript of about `megabytes`, with `count` commands, a row of 10 MB and one that is too long. */
function writeTranscript(file: string, cwd: string, megabytes: number, count: number): void {
  const filling = "x".repeat(Math.floor((megabytes * 1e6) / count) - 1500);
  const long = (length: number) => ({ type: "attachment", text: "z".repeat(length) });
  writeFileSync(file, "");
  for (let i = 0; i < count; i += 1) {
    const id = `toolu_${i}`;
    const row = { sessionId: SESSION, cwd, timestamp: new Date(1_795_982_000_000 + i * 1000).toISOString() };
    const use = { type: "tool_use", id, name: "Bash", input: { command: `npm test ${i % 50}` } };
    const content = `Exit code 2\nbad ${"y".repeat(1000)}`;
    const result = { type: "tool_result", tool_use_id: id, content, is_error: true };
    const rows = [
      { type: "assistant", ...row, message: { id: `msg_${i}`, content: [use] } },
      { type: "file-history-snapshot", snapshot: filling },
      { type: "user", ...row, message: { content: [result] } },
      ...(i === 1 ? [long(10_000_000), long(20_000_000)] : []),
    ];
    appendFileSync(file, rows.map((one) => `${JSON.stringify(one)}\n`).join(""));
  }
}

const TELL_PEAK = `process.on("exit", () => process.stderr.write("\\nPEAK " + process.resourceUsage().maxRSS + "\\n"))`;

/** Runs the built command line and measures the most memory it ever held, in MB. */
function measure(
  cwd: string,
  args: readonly string[],
): Promise<{ code: number | null; stderr: string; peak: number }> {
  return new Promise((resolve, reject) => {
    const hook = `data:text/javascript,${encodeURIComponent(TELL_PEAK)}`;
    const child = spawn(process.execPath, ["--import", hook, cli().main, ...args], {
      cwd,
      env: plainEnvironment(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", (code) => {
      const peak = Number(/PEAK (\d+)/u.exec(stderr)?.[1] ?? Number.NaN) / 1024;
      resolve({ code, stderr, peak });
    });
  });
}

it("A12 a transcript of 100 MB takes hardly more memory than one of 1 MB", async () => {
  const root = folder();
  const file = path.join(folder(), "t.jsonl");
  const peaks: number[] = [];
  for (const [megabytes, count] of [
    [1, 100],
    [100, 2000],
  ] as const) {
    rmSync(path.join(root, ".handoff"), { recursive: true, force: true });
    writeTranscript(file, root, megabytes, count);
    const { code, stderr, peak } = await measure(root, ["generate", "--from-transcript", file]);
    expect([code, stderr.split("\n")[0]]).toEqual([
      0,
      `handoff: transcript.skipped_lines: 1 line of the transcript could not be read (1 too long); the others were (${file})`,
    ]);
    const log = readFileSync(path.join(root, `.handoff/sessions/${SESSION}/feedback.jsonl`), "utf8");
    expect(log.split("\n")).toHaveLength(count + 1);
    peaks.push(peak);
  }
  const [small = 0, large = Number.NaN] = peaks;
  expect(large).toBeLessThan(small + 64);
  expect(large).toBeLessThan(320);
});
