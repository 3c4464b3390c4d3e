// The block at the bottom of the live view: who is at work, how full the context is, what it has done so far. Pure. Texts
// from outside have passed the gate, and are cleaned here. A line takes at most `columns` - 1, so that no terminal wraps it.
import type { PendingHandoff } from "../../rotation/operator-port.js";
import type { RunPhase } from "../../rotation/run-state.js";
import { cutColumns, textWidth, wrapText } from "../lay-out.js";
import { shown } from "../report.js";
import type { Terminal } from "../terminal.js";
import { count, formatCost, formatElapsed, formatTokens, shortSession } from "./figures.js";
import { costOf, type RunView } from "./run-view.js";

type Colors = Terminal["colors"];

export interface BlockOptions {
  readonly columns: number;
  readonly colors: Colors;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A piece of a line; its width is that of the text, whatever paints it. */
interface Part {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 250;
const GAP = " · ";
const INDENT = "  ";
const LEAST_COLUMNS = 20;
/** From here on bar and numbers share a line. */
const ONE_LINE = 72;
const BAR = { least: 10, most: 64, full: "█", empty: "░", warn: "╎", line: "┃" } as const;

interface PhaseLook {
  readonly words: string;
  readonly color: "green" | "yellow" | "cyan" | "dim";
  /** Something goes on: the sign in front turns. */
  readonly moves: boolean;
}
const PHASES: Readonly<Record<RunPhase, PhaseLook>> = {
  working: { words: "working", color: "green", moves: true },
  waiting: { words: "waiting to try again", color: "yellow", moves: false },
  cutting: { words: "interrupting", color: "yellow", moves: true },
  writing: { words: "saying where it stands", color: "cyan", moves: true },
  publishing: { words: "writing the packet", color: "cyan", moves: true },
  pausing: { words: "waiting for you", color: "yellow", moves: false },
  stopped: { words: "ended", color: "dim", moves: false },
};

const plain = (text: string): string => text;

/** Parts with gaps between, on as many lines as they need; only a part that fits no line is cut. */
function packParts(parts: readonly Part[], first: Part, columns: number): string[] {
  const lines: string[] = [];
  let line = (first.paint ?? plain)(first.text);
  let used = textWidth(first.text);
  let isEmpty = true;
  for (const { text, paint = plain } of parts) {
    const gap = isEmpty ? "" : GAP;
    if (!isEmpty && used + textWidth(gap) + textWidth(text) > columns) {
      lines.push(line);
      line = INDENT;
      used = INDENT.length;
      isEmpty = true;
    }
    const fitting = cutColumns(text, columns - used - (isEmpty ? 0 : GAP.length));
    line += (isEmpty ? "" : gap) + paint(fitting);
    used += textWidth(fitting) + (isEmpty ? 0 : GAP.length);
    isEmpty = false;
  }
  return [...lines, line];
}

function ruleLine({ run_id, started_at }: RunView, { colors, now }: BlockOptions, columns: number): string {
  const name = cutColumns(shown(run_id ?? "run"), Math.max(3, columns - 16));
  const time = formatElapsed(now - started_at);
  const room = columns - textWidth(name) - textWidth(time) - 8;
  return colors.dim(`── ${name} ${"─".repeat(Math.max(1, room))} ${time} ──`);
}

function statusLines(view: RunView, { colors, now }: BlockOptions, columns: number): string[] {
  const { progress } = view;
  const { words, color, moves } = PHASES[progress?.phase ?? "working"];
  const isStarting = progress === null || (progress.session_id === null && progress.phase === "working");
  const frame = moves ? (FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length] ?? "·") : "·";
  const paint = colors[color];
  const parts: Part[] = [
    { text: isStarting ? "starting" : words, paint: (said) => colors.bold(paint(said)) },
  ];
  if (progress !== null) {
    parts.push({ text: `session ${progress.generation}` }, { text: shown(progress.agent) });
    if (progress.session_id !== null)
      parts.push({ text: shortSession(shown(progress.session_id), view.run_id), paint: colors.dim });
  }
  parts.push({ text: formatElapsed(now - view.session_started_at), paint: colors.dim });
  return packParts(parts, { text: `${frame} `, paint }, columns);
}

/** Where a number of tokens stands on a bar of so many cells. */
function cellOf(tokens: number, window: number, cells: number): number {
  return Math.min(cells - 1, Math.max(0, Math.round((tokens / window) * cells)));
}

function bar(
  {
    context,
    window,
    thresholds,
  }: { context: number; window: number; thresholds: { at: number; warn_at: number } | null },
  cells: number,
  colors: Colors,
): string {
  const filled = context === 0 ? 0 : Math.max(1, Math.min(cells, Math.floor((context / window) * cells)));
  const paint =
    thresholds === null || context < thresholds.warn_at
      ? colors.green
      : context < thresholds.at
        ? colors.yellow
        : colors.red;
  const line = thresholds === null ? -1 : cellOf(thresholds.at, window, cells);
  const warn = thresholds === null ? -1 : cellOf(thresholds.warn_at, window, cells);
  let out = "";
  for (let cell = 0; cell < cells; cell += 1)
    if (cell === line) out += colors.red(BAR.line);
    else if (cell === warn) out += colors.yellow(BAR.warn);
    else out += cell < filled ? paint(BAR.full) : colors.dim(BAR.empty);
  return out;
}

function contextLines(view: RunView, { colors }: BlockOptions, columns: number): string[] {
  const { progress, limits } = view;
  if (progress === null) return [];
  const { context, window, thresholds, window_source: source } = progress;
  if (window === null) {
    const isEarly = progress.session_id === null;
    const parts: Part[] = [{ text: context === 0 ? "no reading yet" : `context ${formatTokens(context)}` }];
    if (!isEarly) parts.push({ text: "window unknown: only an overflow hands over", paint: colors.yellow });
    return packParts(parts, { text: INDENT }, columns);
  }
  const limit = limits.enabled ? thresholds : null;
  const percent = `${Math.floor((context * 100) / window)} %`;
  const guessed = source === "model_name" ? " (a guess)" : "";
  const of = `${formatTokens(context)} of ${formatTokens(window)}${guessed}`;
  const line = !limits.enabled
    ? { text: "rotation is off", paint: colors.yellow }
    : limit === null
      ? { text: "no line" }
      : context >= limit.at
        ? { text: `over the line of ${formatTokens(limit.at)}`, paint: colors.red }
        : { text: `hands over at ${formatTokens(limit.at)}` };
  const told: readonly Part[] = [{ text: of }, line];
  const facts = { context, window, thresholds: limit };
  // Room for the longest that these can become: the bar must not change its length with every reading.
  const size = `${formatTokens(window)}${guessed}`;
  const longest = [
    textWidth(`${"0".repeat(Math.max(6, size.length))} of ${size}`),
    textWidth(`over the line of ${limit === null ? "" : formatTokens(limit.at)}`),
  ];
  const room = columns - INDENT.length - 8 - GAP.length - (longest[0] ?? 0) - (longest[1] ?? 0);
  if (columns >= ONE_LINE && room >= BAR.least) {
    const [numbers = ""] = packParts(told, { text: "" }, columns);
    return [
      `${INDENT}${bar(facts, Math.min(BAR.most, room), colors)} ${colors.bold(percent.padStart(5))}  ${numbers}`,
    ];
  }
  const cells = Math.max(4, Math.min(BAR.most, columns - INDENT.length - 5));
  return [
    `${INDENT}${bar(facts, cells, colors)} ${colors.bold(percent.padStart(4))}`,
    ...packParts(told, { text: INDENT }, columns),
  ];
}

function countLines(view: RunView, { colors }: BlockOptions, columns: number): string[] {
  const { progress, retired } = view;
  if (progress === null) return [];
  const { commands, failures } = progress;
  const failed = failures === 0 ? "" : `, ${failures} failed`;
  const cost = costOf(view);
  const ran: Part = {
    text: `${count(commands, "command")}${failed}`,
    ...(failures === 0 ? {} : { paint: colors.yellow }),
  };
  const parts: Part[] = [
    // Not every agent tells what it runs.
    ...(commands === 0 ? [] : [ran]),
    ...(cost === null ? [] : [{ text: formatCost(cost) }]),
    ...(retired === 0 ? [] : [{ text: `${count(retired, "session")} retired` }]),
  ];
  return parts.length === 0 ? [] : packParts(parts, { text: INDENT }, columns);
}

/** What somebody who is waited for can do (R21). */
export function pauseNotice({ packet }: Pick<RunView, "packet">): string {
  return `the packet is ready: ${packet ?? "handoff show"}. Look with handoff show, change it with handoff edit, in another terminal. Enter here starts the next session, Ctrl-C ends the run.`;
}

/** What a pending request is about to become, and when (O14); why it is there stands above. */
function handoffNotice({ state, until }: PendingHandoff, now: number): string {
  const left = formatElapsed(until - now);
  if (state === "accepted") return `handoff asked for: at the next message, by interrupt in ${left}`;
  if (state === "delivered") return `handoff: interrupting the turn, ${left} left to begin`;
  return `handoff: the session says where it stands, ${left} left`;
}

/** What a person has to know or do now; null: nothing. */
function noticeOf({ stopping, progress, packet, retry, limits }: RunView, now: number): string | null {
  if (stopping === "at_once") return "leaving at once";
  if (stopping === "after_packet")
    return "stopping: the packet is written first; Ctrl-C again leaves at once";
  const handoff = progress?.handoff ?? null;
  if (handoff !== null && progress?.phase !== "stopped") return handoffNotice(handoff, now);
  if (progress?.phase === "pausing") return pauseNotice({ packet });
  if (retry === null) return null;
  const seconds = Math.max(0, Math.ceil((retry.until - now) / 1000));
  const when = seconds === 0 ? "now" : `in ${seconds} s`;
  return `trying again ${when} (${retry.attempt} of ${limits.max_attempts} tries failed): ${retry.text}`;
}

function noticeLines(view: RunView, { colors, now }: BlockOptions, columns: number): string[] {
  const notice = noticeOf(view, now);
  if (notice === null) return [];
  const room = columns - INDENT.length;
  // What a person has to do is told in full; what an error says stands above in full.
  const isError = view.retry !== null && (view.progress?.handoff ?? null) === null && view.stopping === "no";
  const lines = !isError ? wrapText(shown(notice), room) : [cutColumns(shown(notice), room)];
  return lines.map((line) => `${INDENT}${colors.yellow(line)}`);
}

/** The block's lines, first to last. */
export function renderBlock(view: RunView, options: BlockOptions): string[] {
  const columns = Math.max(LEAST_COLUMNS, options.columns) - 1;
  return [
    ruleLine(view, options, columns),
    ...statusLines(view, options, columns),
    ...contextLines(view, options, columns),
    ...countLines(view, options, columns),
    ...noticeLines(view, options, columns),
  ];
}
