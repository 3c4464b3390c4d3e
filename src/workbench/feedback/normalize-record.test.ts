import { describe, expect, it } from "vitest";
import { normalizeRecord, parseLine, readGist, TEXT_LIMIT } from "./normalize-record.js";

const place = { path: "feedback.jsonl", line: 3 };
const parse = (text: string) => {
  const fields = parseLine(text);
  if (typeof fields === "string") throw new Error(fields);
  return fields;
};

describe("normalizeRecord", () => {
  it("P3 keeps every known field of a recorder's line", () => {
    const line =
      '{"command_id": "4481541fedcc", "parent_command_id": null, "command": ["python3", "-c", "print(\'hello\')"], "stdout_tail": "hello\\n", "stderr_tail": "", "exit_code": 0, "duration_ms": 64, "started_at": 1795958712.6457093, "agent_note": "expect hello", "error": null, "session_id": "s-1", "agent": "codex", "cwd": "/tmp", "truncations": {"stdout": 0}, "redactions": {"stdout": 0}}';
    expect(normalizeRecord(parse(line), place)).toEqual({
      command: "python3 -c 'print('\\''hello'\\'')'",
      key: "python3 -c 'print('\\''hello'\\'')'",
      exit_code: 0,
      at: 1795958712646,
      duration_ms: 64,
      note: "expect hello",
      error: null,
      stdout_tail: "hello\n",
      stderr_tail: "",
      command_id: "4481541fedcc",
      session_id: "s-1",
      agent: "codex",
      source: place,
    });
  });

  it.each([
    ['"pytest -q"', "pytest -q"],
    ['["pytest","-q"]', "pytest -q"],
    ['["sleep",5]', "sleep 5"],
    ['["sleep",5.0]', "sleep 5"],
    ['"  make  all "', "make all"],
    ['["","x"]', "'' x"],
    ['"a && b"', "a && b"],
  ])("P3 takes command %s", (command, key) => {
    expect(readGist(parse(`{"command":${command}}`))).toEqual({
      key,
      exit_code: null,
      at: null,
      command_id: null,
    });
  });

  it.each([
    "null",
    "7",
    "true",
    '""',
    '"  "',
    "[]",
    '[""]',
    '[" ", ""]',
    "[null]",
    '["x",true]',
    '[["x"]]',
    "{}",
  ])("P3 finds no command in %s", (command) => {
    expect(readGist(parse(`{"command":${command},"exit_code":1}`))).toBeNull();
    expect(normalizeRecord(parse(`{"command":${command}}`), place)).toBeNull();
  });

  it.each([
    ['"exit_code":3', 3],
    ['"exitCode":3', 3],
    ['"exit":3', 3],
    ['"exit":3,"exit_code":0', 0],
    ['"exit_code":null,"exit":0', null],
    ['"exit_code":"1"', 1],
    ['"exit_code":" -1 "', -1],
    ['"exit_code":0.0', 0],
    ['"exit_code":-0', 0],
    ['"exit_code":0.5', null],
    ['"exit_code":true', null],
    ['"exit_code":false', null],
    ['"exit_code":""', null],
    ['"exit_code":"0x1"', null],
    ['"exit_code":1e400', null],
    ['"exit_code":[0]', null],
    ['"meta":{"exit_code":0}', null],
    ['"__proto__":{"exit_code":0}', null],
    ['"\\u0065xit_code":0', 0],
    ['"exit_code":1,"exit_code":0', 0],
  ])("P3 reads the exit of {%s}", (fields, exit) => {
    const gist = readGist(parse(`{"command":"x",${fields}}`));
    expect(gist?.exit_code).toBe(exit);
    // toBe tells -0 from 0.
    expect(normalizeRecord(parse(`{"command":"x",${fields}}`), place)?.exit_code).toBe(exit);
  });

  it("P3 takes the first time that is there, and note, ids and texts of the right kind only", () => {
    const record = normalizeRecord(
      parse(
        '{"command":"x","ts":"2026-11-29T12:00:00Z","timestamp":5,"note":"n","command_id":12,"session_id":"","stdout_tail":["a"],"stderr_tail":7,"error":{"m":1},"duration_ms":-1}',
      ),
      place,
    );
    expect(record).toMatchObject({
      at: Date.UTC(2026, 10, 29, 12),
      note: "n",
      command_id: "12",
      session_id: null,
      stdout_tail: "",
      stderr_tail: "",
      error: null,
      duration_ms: null,
    });
    expect(normalizeRecord(parse('{"command":"x","agent_note":"a","note":"n"}'), place)?.note).toBe("a");
  });

  it("P18 keeps the end of long texts, and bounds the command and its key", () => {
    const long = `start ${"x".repeat(TEXT_LIMIT * 2)} end`;
    const record = normalizeRecord(
      { command: long, stdout_tail: long, stderr_tail: long, note: long },
      place,
    );
    for (const text of [record?.stdout_tail, record?.stderr_tail, record?.note]) {
      expect(text).toHaveLength(TEXT_LIMIT);
      expect(text?.endsWith("x end")).toBe(true);
    }
    expect(record?.command).toHaveLength(TEXT_LIMIT);
    expect(record?.key.length).toBeLessThan(10_000);
    // Still one key a command.
    expect(readGist({ command: long })?.key).toBe(record?.key);
    expect(readGist({ command: `${long}!` })?.key).not.toBe(record?.key);
  });

  it("P3 does not mix up an argv and a string that looks like one", () => {
    expect(readGist({ command: ["pytest", "-q"] })?.key).toBe("pytest -q");
    expect(readGist({ command: '["pytest","-q"]' })?.key).toBe('["pytest","-q"]');
  });
});

describe("parseLine", () => {
  it.each([
    ["{", "not valid JSON"],
    ['{"a":1}{"b":2}', "not valid JSON"],
    ['{"a":"\u0000"}', "contains NUL"],
    ["[1]", "not an object"],
    ["null", "not an object"],
    ['"x"', "not an object"],
  ])("P8 refuses %j: %s", (line, reason) => {
    expect(parseLine(line)).toBe(reason);
  });
});
