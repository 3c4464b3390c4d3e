// R25: events go to a file or a pipe, whatever its reader does, and the end of a run waits for nobody for long.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunEventLine } from "../../model/run-events.js";
import { openEventSink } from "./event-sink.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "handoff-events-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const EVENT: RunEventLine = {
  event: "run_started",
  run_id: "run-3f2a91c04d7e",
  generation: 1,
  session_id: null,
  agent: "command",
  at: "2026-11-29T10:00:00.000Z",
  task: "x".repeat(1000),
};
/** Far more than any pipe holds. */
const MANY = 300;
const LINE = `${JSON.stringify(EVENT)}\n`;

function stage() {
  const faults: string[] = [];
  const terminal = { content: (): void => undefined, cwd: folder };
  return {
    faults,
    open: (target: string, lastMs?: number) =>
      openEventSink(target, terminal, (what) => void faults.push(what), lastMs),
  };
}
function pipe(): string {
  execFileSync("mkfifo", [path.join(folder, "pipe")]);
  return "pipe";
}
/** A process that has the pipe open, as its own text says. */
async function reader(script: string) {
  const child = spawn("/bin/sh", ["-c", `exec < pipe; echo open; ${script}`], {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let said = "";
  const ended = new Promise<string>((resolve) => child.on("close", () => resolve(said)));
  return {
    child,
    ended,
    /** Its end of the pipe waits for ours, so ours is opened meanwhile. */
    isOpen: new Promise<void>((resolve) =>
      child.stdout.setEncoding("utf8").on("data", (piece: string) => {
        said += piece;
        if (said.startsWith("open\n")) resolve();
      }),
    ),
  };
}
async function openWithReader(open: ReturnType<typeof stage>["open"], lastMs?: number) {
  // Until the reader has opened its end there is nobody.
  for (;;)
    try {
      return await open("pipe", lastMs);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
}

describe("R25 a file", () => {
  test("is added to, line by line, in order", async () => {
    const { open, faults } = stage();
    for (const attempt of [1, 2]) {
      const sink = await open("events.jsonl");
      for (let n = 0; n < MANY; n += 1) sink.write({ ...EVENT, generation: attempt * 1000 + n });
      await sink.close();
    }
    const told = readFileSync(path.join(folder, "events.jsonl"), "utf8").trimEnd().split("\n");
    expect(told.map((line) => (JSON.parse(line) as RunEventLine).generation)).toEqual(
      [1, 2].flatMap((attempt) => Array.from({ length: MANY }, (_, n) => attempt * 1000 + n)),
    );
    expect(faults).toEqual([]);
  });

  test("that is full is told once, and stops nothing", async () => {
    const { open, faults } = stage();
    const sink = await open("/dev/full");
    for (let n = 0; n < 3; n += 1) sink.write(EVENT);
    await sink.close();
    expect(faults).toEqual(["events are lost from here on: ENOSPC (/dev/full)"]);
  });

  test("that cannot be opened is refused", async () => {
    await expect(stage().open("nowhere/events")).rejects.toMatchObject({
      code: "run.events",
      message: "--events cannot be written: ENOENT",
    });
  });
});

describe("R25 a pipe", () => {
  test("that nobody reads is refused, and not waited for", async () => {
    await expect(stage().open(pipe())).rejects.toMatchObject({
      code: "run.events",
      message: "--events cannot be written: nobody reads this pipe",
    });
  });

  test("whose reader is slow gets every line whole", async () => {
    pipe();
    const { open, faults } = stage();
    const { ended, isOpen } = await reader("sleep 0.3; cat");
    const sink = await openWithReader(open, 60_000);
    await isOpen;
    for (let n = 0; n < MANY; n += 1) sink.write(EVENT);
    await sink.close();
    expect(await ended).toBe(`open\n${LINE.repeat(MANY)}`);
    expect(faults).toEqual([]);
  });

  test("whose reader takes nothing holds up no end", async () => {
    pipe();
    const { open, faults } = stage();
    const { child, ended, isOpen } = await reader("exec sleep 600");
    try {
      const sink = await openWithReader(open, 100);
      await isOpen;
      for (let n = 0; n < MANY; n += 1) sink.write(EVENT);
      await sink.close();
      expect(faults).toEqual(["events are lost from here on: nobody reads them (pipe)"]);
    } finally {
      child.kill("SIGKILL");
      await ended;
    }
  });

  test("whose reader goes away is told once", async () => {
    pipe();
    const { open, faults } = stage();
    const { ended, isOpen } = await reader("exit 0");
    const sink = await openWithReader(open);
    await isOpen;
    await ended;
    for (let n = 0; n < 3; n += 1) sink.write(EVENT);
    await sink.close();
    expect(faults).toEqual(["events are lost from here on: EPIPE (pipe)"]);
  });
});
