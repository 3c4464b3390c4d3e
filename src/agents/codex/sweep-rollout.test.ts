// What a stretch of a rollout tells (A12), however a session is cut into stretches: a real session whose commands outlived their calls.
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { sweepRollout } from "./sweep-rollout.js";

const FOLDER = path.join(import.meta.dirname, "../../../fixtures/transcripts/codex");
const home = mkdtempSync(path.join(tmpdir(), "handoff-rollout-"));
afterAll(() => rmSync(home, { recursive: true }));

/** The rows of a fixture's rollout, each with its newline. */
function rowsOf(name: string): string[] {
  const [file = ""] = readdirSync(path.join(FOLDER, name));
  return readFileSync(path.join(FOLDER, name, file), "utf8").split(/(?<=\n)/u);
}

let files = 0;
/** What sweeps after each of these numbers of rows give together. */
function sweepAfter(rows: readonly string[], ends: readonly number[]) {
  const file = path.join(home, `rollout-${(files += 1)}.jsonl`);
  writeFileSync(file, "");
  let from = 0;
  let done = 0;
  return ends.flatMap((end) => {
    appendFileSync(file, rows.slice(done, end).join(""));
    done = end;
    const { commands, next } = sweepRollout(file, from);
    from = next;
    return commands;
  });
}

describe("A12 a command that outlived its call and was stopped with its session", () => {
  const rows = rowsOf("outlived-its-call");
  const stopped = rows.filter((row) => row.includes('"exit_code":-1') && !row.includes("kill -9"));
  const turnEnd = rows.findIndex((row) => row.includes('"task_complete"')) + 1;

  test("A12 is in the fixture, behind the end of its turn", () => {
    expect(stopped.length).toBeGreaterThan(0);
    expect(turnEnd).toBeGreaterThan(0);
    expect(rows.slice(turnEnd).join("")).toContain('"exit_code":-1');
  });

  test("A12 is no record, wherever a sweep ended before", () => {
    const whole = sweepAfter(rows, [rows.length]);
    expect(whole.map(({ command }) => command)).not.toContain("echo forever; sleep 300");
    for (let end = 1; end < rows.length; end += 1) {
      const commands = sweepAfter(rows, [end, rows.length]);
      expect(commands.map(({ command }) => command)).not.toContain("echo forever; sleep 300");
      expect(commands.map(({ command_id }) => command_id)).toEqual(
        expect.arrayContaining(whole.map(({ command_id }) => command_id)),
      );
    }
    expect(sweepAfter(rows, [turnEnd, rows.length])).toEqual(whole);
  });
});

describe("A12 a command that a person stopped", () => {
  const rows = rowsOf("interrupted-and-resumed");
  test("A12 is a record without an exit status, though its turn's end was swept before it was told", () => {
    const items = rows.flatMap((row, i) =>
      row.includes('"CommandExecution"') && row.includes('"exit_code":-1') ? [i] : [],
    );
    expect(items.length).toBeGreaterThan(0);
    for (const item of items) {
      const commands = sweepAfter(rows, [item, rows.length]);
      const id = /"id":"(call_\w+)"/u.exec(rows[item] ?? "")?.[1];
      expect(commands.find(({ command_id }) => command_id === id)).toMatchObject({ exit_code: null });
    }
  });
});
