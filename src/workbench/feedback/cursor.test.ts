// P20: a scan that goes on from a cursor says what a full scan says, whatever happened to the logs or to the cursor.
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lineArb } from "../../../fixtures/feedback/hostile-logs.js";
import { commandKey } from "../../text/shell-words.js";
import { scanFeedback } from "./scan-feedback.js";

const WATCH = ["pytest -q", "never"].map(commandKey);
const KERNEL = { reader: "kernel", blockBytes: 2048, cursorFrom: 64 } as const;
let folder = "";
let log = "";
let cache = "";
let cursor = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "handoff-cursor-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(clear);

function clear(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  log = join(folder, "feedback.jsonl");
  cache = join(folder, "cache");
  cursor = join(cache, "feedback-cursor.bin");
}

/** The rotated part, if it is there, and the log. */
function files(): { absolute: string; path: string }[] {
  const all = [
    { absolute: `${log}.1`, path: "feedback.jsonl.1" },
    { absolute: log, path: "feedback.jsonl" },
  ];
  return all.filter(({ absolute }) => existsSync(absolute));
}

async function scan(how: { rescan?: boolean; cursor?: boolean; watch?: string[]; maxGroups?: number } = {}) {
  const { rescan = false, watch = WATCH, maxGroups = 2000 } = how;
  const cacheDir = how.cursor === false ? null : cache;
  return scanFeedback(files(), { watch, cacheDir, rescan, maxGroups }, KERNEL);
}

const record = (n: number, more: object = {}): string =>
  `${JSON.stringify({ command_id: `id-${n}`, command: ["make", `t${n % 7}`], exit_code: n % 5 === 0 ? 1 : 0, started_at: 1795958752 + n, ...more })}\n`;
const records = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => record(from + i)).join("");

type Step =
  | { kind: "append"; bytes: Buffer }
  | { kind: "truncate"; share: number }
  | { kind: "replace"; bytes: Buffer }
  | { kind: "rotate" }
  | { kind: "corrupt"; at: number; byte: number }
  | { kind: "cut cursor"; share: number }
  | { kind: "old cursor" };

const chunkArb = fc
  .tuple(fc.array(lineArb, { minLength: 1, maxLength: 25 }), fc.boolean())
  .map(([lines, ended]) =>
    Buffer.concat(lines.flatMap((line, i) => [line, Buffer.from(i + 1 < lines.length || ended ? "\n" : "")])),
  );
const stepArb: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: chunkArb.map((bytes): Step => ({ kind: "append", bytes })) },
  { weight: 1, arbitrary: fc.nat(99).map((share): Step => ({ kind: "truncate", share: share / 100 })) },
  { weight: 1, arbitrary: chunkArb.map((bytes): Step => ({ kind: "replace", bytes })) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: "rotate" }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("corrupt" as const), at: fc.nat(), byte: fc.nat(255) }),
  },
  { weight: 1, arbitrary: fc.nat(99).map((share): Step => ({ kind: "cut cursor", share: share / 100 })) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: "old cursor" }) },
);

function apply(step: Step): void {
  if (step.kind === "append") appendFileSync(log, step.bytes);
  else if (step.kind === "truncate") truncateSync(log, Math.floor(statSync(log).size * step.share));
  else if (step.kind === "replace") {
    rmSync(log);
    writeFileSync(log, step.bytes);
  } else if (step.kind === "rotate") {
    renameSync(log, `${log}.1`);
    writeFileSync(log, "");
  } else if (!existsSync(cursor)) return;
  else if (step.kind === "corrupt") {
    const bytes = readFileSync(cursor);
    bytes[step.at % bytes.length] = step.byte;
    writeFileSync(cursor, bytes);
  } else if (step.kind === "cut cursor") truncateSync(cursor, Math.floor(statSync(cursor).size * step.share));
  else if (existsSync(`${cursor}.old`)) copyFileSync(`${cursor}.old`, cursor);
  else copyFileSync(cursor, `${cursor}.old`);
}

describe("the cursor", () => {
  it("P20 never changes the result, after any appends, truncations, replacements, rotations and damage", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(stepArb, { minLength: 2, maxLength: 12 }),
        fc.constantFrom(1, 3, 2000),
        async (steps, maxGroups) => {
          clear();
          writeFileSync(log, records(0, 5));
          await scan({ maxGroups });
          for (const step of steps) {
            apply(step);
            const said = await scan({ maxGroups });
            const wanted = await scan({ cursor: false, maxGroups });
            expect(said.scan).toEqual(wanted.scan);
            expect(said.diagnostics.filter(({ code }) => code !== "cursor.unusable")).toEqual(
              wanted.diagnostics,
            );
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("P20 is really used: bytes changed far behind it, the one thing it does not see, are not read again", async () => {
    const old = records(0, 4000);
    writeFileSync(log, old);
    await scan();
    const at = Math.floor(old.length / 2);
    const failing = old.indexOf('"exit_code":0', at);
    writeFileSync(log, `${old.slice(0, failing)}"exit_code":7${old.slice(failing + 13)}`, { flag: "r+" });
    appendFileSync(log, records(4000, 4010));
    const resumed = await scan();
    expect(resumed.scan.total).toBe(4010);
    expect(resumed.scan.failures.some(({ exit_code }) => exit_code === 7)).toBe(false);
    const again = await scan({ rescan: true });
    expect(again.scan.failures.filter(({ exit_code }) => exit_code === 7)).toHaveLength(1);
    // --rescan renewed the cursor as well.
    expect((await scan()).scan).toEqual(again.scan);
  });

  it("P20 remembers command ids, open failures, watched commands and the unended line across runs", async () => {
    writeFileSync(log, record(0, { exit_code: 2 }) + records(1, 50) + record(50).trimEnd());
    const first = await scan();
    expect(first.scan.total).toBe(51);
    // The unended line turns out to be longer, the id of line 1 comes again, and its failure is resolved.
    appendFileSync(
      log,
      `\n${record(0)}${record(60, { command: "make t0", exit_code: 0 })}${record(61, { command: "pytest -q", exit_code: 0 })}`,
    );
    const said = await scan();
    expect(said.scan).toEqual((await scan({ cursor: false })).scan);
    expect(said.scan.total).toBe(53);
    expect(said.scan.passed_watched).toEqual(["pytest -q"]);
    expect(said.scan.failures.find(({ exit_code }) => exit_code === 2)?.resolved_at).toEqual({
      path: "feedback.jsonl",
      line: 8,
    });
  });

  /** Replaces bytes in place, as many as there were. */
  function patch(path: string, at: number, text: string): void {
    const bytes = readFileSync(path);
    bytes.write(text, at, "latin1");
    writeFileSync(path, bytes, { flag: "r+" });
  }

  it.each([
    ["at the beginning", (text: string) => text.indexOf('"exit_code":0')],
    ["just before the place reached", (text: string) => text.lastIndexOf('"exit_code":0')],
  ])("P20 sees a log that was written anew, by its bytes %s", async (_, where) => {
    writeFileSync(log, records(0, 4000));
    await scan();
    expect(statSync(log).size).toBeGreaterThan(3 * 64 * 1024);
    patch(log, where(readFileSync(log, "latin1")), '"exit_code":7');
    appendFileSync(log, records(4000, 4001));
    const said = await scan();
    expect(said.scan.failures.filter(({ exit_code }) => exit_code === 7)).toHaveLength(1);
    expect(said.scan).toEqual((await scan({ cursor: false })).scan);
  });

  it("P20 reads everything when a file before the last one has grown", async () => {
    writeFileSync(`${log}.1`, records(0, 40));
    writeFileSync(log, records(40, 80));
    await scan();
    appendFileSync(`${log}.1`, record(100, { exit_code: 9 }));
    const said = await scan();
    expect(said.scan.total).toBe(81);
    expect(said.scan.failures.find(({ exit_code }) => exit_code === 9)?.last.source).toEqual({
      path: "feedback.jsonl.1",
      line: 41,
    });
  });

  it("P20 does not go on from damaged ids", async () => {
    writeFileSync(log, records(0, 60));
    await scan();
    // The first id, as the kernel holds it: its bytes and its length.
    const bytes = readFileSync(cursor);
    const at = bytes.indexOf(Buffer.from("id-0\0\0\0\0", "latin1"));
    expect(at).toBeGreaterThan(0);
    patch(cursor, at, "xx");
    appendFileSync(log, record(0));
    const said = await scan();
    expect(said.scan.total).toBe(60);
    expect(said.diagnostics.map(({ args }) => args)).toEqual([{ reason: "damaged" }]);
  });

  it("P20 rescans when the options differ", async () => {
    writeFileSync(log, records(0, 60));
    expect((await scan()).scan.passed_watched).toEqual([]);
    expect((await scan({ watch: ["make t1"] })).scan.passed_watched).toEqual(["make t1"]);
  });

  it("P20 says so, and goes on, when a cursor is damaged or cannot be written", async () => {
    writeFileSync(log, records(0, 60));
    const wanted = await scan();
    expect(wanted.diagnostics).toEqual([]);
    writeFileSync(cursor, "handoff-feedback-cursor nonsense");
    const damaged = await scan();
    expect(damaged.scan).toEqual(wanted.scan);
    expect(damaged.diagnostics.map(({ code, args }) => [code, args])).toEqual([
      ["cursor.unusable", { reason: "damaged" }],
    ]);
    expect((await scan()).diagnostics).toEqual([]);

    rmSync(cache, { recursive: true });
    writeFileSync(cache, "a file where the folder should be");
    const blocked = await scan();
    expect(blocked.scan).toEqual(wanted.scan);
    expect(blocked.diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
      ["cursor.unusable", "info"],
    ]);
  });

  it.each(["fifo", "folder"])(
    "P20 a %s in the cursor's place is no cursor and holds nobody up",
    async (kind) => {
      writeFileSync(log, '{"command":"ls","exit_code":1}\n'.repeat(50));
      mkdirSync(cache);
      if (kind === "fifo") execFileSync("mkfifo", [cursor]);
      else mkdirSync(cursor);
      expect((await scan()).scan).toEqual((await scan({ cursor: false })).scan);
    },
  );

  it("P43 does not write through a link", async () => {
    const elsewhere = join(folder, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, cache);
    writeFileSync(log, records(0, 60));
    const { scan: said, diagnostics } = await scan();
    expect(said.total).toBe(60);
    expect(diagnostics.map(({ code, args }) => [code, args])).toEqual([
      ["cursor.unusable", { reason: "ELOOP" }],
    ]);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it("P20 leaves nothing but the cursor behind, and small logs leave nothing", async () => {
    writeFileSync(log, record(1).slice(0, 40));
    await scan();
    expect(existsSync(cache)).toBe(false);
    writeFileSync(log, records(0, 60));
    await scan();
    expect(readdirSync(cache).sort()).toEqual([".gitignore", "feedback-cursor.bin"]);
    expect(readFileSync(join(cache, ".gitignore"), "utf8")).toBe("*\n");
  });
});
