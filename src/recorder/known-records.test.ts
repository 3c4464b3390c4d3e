import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { fillExit, readKnownRecords, type RecordPlace } from "./known-records.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "handoff-known-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const logOf = (name = "feedback.jsonl"): string => path.join(folder, name);
const write = (records: readonly unknown[], end = "\n"): void =>
  writeFileSync(logOf(), records.map((one) => JSON.stringify(one)).join("\n") + end);
const open = (id: string, more: object = {}) => ({
  command: "make",
  exit_code: null,
  ...more,
  command_id: id,
});
const ended = { exit_code: 7, error: null, duration_ms: 12 };

function placeOf(id: string): RecordPlace {
  const place = readKnownRecords(folder).commands.get(id);
  if (place === null || place === undefined) throw new Error(`no place of ${id}`);
  return place;
}

describe("known records", () => {
  it("A12 knows the ids of a log and its rotated parts, and which lack an exit; the first record of an id stands", () => {
    write([{ command: "a", exit_code: 0, command_id: "1" }, open("2"), open("1"), { command: "no id" }]);
    writeFileSync(logOf("feedback.jsonl.1"), `${JSON.stringify(open("3"))}\n`);
    writeFileSync(logOf("touched_files.jsonl"), '{"path":"a","command_id":"4"}\ntorn');
    const { commands, edits } = readKnownRecords(folder);
    expect([...commands].map(([id, place]) => [id, place?.offset ?? null])).toEqual([
      ["1", null],
      ["2", 47],
      ["3", 0],
    ]);
    expect([...edits]).toEqual(["4"]);
  });

  it("A12 knows nothing where there is no file, or one that is none of ours", () => {
    expect(readKnownRecords(path.join(folder, "no")).commands.size).toBe(0);
    writeFileSync(logOf("elsewhere"), `${JSON.stringify(open("1"))}\n`);
    symlinkSync(logOf("elsewhere"), logOf());
    expect(readKnownRecords(folder).commands.size).toBe(0);
  });

  it("A12 reads lines of any length across its blocks, and leaves the longest out", () => {
    const filling = (size: number) => ({ stdout_tail: "x".repeat(size) });
    write(
      [open("1", filling(900_000)), open("2", filling(600_000)), open("3", filling(1_200_000)), open("4")],
      "",
    );
    const { commands } = readKnownRecords(folder);
    expect([...commands.keys()]).toEqual(["1", "2", "4"]);
    expect(fillExit(placeOf("2"), ended)).toBe(true);
    const lines = readFileSync(logOf(), "utf8").split("\n");
    expect(lines.map((line) => JSON.parse(line)["exit_code"])).toEqual([null, 7, null, null]);
  });

  it.each([
    [
      "the error that stood there makes room",
      open("1", { error: "how it ended is not known" }),
      ended,
      { duration_ms: 12 },
    ],
    [
      "a duration that is there stays",
      open("1", { duration_ms: 5, error: "not known" }),
      ended,
      { duration_ms: 5 },
    ],
    [
      "what the exit means is kept when it fits",
      open("1", { error: "how it ended is not known" }),
      { ...ended, error: "Files differ" },
      { error: "Files differ" },
    ],
    [
      "a long number needs room",
      open("1", { error: "not known" }),
      { ...ended, exit_code: 3_221_225_786 },
      {},
    ],
    [
      "the note goes before the exit does",
      open("1", { agent_note: "why" }),
      { ...ended, exit_code: -1_073_741_510 },
      {},
    ],
  ])("A12 an exit is filled in without moving a byte: %s", (_, record, end, more) => {
    write([open("0"), record, open("9")]);
    const before = readFileSync(logOf());
    expect(fillExit(placeOf("1"), end)).toBe(true);
    const after = readFileSync(logOf());
    const lines = after.toString().split("\n");
    expect(JSON.parse(lines[1] ?? "")).toMatchObject({
      command: "make",
      command_id: "1",
      exit_code: end.exit_code,
      ...more,
    });
    expect([after.length, lines[0], lines[2]]).toEqual([
      before.length,
      JSON.stringify(open("0")),
      JSON.stringify(open("9")),
    ]);
  });

  it("A12 a record with no room for its exit stays as it is", () => {
    write([open("1")]);
    const before = readFileSync(logOf());
    expect(fillExit(placeOf("1"), { ...ended, exit_code: 3_221_225_786 })).toBe(false);
    expect(readFileSync(logOf()).equals(before)).toBe(true);
  });

  it("A12 a file that is another one by now is left alone", () => {
    write([open("1", { error: "not known" })]);
    const place = placeOf("1");
    write([open("2", { error: "not known" })]);
    const before = readFileSync(logOf());
    expect(fillExit(place, ended)).toBe(false);
    expect(readFileSync(logOf()).equals(before)).toBe(true);
  });
});
