// R14, R27, R28: one turn as a real process, in every way it can end.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandDriver } from "../agents/command/drive.js";
import type { AgentSignal, TurnRequest } from "../agents/driver.js";
import { readLiveness, readOwnIdentity } from "../io/process-identity.js";
import { runTurn, type TurnOptions } from "./run-turn.js";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "handoff-turn-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const request = (script: string, prompt = ""): TurnRequest => ({
  bin: process.execPath,
  args: ["-e", script],
  prompt,
  resume: null,
  newSession: "s-1",
  compact: "no_summary",
  writing: false,
});
/** For agents that heed nothing: each step is waited for in full. */
const PATIENCE = { interruptMs: 200, terminateMs: 200, drainMs: 200 };
/** For those that heed a signal: however long they take. */
const LONG_MS = 120_000;

async function turn(script: string, options: Partial<TurnOptions> = {}, prompt = "") {
  const signals: AgentSignal[] = [];
  const pids: number[] = [];
  const outcome = await runTurn(commandDriver, request(script, prompt), {
    cwd: folder,
    env: { PATH: process.env["PATH"] },
    onSignal: (signal) => signals.push(signal),
    onStarted: (pid) => pids.push(pid),
    patience: PATIENCE,
    ...options,
  });
  return { outcome, signals, pid: pids[0] ?? 0 };
}
async function isAlive(pid: number): Promise<boolean> {
  const own = await readOwnIdentity();
  return (await readLiveness({ ...own, pid, started: null }, own)) === "alive";
}
/** Told on stdout as soon as it is ready for signals. */
const READY = "console.log('ready'); setInterval(() => {}, 1000);";
/** Aborts when the agent says that it is ready. */
function whenReady(): Partial<TurnOptions> & { readonly stop: AbortSignal } {
  const controller = new AbortController();
  return {
    stop: controller.signal,
    onSignal: ({ kind }) => {
      if (kind === "text") controller.abort();
    },
  };
}

describe.concurrent("a turn", () => {
  test("R28 a prompt larger than any pipe and any argument reaches it, its words come back in order", async () => {
    const script =
      "let n = 0; process.stdin.on('data', (b) => (n += b.length)).on('end', () => console.log(n + '\\nbye'))";
    const { outcome, signals } = await turn(script, {}, "x".repeat(5_000_000));
    expect(outcome).toMatchObject({ cut: false, start_failed: null, exit: { code: 0, signal: null } });
    expect(signals.flatMap((one) => (one.kind === "text" ? [one.text] : []))).toEqual(["5000000", "bye"]);
    expect(outcome.result).toMatchObject({ outcome: "done", text: "5000000\nbye" });
  });

  test("an agent that does not read its prompt is judged by how it ends", async () => {
    const { outcome } = await turn(
      "process.stdin.destroy(); console.log('no need'); process.exit(0)",
      {},
      "x".repeat(5_000_000),
    );
    expect(outcome.result).toMatchObject({ outcome: "done", text: "no need" });
  });

  test("its last words come, however late: after the exit, without a newline", async () => {
    const { outcome } = await turn("process.stdout.write('y'.repeat(300000) + '\\nlast')");
    expect(outcome.result.text.endsWith("\nlast")).toBe(true);
  });

  test("R14 interrupted by SIGINT it may say goodbye", async () => {
    const { outcome } = await turn(
      `process.on('SIGINT', () => { console.log('bye'); process.exit(0); }); ${READY}`,
      { ...whenReady(), patience: { ...PATIENCE, interruptMs: LONG_MS } },
    );
    expect(outcome).toMatchObject({ cut: true, timed_out: false, exit: { code: 0 } });
    expect(outcome.result).toMatchObject({ outcome: "interrupted", text: "ready\nbye" });
  });

  test.each([
    ["SIGTERM", "process.on('SIGINT', () => {});", LONG_MS],
    ["SIGKILL", "process.on('SIGINT', () => {}); process.on('SIGTERM', () => {});", 200],
  ])("R27 one that does not heed it gets %s", async (signal, script, terminateMs) => {
    const patience = { ...PATIENCE, terminateMs };
    const { outcome, pid } = await turn(script + READY, { ...whenReady(), patience });
    expect(outcome).toMatchObject({ cut: true, exit: { code: null, signal } });
    expect(outcome.result.outcome).toBe("interrupted");
    expect(await isAlive(pid)).toBe(false);
  });

  test("R27 tools of an agent that had to be forced do not outlive it", async () => {
    const file = path.join(folder, "tool");
    const script = `
      const tool = require('child_process').spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
      require('fs').writeFileSync(${JSON.stringify(file)}, String(tool.pid));
      process.on('SIGINT', () => {}); ${READY}`;
    const patience = { ...PATIENCE, terminateMs: LONG_MS };
    const { outcome } = await turn(script, { ...whenReady(), patience });
    expect(outcome.exit.signal).toBe("SIGTERM");
    expect(await isAlive(Number(readFileSync(file, "utf8")))).toBe(false);
  });

  test.each([
    ["asked to end", { interruptMs: 200, terminateMs: 600_000 }, "stop", "SIGTERM"],
    ["killed", { interruptMs: 200, terminateMs: 200 }, "stop", "SIGKILL"],
    ["killed at once", { interruptMs: 600_000, terminateMs: 600_000 }, "kill", "SIGKILL"],
  ] as const)("R27 nor do those that went their own way, when it is %s", async (_, bounds, how, signal) => {
    const file = path.join(folder, `gone-${how}-${signal}`);
    // Its parent has ended and it leads a session of its own: below nobody, in no group of ours, and it heeds nothing.
    const tool = `trap '' INT TERM HUP; (sleep 600 & echo $! > ${file}; wait; sleep 600) > /dev/null 2>&1 &`;
    const script = `
      const { spawn } = require('child_process');
      const shell = spawn('/bin/sh', ['-c', ${JSON.stringify(tool)}], { detached: true, stdio: 'ignore' });
      process.on('SIGINT', () => {});
      ${how === "stop" && signal === "SIGKILL" ? "process.on('SIGTERM', () => {});" : ""}
      const there = () => require('fs').existsSync(${JSON.stringify(file)}) && shell.exitCode !== null;
      const wait = setInterval(() => { if (there()) { clearInterval(wait); console.log('ready'); } }, 10);
      setInterval(() => {}, 1000);`;
    const { stop, onSignal } = whenReady();
    const { outcome } = await turn(script, {
      ...(how === "stop" ? { stop } : { kill: stop }),
      ...(onSignal === undefined ? {} : { onSignal }),
      patience: { ...PATIENCE, ...bounds },
    });
    expect(outcome.exit.signal).toBe(signal);
    expect(await isAlive(Number(readFileSync(file, "utf8")))).toBe(false);
  });

  test("a tool that was left running is left, when the agent ends as it was asked to", async () => {
    const file = path.join(folder, "left");
    const script = `
      const tool = require('child_process').spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
      require('fs').writeFileSync(${JSON.stringify(file)}, String(tool.pid));
      process.on('SIGINT', () => process.exit(0)); ${READY}`;
    const patience = { ...PATIENCE, interruptMs: LONG_MS };
    const { outcome } = await turn(script, { ...whenReady(), patience });
    expect(outcome.exit).toEqual({ code: 0, signal: null });
    const tool = Number(readFileSync(file, "utf8"));
    expect(await isAlive(tool)).toBe(true);
    process.kill(tool, "SIGKILL");
  });

  test("R27 killed at once", async () => {
    const { stop, onSignal } = whenReady();
    const patience = { ...PATIENCE, interruptMs: 600_000 };
    const { outcome, pid } = await turn(`process.on('SIGINT', () => {}); ${READY}`, {
      kill: stop,
      patience,
      ...(onSignal === undefined ? {} : { onSignal }),
    });
    expect(outcome.exit.signal).toBe("SIGKILL");
    expect(await isAlive(pid)).toBe(false);
  });

  test("R18 out of time it is interrupted, and says so", async () => {
    const { outcome } = await turn(READY, { timeoutMs: 300 });
    expect(outcome).toMatchObject({ cut: true, timed_out: true });
  });

  test("stopped before it began it ends as well", async () => {
    const { outcome } = await turn(READY, { stop: AbortSignal.abort() });
    expect(outcome).toMatchObject({ cut: true, result: { outcome: "interrupted" } });
  });

  test("a fault of the one who listens is his, and the process is gone", async () => {
    const pids: number[] = [];
    const failing = turn(READY, {
      onStarted: (pid) => pids.push(pid),
      onSignal: ({ kind }) => {
        if (kind === "text") throw new Error("mine");
      },
    });
    await expect(failing).rejects.toThrow("mine");
    expect(await isAlive(pids[0] ?? 0)).toBe(false);
  });

  test.each([
    ["/nonexistent/program", "ENOENT", "no such program"],
    [tmpdir(), "EACCES", "EACCES"],
    ["a\0b", "ERR_INVALID_ARG_VALUE", "ERR_INVALID_ARG_VALUE"],
  ])("a program that cannot be started (%j)", async (bin, code, said) => {
    const outcome = await runTurn(
      commandDriver,
      { ...request(""), bin },
      { cwd: folder, env: {}, onSignal: () => undefined },
    );
    expect(outcome).toMatchObject({ start_failed: code, result: { outcome: "failed" } });
    expect(outcome.result.error?.text).toContain(said);
  });
});
