// R25: the live view on a screen: the block is drawn in place, what happens stands above it, and everything is put back.
import pc from "picocolors";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { RunEventLine } from "../../model/run-events.js";
import { createRedactor } from "../../redact/create-redactor.js";
import type { RunProgress } from "../../rotation/run-options.js";
import { tinyScreen, type TinyScreen } from "../testing/tiny-screen.js";
import { type LiveView, openLiveView } from "./live-view.js";
import { firstView } from "./run-view.js";
import type { Screen } from "./screen.js";

const START = Date.parse("2026-11-29T10:00:00.000Z");
const COMMON = { run_id: "run-3f2a91c04d7e", generation: 1, session_id: "s-1", agent: "command" };
const PROGRESS: RunProgress = {
  generation: 1,
  agent: "command",
  session_id: "s-1",
  phase: "working",
  context: 96_000,
  window: 200_000,
  window_source: "agent",
  thresholds: { at: 150_000, warn_at: 130_000 },
  commands: 0,
  failures: 0,
  cost_usd: null,
  handoff: null,
};
const begun = (): RunEventLine => ({
  ...COMMON,
  event: "generation_started",
  at: new Date().toISOString(),
  model: null,
  window: 200_000,
  window_source: "agent",
});

interface Stage {
  readonly view: LiveView;
  readonly tiny: TinyScreen;
  readonly writes: () => string[];
  readonly resize: (columns: number) => void;
}

function open({ isLive = true, columns = 80, rows = 24, color = false } = {}): Stage {
  const tiny = tinyScreen(columns);
  const writes: string[] = [];
  let width = columns;
  let onResize = (): void => undefined;
  const screen: Screen = {
    write: (text) => {
      writes.push(text);
      tiny.write(text);
    },
    columns: () => width,
    rows: () => rows,
    onResize: (listener) => {
      onResize = listener;
      return () => {
        onResize = () => undefined;
      };
    },
    colors: pc.createColors(color),
    isLive,
  };
  const view = openLiveView(screen, firstView({ enabled: true, max_attempts: 6 }, Date.now()), {
    redactor: createRedactor(),
    now: () => Date.now(),
  });
  return {
    view,
    tiny,
    writes: () => writes,
    resize: (to) => {
      width = to;
      onResize();
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("R25 on a terminal", () => {
  test("the block stands below what is said, once, however often it is drawn", () => {
    const { view, tiny } = open();
    view.event(begun());
    view.progress(PROGRESS);
    for (let i = 0; i < 30; i += 1) {
      view.say(`step ${i}`);
      vi.advanceTimersByTime(130);
    }
    expect(tiny.lines()).toEqual([
      "10:00:00 ● session 1: command, window 200k (it says so)",
      ...Array.from({ length: 30 }, (_, i) => `  step ${i}`),
      expect.stringMatching(/^── run-3f2a91c04d7e ─+ 0:03 ──$/u),
      expect.stringMatching(/^\S working · session 1 · command · s-1 · 0:03$/u),
      expect.stringMatching(/^ {2}[█░╎┃]+ {2}48 % {2}96k of 200k · hands over at 150k$/u),
    ]);
    view.end();
  });

  test("at most ten drawings a second, however much is said; at least four", () => {
    const { view, writes } = open();
    const before = writes().length;
    for (let ms = 0; ms < 5000; ms += 1) {
      view.say("x");
      view.progress({ ...PROGRESS, context: ms });
      vi.advanceTimersByTime(1);
    }
    const busy = writes().length - before;
    expect(busy).toBeGreaterThan(40);
    expect(busy).toBeLessThanOrEqual(50);
    vi.advanceTimersByTime(2000);
    expect(writes().length - before - busy).toBe(8);
    view.end();
  });

  test("of more than anybody reads only the newest is shown, and how much was not", () => {
    const { view, tiny } = open();
    for (let i = 0; i < 1000; i += 1) view.say(`line ${i}`);
    vi.advanceTimersByTime(100);
    const lines = tiny.lines();
    expect(lines[0]).toBe("  … 960 messages passed over");
    expect(lines[40]).toBe("  line 999");
    view.end();
  });

  test("events are never passed over", () => {
    const { view, tiny } = open();
    for (let i = 0; i < 100; i += 1) view.event(begun());
    for (let i = 0; i < 100; i += 1) view.say(`line ${i}`);
    vi.advanceTimersByTime(100);
    expect(tiny.lines().filter((line) => line.includes("● session 1"))).toHaveLength(100);
    view.end();
  });

  test("the end takes the block away and gives the cursor back; nothing is drawn after it", () => {
    const { view, tiny, writes } = open();
    expect(tiny.hasCursor()).toBe(false);
    view.say("last words");
    view.end();
    expect(tiny.lines()).toEqual(["  last words", ""]);
    expect([tiny.hasCursor(), tiny.wraps()]).toEqual([true, true]);
    const count = writes().length;
    view.say("too late");
    view.progress(PROGRESS);
    view.end();
    vi.advanceTimersByTime(5000);
    expect(writes()).toHaveLength(count);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("Ctrl-Z leaves the terminal as it was; what comes back draws again", () => {
    const { view, tiny } = open();
    view.progress(PROGRESS);
    vi.advanceTimersByTime(100);
    view.rest();
    expect([tiny.lines(), tiny.hasCursor()]).toEqual([[""], true]);
    view.resume(true);
    expect(tiny.lines()[1]).toContain("working");
    view.rest();
    // In the background: lines, and no block in somebody else's prompt.
    view.resume(false);
    view.say("still there");
    vi.advanceTimersByTime(1000);
    expect(tiny.lines()).toEqual(["  still there", ""]);
    view.end();
  });

  test("a terminal that is gone gets not another byte", () => {
    const { view, writes } = open();
    const count = writes().length;
    view.abandon();
    view.say("x");
    view.stopping("at_once");
    vi.advanceTimersByTime(5000);
    view.end();
    expect(writes()).toHaveLength(count);
  });

  test("a resize draws at once, to the new width", () => {
    const { view, tiny, resize } = open({ columns: 120 });
    view.progress(PROGRESS);
    vi.advanceTimersByTime(100);
    resize(60);
    expect(tiny.lines().at(-1)).toBe("  96k of 200k · hands over at 150k");
    view.end();
  });

  test("a block at the top of the screen leaves no copies above it, however often it is drawn", () => {
    const { view, tiny } = open();
    view.progress(PROGRESS);
    vi.advanceTimersByTime(10_000);
    expect(tiny.lines().filter((line) => line.includes("working"))).toHaveLength(1);
    view.end();
    expect(tiny.lines()).toEqual([""]);
  });

  test("a block that would not fit is cut to the screen", () => {
    const { view, tiny } = open({ rows: 3 });
    view.progress(PROGRESS);
    vi.advanceTimersByTime(3000);
    expect(tiny.lines()).toHaveLength(2);
    view.end();
  });

  test("a hostile text of the agent commands nothing", () => {
    const { view, tiny } = open({ color: true });
    // The screen of this test throws at every sequence that is not the view's own.
    view.say("\u001b[2J\u001b[?1049h\u001b]52;c;eA==\u0007 wiped \u001b[1A\u001b[?25h");
    view.event({
      ...begun(),
      event: "run_started",
      at: new Date().toISOString(),
      task: "\u001b[3J",
    });
    vi.advanceTimersByTime(100);
    expect(tiny.lines()[0]).toBe("   wiped");
    expect(tiny.hasCursor()).toBe(false);
    view.end();
  });
});

describe("R27 a key", () => {
  test("is answered at once, however quickly the run ends", () => {
    const { view, tiny } = open();
    view.progress(PROGRESS);
    view.stopping("after_packet");
    expect(tiny.lines().join("\n")).toContain("the packet is written first");
    view.stopping("at_once");
    expect(tiny.lines().join("\n")).toContain("leaving at once");
    view.end();
  });
});

describe("R25 without a terminal", () => {
  test("plain lines, whole, at once, and nothing that moves a cursor", () => {
    const { view, writes } = open({ isLive: false });
    view.event(begun());
    view.progress(PROGRESS);
    view.say("a long line ".repeat(30));
    view.warn("headroom.small: little is left free");
    view.stopping("after_packet");
    vi.advanceTimersByTime(5000);
    view.end();
    expect(writes()).toEqual([
      "10:00:00 ● session 1: command, window 200k (it says so)\n",
      `  ${"a long line ".repeat(30).trimEnd()}\n`,
      "10:00:00 ! headroom.small: little is left free\n",
      "10:00:00 ■ stopping: the packet is written first; again leaves at once\n",
    ]);
  });

  test("FORCE_COLOR paints lines, too", () => {
    const { view, tiny } = open({ isLive: false, color: true });
    view.warn("x");
    expect(tiny.colored()).toBeGreaterThan(0);
  });
});
