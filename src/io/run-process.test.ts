import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runProcess, type RunProcessOptions } from "./run-process.js";

const base: RunProcessOptions = { cwd: tmpdir(), timeoutMs: 30_000, maxBytes: 1_000_000 };
const node = (script: string, args: string[] = [], options: Partial<RunProcessOptions> = {}) =>
  runProcess(process.execPath, ["-e", script, ...args], { ...base, ...options });
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("runProcess", () => {
  it("P9 gives arguments to the child as they are: no shell reads them", async () => {
    const args = ["$(id)", "a b", "*", ";exit 3", "`id`", "\n", "'\"", "%PATH%", "日本"];
    const result = await node("process.stdout.write(JSON.stringify(process.argv.slice(1)))", args);
    expect([result.status, result.exitCode, JSON.parse(result.stdout.toString("utf8"))]).toEqual([
      "ok",
      0,
      args,
    ]);
  });

  it("P9 a nonzero exit and a signal are results, with what the child said", async () => {
    const exit = await node("process.stdout.write('out'); process.stderr.write('err'); process.exitCode = 7");
    expect(exit).toEqual({
      status: "exit",
      exitCode: 7,
      signal: null,
      stdout: Buffer.from("out"),
      stderr: "err",
      reason: null,
    });
    const killed = await node("process.kill(process.pid, 'SIGKILL')");
    expect([killed.status, killed.exitCode, killed.signal]).toEqual(["exit", null, "SIGKILL"]);
  });

  it("P9 bytes come through unchanged, input goes in whole", async () => {
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, i) => i % 256));
    const result = await node("process.stdin.pipe(process.stdout)", [], { input: bytes });
    expect([result.status, result.stdout.equals(bytes)]).toEqual(["ok", true]);
    const empty = await node("process.stdin.on('end', () => process.stdout.write('end')).resume()");
    expect(empty.stdout.toString("utf8")).toBe("end");
  });

  it("P9 a child that never reads its input is judged by its exit", async () => {
    const result = await node("process.exit(0)", [], { input: Buffer.alloc(4_000_000) });
    expect(result.status).toBe("ok");
  });

  it("P9 past the time limit the child is stopped, also one that ignores SIGTERM; what it wrote is kept", async () => {
    const script =
      "process.on('SIGTERM', () => {}); process.stdout.write(String(process.pid)); setInterval(() => {}, 1000)";
    const result = await node(script, [], { timeoutMs: 8000 });
    expect([result.status, result.exitCode, result.signal]).toEqual(["timeout", null, "SIGKILL"]);
    const pid = Number(result.stdout.toString("utf8"));
    expect(pid).toBeGreaterThan(0);
    expect(isAlive(pid)).toBe(false);
  });

  it("P9 a grandchild that keeps the pipes open does not keep us", async () => {
    const script = `const c = require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600000)'], { stdio: 'inherit' });
      process.stdout.write(String(c.pid)); c.unref(); process.exitCode = 4`;
    const result = await node(script, [], { timeoutMs: 8000 });
    const grandchild = Number(result.stdout.toString("utf8"));
    onTestFinished(() => void process.kill(grandchild, "SIGKILL"));
    expect([result.status, result.exitCode]).toEqual(["exit", 4]);
    expect(isAlive(grandchild)).toBe(true);
  });

  it("P9 output past the limit stops the child; the kept part is exactly the limit", async () => {
    const script = "const b = 'x'.repeat(65536); const w = () => process.stdout.write(b, w); w()";
    const result = await node(script, [], { maxBytes: 100_000 });
    expect([result.status, result.stdout.length]).toEqual(["too_large", 100_000]);
    const exact = await node("process.stdout.write('x'.repeat(1000))", [], { maxBytes: 1000 });
    expect([exact.status, exact.stdout.length]).toEqual(["ok", 1000]);
  });

  it("P9 stderr keeps its end, bounded", async () => {
    const result = await node("process.stderr.write('x'.repeat(300000) + 'the reason')");
    expect(result.stderr.length).toBe(65_536);
    expect(result.stderr.endsWith("the reason")).toBe(true);
  });

  it("P9 a missing program, a missing folder, a file that cannot be run and an impossible argument are told apart", async () => {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "handoff-run-")));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const plain = path.join(folder, "plain");
    writeFileSync(plain, "not a program", { mode: 0o644 });
    expect((await runProcess("no-such-program-here", [], base)).status).toBe("missing");
    expect(await node("", [], { cwd: path.join(folder, "gone") })).toMatchObject({
      status: "failed",
      reason: "no such folder to run in",
    });
    expect(await runProcess(plain, [], base)).toMatchObject({ status: "failed", reason: "EACCES" });
    expect(await node("", ["a\0b"])).toMatchObject({ status: "failed", reason: "ERR_INVALID_ARG_VALUE" });
    expect(await node("", ["x".repeat(4_000_000)])).toMatchObject({ status: "failed", reason: "E2BIG" });
  });

  it("P9 the child sees the given environment and nothing else", async () => {
    const result = await node(
      "process.stdout.write(JSON.stringify([process.env.A, process.env.HOME ?? null]))",
      [],
      { env: { A: "1" } },
    );
    expect(result.stdout.toString("utf8")).toBe('["1",null]');
  });
});
