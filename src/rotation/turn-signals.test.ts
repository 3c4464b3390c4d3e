// R5, R29: output and side file of a turn as one stream of signals; the file here is really written while it is read.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CommandFact } from "../agents/agent.js";
import type { AgentDriver, AgentSignal, TurnRequest } from "../agents/driver.js";
import { readSignals } from "./turn-signals.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "handoff-side-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const command = (name: string): AgentSignal => ({
  kind: "command",
  command: { command: name, exit_code: 0, command_id: name } as CommandFact,
});
/** Every line is a command of that name, `session` the session. */
const speak = (line: string): readonly AgentSignal[] =>
  line === "session" ? [{ kind: "session", session_id: "s-1", model: null }] : [command(line)];

function driverOf(find: () => string | null): AgentDriver {
  return {
    name: "spoken",
    title: "Spoken",
    bin: "",
    obeysCompact: false,
    compactsAt: null,
    isUnknownSession: () => false,
    turn: () => ({ command: "", args: [], env: {}, input: "" }),
    createReader: () => ({ stdout: speak, stderr: () => [], end: () => [] }),
    sideFile: { find: async () => find(), createReader: () => ({ stdout: speak }) },
  };
}
const REQUEST: TurnRequest = {
  bin: null,
  args: [],
  prompt: "",
  resume: null,
  newSession: "s-1",
  compact: "auto",
  writing: false,
};

function listen(driver: AgentDriver, request: TurnRequest = REQUEST) {
  const told: string[] = [];
  const signals = readSignals(driver, request, {
    env: {},
    onSignal: (signal) => told.push(signal.kind === "command" ? String(signal.command.command) : signal.kind),
  });
  const say = (...lines: string[]): void =>
    signals.stdout(Buffer.from(lines.map((line) => `${line}\n`).join("")));
  const end = (): Promise<void> => signals.end({ code: 0, signal: null, cut: false });
  return { told, say, end };
}
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(5);
}

describe("commands come from one of the two", () => {
  test("from the file where there is one, though the output told of them first", async () => {
    const file = path.join(folder, "side");
    const { told, say, end } = listen(driverOf(() => file));
    say("session", "out-1");
    writeFileSync(file, "side-1\n");
    await until(() => told.includes("side-1"));
    say("out-2");
    appendFileSync(file, "side-2\nside-3");
    await end();
    expect(told).toEqual(["session", "side-1", "side-2", "side-3"]);
  });

  test("from the output where there is none", async () => {
    const { told, say, end } = listen(driverOf(() => null));
    say("session", "out-1", "out-2");
    expect(told).toEqual(["session"]);
    await end();
    expect(told).toEqual(["session", "out-1", "out-2"]);
  });

  test("from the output when the file is too late: it is not waited for with more than some", async () => {
    let file: string | null = null;
    const { told, say, end } = listen(driverOf(() => file));
    const many = Array.from({ length: 250 }, (_, at) => `out-${at}`);
    say("session", ...many);
    expect(told).toEqual(["session", ...many]);
    file = path.join(folder, "side");
    writeFileSync(file, "side-1\nsession\n");
    await end();
    // Its other words count.
    expect(told).toEqual(["session", ...many, "session"]);
  });

  test("of a session that goes on, what was in the file before is not told again", async () => {
    const file = path.join(folder, "side");
    writeFileSync(file, "old-1\nold-2\n");
    const { told, end } = listen(
      driverOf(() => file),
      { ...REQUEST, resume: "s-1" },
    );
    await delay(50);
    appendFileSync(file, "new-1\n");
    await until(() => told.length > 0);
    await end();
    expect(told).toEqual(["new-1"]);
  });
});
