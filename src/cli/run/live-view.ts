// The live view: what happens scrolls by, and below it stands a block that is drawn anew in place. Without a terminal, or when
// nobody looks, plain lines only. A thin shell: render-block.ts, event-lines.ts and spoken-lines.ts say what is shown.
import type { RunEventLine } from "../../model/run-events.js";
import type { Redactor } from "../../redact/create-redactor.js";
import type { RunProgress } from "../../rotation/run-options.js";
import { textWidth } from "../lay-out.js";
import { eventLine, type EventLine, paintEvent } from "./event-lines.js";
import { timeOfDay } from "./figures.js";
import { renderBlock } from "./render-block.js";
import { foldEvent, foldProgress, type RunView } from "./run-view.js";
import type { Screen } from "./screen.js";
import { spokenLines } from "./spoken-lines.js";

export interface LiveView {
  /** Texts in it have passed the gate. */
  readonly event: (event: RunEventLine) => void;
  readonly progress: (progress: RunProgress) => void;
  /** What the agent says, as it comes. */
  readonly say: (text: string) => void;
  /** Something worth a line of its own; it has passed the gate. */
  readonly warn: (what: string) => void;
  readonly stopping: (how: "after_packet" | "at_once") => void;
  /** Leaves the terminal as it was, until `resume`: lines go on, the block does not. */
  readonly rest: () => void;
  /** `isLive` false: with lines only from now on. */
  readonly resume: (isLive: boolean) => void;
  /** Draws what is left, takes the block away and gives the cursor back. Nothing is drawn after it. */
  readonly end: () => void;
  /** The terminal is gone: not another byte. */
  readonly abandon: () => void;
  /** As it is now, for what is said at the end. */
  readonly seen: () => RunView;
}

/** What waits to be printed. */
type Line = { readonly kind: "said"; readonly text: string } | ({ readonly kind: "told" } & EventLine);

/** Drawn at most so often, in milliseconds: ten times a second. */
const LEAST_BETWEEN_MS = 100;
/** Drawn at least so often: clocks and the turning sign go on. */
const MOST_BETWEEN_MS = 250;
/** Messages that one drawing shows; of more only the newest, nobody reads so fast. */
const MOST_SAID = 40;

const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
/**
 * From the beginning of a line. Whole lines: what is written after it is as wide as its text, also for a terminal that wraps it
 * anew later. Never from the screen's first cell: tmux keeps what is erased from there, one more block with every drawing.
 */
const ERASE_BELOW = "\u001b[K\u001b[C\u001b[J\r";
/** What stands between these appears at once, where the terminal can do that. */
const AT_ONCE = "\u001b[?2026h";
const SHOW = "\u001b[?2026l";
/** A line that is wider than we think is cut by the terminal, and the block keeps its height. */
const NO_WRAP = "\u001b[?7l";
const WRAP = "\u001b[?7h";

export interface LiveViewOptions {
  readonly redactor: Redactor;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Opens the view. A live one hides the cursor until `end` or `rest`. */
export function openLiveView(screen: Screen, first: RunView, { redactor, now }: LiveViewOptions): LiveView {
  const { colors } = screen;
  let view = first;
  let state: "live" | "lines" | "over" = screen.isLive ? "live" : "lines";
  let queue: Line[] = [];
  let passedOver = 0;
  /** Lines of the block as it stands on the screen, without colours. */
  let drawn: readonly number[] = [];
  let drawnAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const linesOf = (line: Line, columns: number | null): string[] =>
    line.kind === "told" ? paintEvent(line, colors, columns) : spokenLines(line.text, redactor, columns);

  /** Up to where the block begins; a screen that was made narrower has wrapped its lines. */
  const toBlock = (): string => {
    const columns = Math.max(1, screen.columns());
    const rows = drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return rows === 0 ? "" : `\r${rows === 1 ? "" : `\u001b[${rows - 1}A`}`;
  };

  const takeQueue = (columns: number): string => {
    const skipped = passedOver === 0 ? [] : [`  ${colors.dim(`… ${passedOver} messages passed over`)}`];
    const lines = [...skipped, ...queue.flatMap((line) => linesOf(line, columns))];
    queue = [];
    passedOver = 0;
    return lines.map((line) => `${line}\n`).join("");
  };

  const draw = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (state !== "live") return;
    const columns = screen.columns();
    const start = toBlock();
    const above = takeQueue(columns);
    // A block higher than the screen could not be drawn over.
    const block = renderBlock(view, { columns, colors, now: now() }).slice(0, Math.max(1, screen.rows() - 1));
    const hide = drawn.length === 0 ? HIDE_CURSOR : "";
    screen.write(
      `${AT_ONCE}${hide}${start}${ERASE_BELOW}${above}${NO_WRAP}${block.join("\n")}${WRAP}${SHOW}`,
    );
    drawn = block.map(widthOf);
    drawnAt = now();
    timer = setTimeout(draw, MOST_BETWEEN_MS);
  };

  /** Soon, but not more often than a screen needs. */
  const drawSoon = (): void => {
    if (state !== "live") return;
    const wait = drawnAt + LEAST_BETWEEN_MS - now();
    clearTimeout(timer);
    timer = setTimeout(draw, Math.max(0, wait));
  };

  const print = (line: Line): void => {
    if (state === "over") return;
    if (state === "lines") {
      for (const one of linesOf(line, null)) screen.write(`${one}\n`);
      return;
    }
    queue.push(line);
    if (line.kind === "said" && queue.length > MOST_SAID) {
      const oldest = queue.findIndex(({ kind }) => kind === "said");
      queue.splice(oldest, 1);
      passedOver += 1;
    }
    drawSoon();
  };

  const erase = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (state !== "live") return;
    screen.write(`${toBlock()}${ERASE_BELOW}${takeQueue(screen.columns())}${SHOW_CURSOR}`);
    drawn = [];
  };

  const changed = (next: RunView): void => {
    view = next;
    drawSoon();
  };

  const endResize = screen.onResize(() => {
    if (state === "live") draw();
  });
  if (state === "live") draw();
  return {
    event: (event) => {
      const line = eventLine(event, view.progress?.handoff?.state === "begun");
      if (line !== null) print({ kind: "told", ...line });
      changed(foldEvent(view, event));
    },
    progress: (progress) => changed(foldProgress(view, progress)),
    say: (text) => print({ kind: "said", text }),
    warn: (what) => print({ kind: "told", time: timeOfDay(now()), sign: "!", look: "warn", text: what }),
    stopping: (how) => {
      if (state === "lines")
        print({
          kind: "told",
          time: timeOfDay(now()),
          sign: "■",
          look: "warn",
          text:
            how === "at_once"
              ? "leaving at once"
              : "stopping: the packet is written first; again leaves at once",
        });
      view = { ...view, stopping: how };
      // A key is answered at once: a run that ends quickly would be over before the next drawing.
      draw();
    },
    rest: () => {
      erase();
      if (state === "live") state = "lines";
    },
    resume: (isLive) => {
      if (state !== "lines" || !isLive) return;
      state = "live";
      draw();
    },
    end: () => {
      erase();
      state = "over";
      endResize();
    },
    abandon: () => {
      clearTimeout(timer);
      state = "over";
      endResize();
    },
    seen: () => view,
  };
}

/** Columns that a painted line takes. */
function widthOf(line: string): number {
  return textWidth(line.replaceAll(/\u001b\[[\d;]*m/gu, ""));
}
