// R25: the block of the live view, by table.
import pc from "picocolors";
import { describe, expect, test } from "vitest";
import type { RunProgress } from "../../rotation/run-options.js";
import { RUN_PHASES } from "../../rotation/run-state.js";
import { textWidth } from "../lay-out.js";
import { renderBlock } from "./render-block.js";
import { firstView, type RunView } from "./run-view.js";

const NOW = Date.parse("2026-11-29T10:12:05.000Z");
const PLAIN = pc.createColors(false);
const LIMITS = { enabled: true, max_attempts: 6 };

const PROGRESS: RunProgress = {
  generation: 2,
  agent: "claude-code",
  session_id: "5b1c02de-99f6-4df5-b3bb-5005f9d6eabf",
  phase: "working",
  context: 96_412,
  window: 200_000,
  window_source: "agent",
  thresholds: { at: 150_000, warn_at: 130_000 },
  commands: 41,
  failures: 3,
  cost_usd: 0.4,
  handoff: null,
};

function viewOf(changes: Partial<RunView> = {}, progress: Partial<RunProgress> = {}): RunView {
  return {
    ...firstView(LIMITS, NOW - 725_000),
    run_id: "run-3f2a91c04d7e",
    session_started_at: NOW - 182_000,
    progress: { ...PROGRESS, ...progress },
    ...changes,
  };
}

const block = (view: RunView, columns = 80): string[] =>
  renderBlock(view, { columns, colors: PLAIN, now: NOW });
const text = (view: RunView, columns = 80): string => block(view, columns).join("\n");

describe("O14 a request for a handoff", () => {
  const ask = (state: "accepted" | "delivered" | "begun", seconds: number): Partial<RunProgress> => ({
    handoff: { request_id: "req-0c4d7e3f2a91", state, until: NOW + seconds * 1000 },
  });

  test.each([
    ["accepted", 42, "handoff asked for: at the next message, by interrupt in 0:42"],
    ["delivered", 200, "handoff: interrupting the turn, 3:20 left to begin"],
    ["begun", 310, "handoff: the session says where it stands, 5:10 left"],
    ["accepted", -3, "handoff asked for: at the next message, by interrupt in 0:00"],
  ] as const)("%s: what comes, and when", (state, seconds, words) => {
    for (const columns of [80, 120])
      expect(block(viewOf({}, ask(state, seconds)), columns).at(-1)).toBe(`  ${words}`);
  });

  test("on a narrow terminal it wraps; who ends the run hears of that instead", () => {
    const lines = block(viewOf({}, ask("accepted", 42)), 40);
    expect(lines.slice(-2)).toEqual(["  handoff asked for: at the next", "  message, by interrupt in 0:42"]);
    for (const line of lines) expect(textWidth(line)).toBeLessThan(40);
    expect(text(viewOf({ stopping: "after_packet" }, ask("accepted", 42)))).not.toContain("handoff asked");
    expect(text(viewOf({}, { ...ask("begun", 42), phase: "stopped" }))).not.toContain("handoff:");
  });
});

describe("R25 the block", () => {
  test("at 80 columns: who, how full, what was done", () => {
    expect(block(viewOf({ retired: 1, spent_usd: 0.84, counted: 1 }))).toEqual([
      "── run-3f2a91c04d7e ────────────────────────────────────────────────── 12:05 ──",
      "⠋ working · session 2 · claude-code · 5b1c02de · 3:02",
      "  ██████████████░░░░░░╎░░┃░░░░░░░  48 %  96.4k of 200k · hands over at 150k",
      "  41 commands, 3 failed · $1.24 · 1 session retired",
    ]);
  });

  test("at 40 columns nothing is lost, it takes more lines", () => {
    expect(block(viewOf({ retired: 1, spent_usd: 0.84, counted: 1 }), 40)).toEqual([
      "── run-3f2a91c04d7e ────────── 12:05 ──",
      "⠋ working · session 2 · claude-code",
      "  5b1c02de · 3:02",
      "  ███████████████░░░░░░╎░░┃░░░░░░░ 48 %",
      "  96.4k of 200k · hands over at 150k",
      "  41 commands, 3 failed · $1.24",
      "  1 session retired",
    ]);
  });

  test("at 200 columns the bar stays a bar", () => {
    const [, , bar = ""] = block(viewOf(), 200);
    expect(bar).toMatch(/^ {2}[█░╎┃]{64} {2}48 % {2}96\.4k of 200k · hands over at 150k$/u);
  });

  test.each<[string, Partial<RunProgress>, string]>([
    ["no reading yet", { session_id: null, window: null, context: 0, thresholds: null }, "  no reading yet"],
    [
      "an unknown window",
      { window: null, thresholds: null, context: 50_000 },
      "  context 50k · window unknown: only an overflow hands over",
    ],
    ["a guessed window", { window_source: "model_name" }, "96.4k of 200k (a guess)"],
    ["just below the line", { context: 149_999 }, " 74 %  149.9k of 200k · hands over at 150k"],
    ["at the line", { context: 150_000 }, " 75 %  150k of 200k · over the line of 150k"],
    ["more than the window holds", { context: 230_000 }, "115 %  230k of 200k · over the line of 150k"],
    [
      "a million",
      { window: 1_000_000, thresholds: { at: 750_000, warn_at: 730_000 }, context: 760_000 },
      " 76 %  760k of 1M · over the line of 750k",
    ],
  ])("%s", (_, progress, line) => {
    expect(text(viewOf({}, progress))).toContain(line);
  });

  test("the bar keeps its length with every reading, and shows both marks at any", () => {
    const bars = [0, 1, 9_999, 96_412, 129_999, 149_999, 150_000, 199_999, 500_000].map(
      (context) => /[█░╎┃]+/u.exec(block(viewOf({}, { context }))[2] ?? "")?.[0] ?? "",
    );
    expect(new Set(bars.map((bar) => bar.length)).size).toBe(1);
    for (const bar of bars) expect(bar).toMatch(/^[█░]+╎[█░]+┃[█░]+$/u);
    expect(bars[0]).not.toContain("█");
    expect(bars[1]).toContain("█");
    expect(bars.at(-1)).not.toContain("░");
  });

  test("rotation that is off has no line", () => {
    const off = block(viewOf({ limits: { ...LIMITS, enabled: false } }));
    expect(off[2]).toContain("96.4k of 200k · rotation is off");
    expect(off[2]).not.toMatch(/[╎┃]/u);
  });

  test("an agent that tells of no commands and no cost gets no line for them", () => {
    expect(block(viewOf({}, { commands: 0, failures: 0, cost_usd: null }))).toHaveLength(3);
  });

  test.each(RUN_PHASES)("phase %s is said in words", (phase) => {
    expect(block(viewOf({}, { phase }))[1]).toMatch(/^[⠋·] [a-z ]{5,} · session 2 · /u);
  });

  test("the sign in front turns while something goes on, and rests while something is waited for", () => {
    const signs = (phase: RunProgress["phase"]): Set<string> =>
      new Set(
        [0, 250, 500, 750].map(
          (ms) =>
            renderBlock(viewOf({}, { phase }), { columns: 80, colors: PLAIN, now: NOW + ms })[1]?.[0] ?? "",
        ),
      );
    expect(signs("working").size).toBe(4);
    expect(signs("pausing")).toEqual(new Set(["·"]));
  });
});

describe("R22, R21, R27 what a person has to know", () => {
  const retry = { until: NOW + 11_200, attempt: 2, text: "529 overloaded" };

  test("R22 the countdown to the next try", () => {
    expect(block(viewOf({ retry }, { phase: "waiting" })).at(-1)).toBe(
      "  trying again in 12 s (2 of 6 tries failed): 529 overloaded",
    );
    expect(text(viewOf({ retry: { ...retry, until: NOW - 5 } }, { phase: "waiting" }))).toContain(
      "trying again now",
    );
  });

  test("R22 a long error takes one line", () => {
    const long = { ...retry, text: "word ".repeat(500) };
    expect(block(viewOf({ retry: long }, { phase: "waiting" }))).toHaveLength(5);
  });

  test("R21 where the packet is, and what can be done with it, in full at any width", () => {
    const view = viewOf({ packet: "outputs/handoff/s-1/handoff.json" }, { phase: "pausing" });
    for (const columns of [40, 80, 200]) {
      const said = text(view, columns).replaceAll(/\n\s+/gu, " ");
      for (const words of ["outputs/handoff/s-1/handoff.json", "handoff edit", "Enter here starts"])
        expect(said).toContain(words);
    }
  });

  test("R27 what the first Ctrl-C does, and the second", () => {
    expect(text(viewOf({ stopping: "after_packet" }))).toContain("Ctrl-C again leaves at once");
    expect(text(viewOf({ stopping: "at_once" }))).toContain("leaving at once");
  });
});

describe("R25 any terminal, any text", () => {
  const HOSTILE = "\u001b[2J\u001b]0;x\u0007\r\n\u0008evil\u202e\u0000";
  const views: readonly RunView[] = [
    viewOf(),
    viewOf({ run_id: null, progress: null }),
    viewOf({ packet: "界".repeat(300) }, { phase: "pausing", agent: "界面🙂".repeat(30) }),
    viewOf({ retry: { until: NOW, attempt: 1, text: "界".repeat(400) } }, { phase: "waiting" }),
    viewOf(
      { run_id: HOSTILE, packet: HOSTILE, retry: { until: NOW, attempt: 1, text: HOSTILE } },
      { agent: HOSTILE, session_id: HOSTILE },
    ),
  ];

  test("no line is as wide as the terminal, from 1 column to 300", () => {
    for (const view of views)
      for (let columns = 1; columns <= 300; columns += 1)
        for (const line of block(view, columns)) expect(textWidth(line)).toBeLessThan(Math.max(columns, 20));
  });

  test("no control character gets through", () => {
    for (const view of views) for (const line of block(view)) expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  test("colours change no column, and NO_COLOR has none", () => {
    const colors = pc.createColors(true);
    for (const view of views) {
      const painted = renderBlock(view, { columns: 80, colors, now: NOW });
      expect(painted.join("\n")).toContain("\u001b[");
      expect(painted.map((line) => line.replaceAll(/\u001b\[[\d;]*m/gu, ""))).toEqual(block(view));
    }
  });

  test.each([
    [96_412, 32],
    [131_000, 33],
    [151_000, 31],
  ])("%d tokens are painted %d", (context, code) => {
    const painted = renderBlock(viewOf({}, { context }), {
      columns: 80,
      colors: pc.createColors(true),
      now: NOW,
    });
    expect(painted[2]).toContain(`\u001b[${code}m█`);
  });
});
