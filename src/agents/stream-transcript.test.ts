import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  fixtureFiles,
  readSession,
  situationsOf,
  speechOf,
  tellItem,
  type FixtureAgent,
} from "../../fixtures/transcripts/tell-items.js";
import { splitLines } from "../io/line-splitter.js";
import { LINE_LIMIT, streamFile, type TranscriptLosses } from "./stream-transcript.js";
import type { TranscriptItem, TranscriptReader } from "./transcript.js";

const AGENTS: readonly FixtureAgent[] = ["claude-code", "codex"];
const FILES = AGENTS.flatMap((agent) =>
  situationsOf(agent).flatMap((situation) =>
    fixtureFiles(agent, situation).map((file) => ({ agent, situation, file })),
  ),
);

function temporary(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "handoff-transcript-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const linesOf = (file: string): string[] => readFileSync(file, "utf8").split("\n").slice(0, -1);

/** What a reader tells row by row; what is under way at the end is left out. */
function pushAll(reader: TranscriptReader, lines: readonly string[]): string[] {
  return lines.flatMap((line) => reader.push(line)).map(tellItem);
}

async function readWhole(
  agent: FixtureAgent,
  file: string,
): Promise<{ told: string[]; losses: TranscriptLosses; reader: TranscriptReader }> {
  const losses: TranscriptLosses = { unreadable: 0, oversized: 0, torn: 0 };
  const reader = speechOf(agent).createReader();
  const items: TranscriptItem[] = [];
  for await (const item of streamFile(file, reader, losses)) items.push(item);
  return { told: items.map(tellItem), losses, reader };
}

describe("streaming a transcript", () => {
  it.each(FILES)("A12 $agent/$situation: nothing in it is unreadable", async ({ agent, file }) => {
    const { losses, reader } = await readWhole(agent, file);
    expect(losses).toEqual({ unreadable: 0, oversized: 0, torn: 0 });
    expect(reader.facts()).toMatchObject({ session_id: expect.any(String), cwd: "/home/dev/project" });
  });

  it("A12 any truncation keeps every command whose rows are whole", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FILES),
        fc.double({ min: 0, max: 1, noNaN: true }),
        ({ agent, file }, share) => {
          const bytes = readFileSync(file);
          const cut = bytes.subarray(0, Math.floor(bytes.length * share));
          const whole = cut
            .subarray(0, cut.lastIndexOf(0x0a) + 1)
            .toString("utf8")
            .split("\n")
            .slice(0, -1);
          const all = pushAll(speechOf(agent).createReader(), linesOf(file));
          const torn = speechOf(agent).createReader();
          const kept = pushAll(torn, cut.toString("utf8").split("\n"));
          expect(kept).toEqual(all.slice(0, kept.length));
          // The torn row adds nothing, and costs itself only.
          const exact = pushAll(speechOf(agent).createReader(), whole);
          expect(kept.slice(0, exact.length)).toEqual(exact);
          expect(torn.unreadable()).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it("A12 rubbish between the rows changes nothing but the count", () => {
    const rubbish = fc.oneof(
      fc.constantFrom(
        "null",
        "[]",
        "7",
        '"text"',
        "{",
        "{}}",
        '{"type":"assistant"',
        "\u0000\u0000",
        "[".repeat(5000),
      ),
      fc
        .string({ minLength: 1, maxLength: 40 })
        .filter((text) => !text.includes("\n") && text.trim() !== "" && !isRow(text)),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...FILES),
        fc.array(fc.tuple(fc.nat(200), rubbish), { minLength: 1, maxLength: 8 }),
        ({ agent, file }, added) => {
          const lines = linesOf(file);
          const all = pushAll(speechOf(agent).createReader(), lines);
          for (const [at, line] of added) lines.splice(at % (lines.length + 1), 0, line);
          const reader = speechOf(agent).createReader();
          expect(pushAll(reader, lines)).toEqual(all);
          expect(reader.unreadable()).toBe(added.length);
        },
      ),
    );
  });

  it("A12 rows of any other shape are passed by", () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const types = ["assistant", "user", "system", "attachment", "queue-operation"];
    const more = ["session_meta", "event_msg", "response_item", "turn_context", "token_usage_record"];
    const strange = fc.record(
      {
        type: fc.constantFrom(...types, ...more),
        message: value,
        payload: fc.oneof(
          value,
          fc.record({ type: fc.constantFrom("item_completed", "function_call"), item: value }),
        ),
        attachment: value,
        content: value,
        toolUseResult: value,
        timestamp: value,
        sessionId: value,
      },
      { requiredKeys: ["type"] },
    );
    fc.assert(
      fc.property(fc.constantFrom(...AGENTS), fc.array(strange, { maxLength: 20 }), (agent, rows) => {
        const reader = speechOf(agent).createReader();
        for (const row of rows) reader.push(JSON.stringify(row));
        reader.end();
        expect(reader.unreadable()).toBe(0);
      }),
    );
  });

  it("A12 pieces of any size give what the whole gives", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FILES),
        fc.array(fc.integer({ min: 1, max: 4000 }), { minLength: 1, maxLength: 20 }),
        ({ agent, file }, sizes) => {
          const bytes = readFileSync(file);
          const reader = speechOf(agent).createReader();
          const told: string[] = [];
          const splitter = splitLines((line) => told.push(...reader.push(line ?? "").map(tellItem)));
          for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1;
            splitter.push(bytes.subarray(at, at + size));
            at += size;
          }
          splitter.end();
          expect(told).toEqual(pushAll(speechOf(agent).createReader(), linesOf(file)));
        },
      ),
    );
  });

  it("A12 a last row that was cut off is lost, and counted as such", async () => {
    const [first] = fixtureFiles("claude-code", "failing-and-passing");
    const file = path.join(temporary(), "t.jsonl");
    writeFileSync(
      file,
      `${linesOf(first ?? "")
        .slice(0, 6)
        .join("\n")}\n{"type":"assistant","mess`,
    );
    const { told, losses } = await readWhole("claude-code", file);
    expect(losses).toEqual({ unreadable: 1, oversized: 0, torn: 1 });
    expect(told[0]).toBe("prompt please fix the limiter");
    // Whole but for its newline: the agent may be about to write it.
    writeFileSync(file, readFileSync(first ?? "", "utf8").trimEnd());
    expect((await readWhole("claude-code", file)).losses).toEqual({ unreadable: 0, oversized: 0, torn: 0 });
  });

  it("A12 a row of 10 MB is read, one over the limit is left out and counted", async () => {
    const file = path.join(temporary(), "t.jsonl");
    const row = (id: string, size: number): string[] => [
      JSON.stringify({
        type: "assistant",
        sessionId: "s",
        message: { id, content: [{ type: "tool_use", id, name: "Bash", input: { command: id } }] },
      }),
      JSON.stringify({
        type: "user",
        sessionId: "s",
        message: { content: [{ type: "tool_result", tool_use_id: id, content: "x".repeat(size) }] },
      }),
    ];
    writeFileSync(file, "");
    for (const line of [...row("big", 10_000_000), ...row("huge", LINE_LIMIT), ...row("small", 10)])
      appendFileSync(file, `${line}\n`);
    const { told, losses } = await readWhole("claude-code", file);
    expect(losses).toEqual({ unreadable: 0, oversized: 1, torn: 0 });
    // Nobody can say how `huge` ended: it is told when nothing more can come of it.
    expect(told).toEqual([
      "0 big",
      "- huge (no result in the transcript: it may have been running when the session stopped)",
      "0 small",
    ]);
  });

  it("A12 subagents' work stands where it ended", async () => {
    const folder = temporary();
    const main = path.join(folder, "11111111-2222-4333-8444-555555555555.jsonl");
    const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
    const rows = (name: string, seconds: readonly number[]): string =>
      seconds
        .flatMap((second) => {
          const id = `${name}-${second}`;
          const use = { type: "tool_use", id, name: "Bash", input: { command: id } };
          return [
            { type: "assistant", timestamp: at(second), message: { id, content: [use] } },
            {
              type: "user",
              timestamp: at(second),
              message: { content: [{ type: "tool_result", tool_use_id: id, content: "" }] },
            },
          ];
        })
        .map((one) => `${JSON.stringify(one)}\n`)
        .join("");
    const subagents = path.join(folder, "11111111-2222-4333-8444-555555555555/subagents");
    mkdirSync(path.join(subagents, "deeper"), { recursive: true });
    writeFileSync(main, rows("main", [1, 5, 9]));
    writeFileSync(path.join(subagents, "agent-a.jsonl"), rows("a", [2, 3, 10]));
    writeFileSync(path.join(subagents, "agent-a.meta.json"), '{"agentType":"Explore"}');
    writeFileSync(path.join(subagents, "deeper/agent-b.jsonl"), rows("b", [4]));
    // The fork that compacts a session has a type, and it is empty.
    writeFileSync(path.join(subagents, "agent-c.jsonl"), rows("c", [6]));
    writeFileSync(path.join(subagents, "agent-c.meta.json"), '{"agentType":""}');
    const { told, stream } = await readSession("claude-code", main);
    expect(told).toEqual([
      "0 main-1",
      "0 a-2 @Explore",
      "0 a-3 @Explore",
      "0 b-4 @null",
      "0 main-5",
      "0 main-9",
      "0 a-10 @Explore",
    ]);
    expect(stream.subagents).toBe(2);
  });

  it("A12 a folder or a missing file is refused", async () => {
    const folder = temporary();
    await expect(readWhole("codex", folder)).rejects.toMatchObject({ code: "transcript.unreadable" });
    await expect(readWhole("codex", path.join(folder, "no.jsonl"))).rejects.toMatchObject({
      code: "transcript.unreadable",
      exitCode: 2,
    });
  });
});

function isRow(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
