// R25: what happens, in words.
import pc from "picocolors";
import { describe, expect, test } from "vitest";
import type { RunEventLine } from "../../model/run-events.js";
import { textWidth } from "../lay-out.js";
import { eventLine, paintEvent } from "./event-lines.js";

const PLAIN = pc.createColors(false);
const COMMON = {
  run_id: "run-3f2a91c04d7e",
  generation: 1,
  session_id: "s-1",
  agent: "claude-code",
  at: "2026-11-29T10:12:05.000Z",
} as const;
const { at: time, ...UNTIMED } = COMMON;
const NEAR: RunEventLine = {
  ...UNTIMED,
  event: "near",
  context: 131_000,
  window: 200_000,
  at: 150_000,
  time,
};
const FAILED = {
  ...COMMON,
  event: "attempt_failed",
  attempt: 1,
  status: 529,
  text: "Overloaded",
  delay_ms: 1500,
} as const;
const DONE = {
  ...COMMON,
  event: "done",
  context: 151_000,
  window: 200_000,
  degraded: null,
  path: "outputs/handoff/s-1/handoff.json",
  sections: ["doing", "next"],
  packet_id: "hp_3f9a1c0d5b7e2a64",
} satisfies RunEventLine;

const words = (event: RunEventLine, columns: number | null = null): string[] => {
  const line = eventLine(event);
  return line === null ? [] : paintEvent(line, PLAIN, columns);
};

describe("R25 events in words", () => {
  test.each<[RunEventLine, string]>([
    [{ ...COMMON, event: "run_started", task: "mend it" }, "▶ run-3f2a91c04d7e: mend it"],
    [
      {
        ...COMMON,
        event: "generation_started",
        model: "opus",
        window: 200_000,
        window_source: "agent",
      },
      "● session 1: claude-code, opus, window 200k (it says so)",
    ],
    [
      {
        ...COMMON,
        event: "generation_started",
        model: null,
        window: 1_000_000,
        window_source: "model_name",
      },
      "● session 1: claude-code, window 1M (a guess from its name)",
    ],
    [
      { ...COMMON, event: "generation_started", model: null, window: null, window_source: "unknown" },
      "● session 1: claude-code, window unknown",
    ],
    [{ ...FAILED, verdict: "retryable" }, "✗ a try failed (529): Overloaded; again in 2 s"],
    [{ ...FAILED, verdict: "retryable", delay_ms: null }, "✗ a try failed (529): Overloaded"],
    [{ ...FAILED, verdict: "overflow", status: null, delay_ms: null }, "✗ the context is full: Overloaded"],
    [{ ...FAILED, verdict: "fatal", text: "", delay_ms: null }, "✗ failed for good (529)"],
    [NEAR, "▲ near the line: 131k of 150k"],
    [
      { ...COMMON, event: "writing", context: 151_000, window: 200_000 },
      "▲ over the line at 151k of 200k: the session is asked where it stands",
    ],
    [DONE, "✓ packet hp_3f9a1c0d5b7e2a64 is out: outputs/handoff/s-1/handoff.json"],
    [
      { ...DONE, degraded: "timeout", sections: [] },
      "✓ packet hp_3f9a1c0d5b7e2a64 is out, without the session's own words (timeout): outputs/handoff/s-1/handoff.json",
    ],
    [
      {
        ...COMMON,
        event: "generation_ended",
        context: 151_000,
        window: 200_000,
        attempts: 1,
        cost_usd: 0.84,
        turns: 1,
      },
      "○ session 1 is over: 151k of 200k tokens, 1 turn, $0.84",
    ],
  ])("%j", (event, line) => {
    expect(words(event)).toEqual([`10:12:05 ${line}`]);
  });

  test.each([
    ["accepted", "going home", "◆ a person asks for a handoff at the next message (req-1): going home"],
    ["accepted", null, "◆ a person asks for a handoff at the next message (req-1)"],
    ["superseded", "req-2", "◆ req-2 takes the place of req-1"],
    ["completed", null, "✓ the handoff is complete (req-1)"],
    ["not_fulfilled", "the job was done", "✗ handoff for req-1 not fulfilled: the job was done"],
  ] as const)("O14 a request that is %s", (state, what, line) => {
    const event = { ...COMMON, event: "handoff", request_id: "req-1", state, what, path: null } as const;
    expect(words(event)).toEqual([`10:12:05 ${line}`]);
  });

  test("O14 what lasts is the block's, and a session that is asked for a person stands above no line", () => {
    for (const state of ["delivered", "begun"] as const)
      expect(
        words({ ...COMMON, event: "handoff", request_id: "req-1", state, what: null, path: null }),
      ).toEqual([]);
    const writing = { ...COMMON, event: "writing", context: 9000, window: 200_000 } as const;
    expect(eventLine(writing, true)?.text).toBe("the session is asked where it stands");
  });

  test("the end of the run is the summary's", () => {
    const end = {
      ...COMMON,
      event: "run_ended",
      status: "done",
      rule: "done",
      exit: 0,
      message: null,
    } as const;
    expect(words(end)).toEqual([]);
  });

  test("on a terminal a long line is wrapped below its text, and cut after four", () => {
    const lines = words({ ...COMMON, event: "run_started", task: "a long job ".repeat(200) }, 60);
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(textWidth(line)).toBeLessThan(60);
    expect(lines[1]).toMatch(/^ {11}\S/u);
    expect(lines[3]).toMatch(/…$/u);
  });

  test("a hostile text stays a text", () => {
    const text = "\u001b[2J\u001b]0;x\u0007 ##[error]no\r\n::warning::no";
    const [line = ""] = words({ ...FAILED, verdict: "fatal", text });
    expect(line).not.toMatch(/\p{Cc}/u);
    expect(line).toContain("## [error]no");
  });
});
