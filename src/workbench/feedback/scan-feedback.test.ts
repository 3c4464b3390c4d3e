import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FailureGroup } from "../../model/feedback.js";
import { scanFeedback } from "./scan-feedback.js";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "handoff-feedback-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (path: string) => ({ absolute: join(folder, path), path });
const line = (command: unknown, exit_code: unknown, more: object = {}): string =>
  JSON.stringify({ command, exit_code, ...more });
const only = (groups: readonly FailureGroup[]): FailureGroup => {
  expect(groups).toHaveLength(1);
  return groups[0]!;
};

describe.each(["plain", "kernel"] as const)("scanFeedback with the %s reader", (reader) => {
  const scanFiles = (paths: readonly string[], more: { watch?: string[]; maxGroups?: number } = {}) =>
    scanFeedback(paths.map(file), { watch: [], cacheDir: null, rescan: false, ...more }, { reader });
  const scan = async (bytes: string | Buffer, more: { watch?: string[]; maxGroups?: number } = {}) => {
    writeFileSync(join(folder, "log.jsonl"), bytes);
    return scanFiles(["log.jsonl"], more);
  };

  it("P8 skips bad lines, reports each with its number, keeps every other", async () => {
    const good = line("make", 0);
    const log = [
      good,
      '{"command":"ma',
      good + good,
      `{"command":"a\u0000b","exit_code":0}`,
      "[1]",
      "7",
      "",
      " \t",
      '{"exit_code":1}',
      good,
    ];
    const { scan: said, diagnostics } = await scan(`${log.join("\n")}\n`);
    expect(said.total).toBe(2);
    expect(said.skipped_lines).toBe(6);
    expect(said.tail.map(({ source }) => source.line)).toEqual([1, 10]);
    expect(diagnostics.map(({ code, source, args }) => [code, source?.line, args["reason"]])).toEqual([
      ["feedback.skipped_line", 2, "not valid JSON"],
      ["feedback.skipped_line", 3, "not valid JSON"],
      ["feedback.skipped_line", 4, "contains NUL"],
      ["feedback.skipped_line", 5, "not an object"],
      ["feedback.skipped_line", 6, "not an object"],
      ["feedback.skipped_line", 9, "no command"],
    ]);
  });

  it("P8 reports twenty skipped lines of a file, then their number", async () => {
    writeFileSync(join(folder, "a.jsonl"), "x\n".repeat(25));
    writeFileSync(join(folder, "b.jsonl"), "y\n".repeat(3));
    const { scan: said, diagnostics } = await scanFiles(["a.jsonl", "b.jsonl"]);
    expect(said.skipped_lines).toBe(28);
    expect(diagnostics).toHaveLength(24);
    expect(diagnostics[20]).toEqual({
      code: "feedback.skipped_lines",
      severity: "warn",
      artifact: "feedback",
      source: { path: "a.jsonl" },
      args: { count: 5 },
    });
  });

  it("P7 P8 takes a byte order mark, CRLF, blank lines and a last line without newline; lines keep their numbers", async () => {
    const { scan: said, diagnostics } = await scan(
      `\ufeff${line("a", 1)}\r\n\r\n\n  \n${line("b", 2)}\r\n${line("c", 3)}`,
    );
    expect(diagnostics).toEqual([]);
    expect(said.failures.map(({ key, lines }) => [key, lines[0]?.ranges])).toEqual([
      ["a", [[1, 1]]],
      ["b", [[5, 5]]],
      ["c", [[6, 6]]],
    ]);
  });

  it("P8 does not count a last line that is half written", async () => {
    const { scan: said } = await scan(`${line("a", 0)}\n${line("b", 1).slice(0, -3)}`);
    expect([said.total, said.nonzero, said.skipped_lines]).toEqual([1, 0, 1]);
  });

  it("P7 replaces invalid UTF-8 and says so once a file", async () => {
    const bad = Buffer.from(`${line("a?", 1, { stderr_tail: "x?y" })}\n`.replaceAll("?", "\u00ff"), "latin1");
    const { scan: said, diagnostics } = await scan(Buffer.concat([bad, bad]));
    expect(only(said.failures).last).toMatchObject({ command: "a\ufffd", stderr_tail: "x\ufffdy" });
    expect(diagnostics.map(({ code }) => code)).toEqual(["feedback.encoding"]);
  });

  it("P8 skips a line over 16 MiB without loading it, and keeps one just below", async () => {
    const path = join(folder, "log.jsonl");
    writeFileSync(path, `${line("before", 0)}\n{"command":"huge","stdout_tail":"`);
    const mebibyte = "x".repeat(1024 * 1024);
    for (let i = 0; i < 17; i += 1) appendFileSync(path, mebibyte);
    appendFileSync(path, `"}\n${line("after", 1)}\n{"command":"large","exit_code":4,"stdout_tail":"`);
    for (let i = 0; i < 15; i += 1) appendFileSync(path, mebibyte);
    appendFileSync(path, `the end"}\n${line("last", 0)}\n`);
    const { scan: said, diagnostics } = await scanFiles(["log.jsonl"]);
    expect(diagnostics.map(({ code, source, args }) => [code, source?.line, args["reason"]])).toEqual([
      ["feedback.skipped_line", 2, "longer than 16 MiB"],
    ]);
    expect(said.tail.map(({ key, source }) => [key, source.line])).toEqual([
      ["before", 1],
      ["after", 3],
      ["large", 4],
      ["last", 5],
    ]);
    expect(said.failures[1]?.last.stdout_tail.endsWith("the end")).toBe(true);
  });

  it("P8 turns files that are gone, forbidden or no files into diagnostics, and does not wait for a FIFO", async () => {
    writeFileSync(join(folder, "good.jsonl"), `${line("a", 0)}\n`);
    mkdirSync(join(folder, "dir.jsonl"), { recursive: true });
    rmSync(join(folder, "fifo.jsonl"), { force: true });
    execFileSync("mkfifo", [join(folder, "fifo.jsonl")]);
    const server = createServer();
    const socket = join(folder, "s.sock");
    rmSync(socket, { force: true });
    await new Promise<void>((resolve) => {
      server.listen(socket, resolve);
    });
    const { scan: said, diagnostics } = await scanFiles([
      "gone.jsonl",
      "dir.jsonl",
      "fifo.jsonl",
      "s.sock",
      "good.jsonl",
    ]);
    server.close();
    expect(said.files).toEqual([{ path: "good.jsonl", records: 1, bytes: 30 }]);
    expect(
      diagnostics.map(({ code, source, args }) => [code, source?.path, args["reason"] ?? args["kind"]]),
    ).toEqual([
      ["artifact.unreadable", "gone.jsonl", "ENOENT"],
      ["artifact.not_regular", "dir.jsonl", "folder"],
      ["artifact.not_regular", "fifo.jsonl", "FIFO"],
      ["artifact.not_regular", "s.sock", "socket"],
    ]);
  });

  it.skipIf(process.getuid?.() === 0)("P8 reports a file it may not read", async () => {
    writeFileSync(join(folder, "secret.jsonl"), `${line("a", 0)}\n`);
    chmodSync(join(folder, "secret.jsonl"), 0);
    const { diagnostics } = await scanFiles(["secret.jsonl"]);
    expect(diagnostics.map(({ args }) => args["reason"])).toEqual(["EACCES"]);
  });

  it("P14 counts records that share a command_id once, across files, the first standing", async () => {
    writeFileSync(
      join(folder, "log.jsonl.1"),
      `${line("a", 1, { command_id: "x" })}\n${line("b", 0, { command_id: null })}\n`,
    );
    writeFileSync(
      join(folder, "log.jsonl"),
      `${line("a", 0, { command_id: "x" })}\n${line("b", 0, { command_id: null })}\n${line("c", 0, { command_id: "" })}\n${line("d", 0, { command_id: "" })}\n`,
    );
    const { scan: said } = await scanFiles(["log.jsonl.1", "log.jsonl"]);
    expect(said.files.map(({ records }) => records)).toEqual([2, 3]);
    expect(said.total).toBe(5);
    // The repeated record is not there, so it resolves nothing.
    expect(only(said.failures).resolved_at).toBeNull();
  });

  it('P14 joins records by ids of one type: 1 is not "1", and what is neither text nor an exact number is no id', async () => {
    const ids = [1, "1", 1, "1", 1.0, "1.0", -0, 0, "0", true, true, {}, {}, 2 ** 53, 2 ** 53, " ", " "];
    const { scan: said } = await scan(ids.map((command_id) => line("a", 1, { command_id })).join("\n"));
    expect(only(said.failures).lines[0]?.ranges).toEqual([
      [1, 2],
      [6, 7],
      [9, 17],
    ]);
    expect([said.total, said.nonzero]).toEqual([13, 13]);
  });

  it("P14 keeps the last 200 records in order, over file borders", async () => {
    writeFileSync(
      join(folder, "log.jsonl.1"),
      Array.from({ length: 150 }, (_, i) => `${line(`one ${i}`, 0)}\n`).join(""),
    );
    writeFileSync(
      join(folder, "log.jsonl"),
      Array.from({ length: 120 }, (_, i) => `${line(`two ${i}`, i % 9 === 0 ? 1 : 0)}\n`).join(""),
    );
    const { scan: said } = await scanFiles(["log.jsonl.1", "log.jsonl"]);
    expect(said.tail).toHaveLength(200);
    expect(said.tail[0]).toMatchObject({ key: "one 70", source: { path: "log.jsonl.1", line: 71 } });
    expect(said.tail[199]).toMatchObject({
      key: "two 119",
      exit_code: 0,
      source: { path: "log.jsonl", line: 120 },
    });
  });

  it("P15 groups failures by command and exit, with compact lines per file", async () => {
    writeFileSync(
      join(folder, "log.jsonl.1"),
      [
        line("pytest -q", 1),
        line(["pytest", "-q"], 1),
        line("x", 0),
        line("pytest  -q", 1),
        line("pytest -q", null),
      ].join("\n"),
    );
    writeFileSync(join(folder, "log.jsonl"), `${line("pytest -q", 1, { stderr_tail: "newest" })}\n`);
    const { scan: said } = await scanFiles(["log.jsonl.1", "log.jsonl"]);
    expect(said.nonzero).toBe(5);
    expect(said.failures).toHaveLength(2);
    expect(said.failures[0]).toMatchObject({ exit_code: null, count: 1 });
    expect(said.failures[1]).toMatchObject({
      key: "pytest -q",
      exit_code: 1,
      count: 4,
      lines: [
        {
          path: "log.jsonl.1",
          ranges: [
            [1, 2],
            [4, 4],
          ],
          omitted: 0,
        },
        { path: "log.jsonl", ranges: [[1, 1]], omitted: 0 },
      ],
      first: { path: "log.jsonl.1", line: 1 },
      last: { stderr_tail: "newest", source: { path: "log.jsonl", line: 1 } },
    });
  });

  it("P15 leaves out the middle of very many ranges, and counts it", async () => {
    const { scan: said } = await scan(
      Array.from({ length: 400 }, (_, i) => `${line("x", i % 2)}\n`).join(""),
    );
    const { count, lines } = only(said.failures);
    expect(count).toBe(200);
    expect(lines[0]?.ranges).toHaveLength(100);
    expect(lines[0]?.ranges.slice(49, 51)).toEqual([
      [100, 100],
      [302, 302],
    ]);
    expect(lines[0]?.omitted).toBe(100);
  });

  it("P15 folds past the bound, resolved groups first, and every nonzero record stays counted", async () => {
    const log = [
      line("r1", 1),
      line("r1", 0),
      line("u1", 1),
      line("u1", 1),
      line("r2", 1),
      line("r2", 0),
      line("u2", 1),
      line("u3", 1),
      line("u4", 1),
    ];
    const { scan: said } = await scan(log.join("\n"), { maxGroups: 2 });
    expect(said.nonzero).toBe(7);
    expect(said.failures.map(({ key }) => key)).toEqual(["u3", "u4"]);
    expect(said.folded).toEqual({ groups: 4, records: 5, unresolved_groups: 2 });
  });

  it("P17 resolves by the first success after the last failure, in either spelling", async () => {
    const log = [
      line("pytest -q", 1),
      line(["pytest", "-q"], 0),
      line(["pytest", "-q"], 1),
      line("pytest", 0),
      line("pytest '-q'", 0),
      line("pytest -q", 0),
    ];
    const { scan: said } = await scan(log.join("\n"));
    expect(only(said.failures)).toMatchObject({ count: 2, resolved_at: { path: "log.jsonl", line: 5 } });
  });

  it("P3 tells which watched commands passed, and the newest time of all records", async () => {
    const log = [
      line(["npm", "test"], 0, { started_at: 1795958752.25 }),
      line("lint", 1, { ts: "2026-11-29T12:05:52.712Z" }),
      line("old", 0, { timestamp: 1795958000000 }),
      line("odd", 0, { started_at: "tomorrow" }),
    ];
    const { scan: said } = await scan(log.join("\n"), { watch: ["lint", "npm test", "never", "npm test"] });
    expect(said.passed_watched).toEqual(["npm test"]);
    expect(said.newest_at).toBe(1795958752250);
  });

  it("P14 an empty log, and none at all, are a scan without records", async () => {
    const empty = { total: 0, nonzero: 0, skipped_lines: 0, tail: [], failures: [], newest_at: null };
    expect((await scan("")).scan).toMatchObject({
      ...empty,
      files: [{ path: "log.jsonl", records: 0, bytes: 0 }],
    });
    expect((await scanFiles([])).scan).toMatchObject({ ...empty, files: [] });
  });

  it("P44 reports its progress up to the end", async () => {
    writeFileSync(join(folder, "log.jsonl"), `${line("a", 0)}\n`.repeat(10));
    const seen: { bytes: number; totalBytes: number }[] = [];
    await scanFeedback(
      [file("log.jsonl")],
      { watch: [], cacheDir: null, rescan: false, onProgress: (p) => seen.push(p) },
      { reader },
    );
    expect(seen.at(-1)).toEqual({ bytes: 300, totalBytes: 300 });
  });
});
