// Claude Code's screen (measured with 2.1.332, fixtures/screens/claude-code): the input line stands between two rules.
import type { AgentPane } from "../agent-pane.js";
import { type ScreenLine, screenLines } from "../screen-text.js";

const RULE = /^─{10}/u;
/** In front of a prompt; `!` and `#` are modes of the line, and typed. */
const PROMPT = /^(?<mark>[❯>!#])(?:[\s\u00a0](?<text>.*))?$/u;
/** A turn under way: what it is at, and dots. What a turn was at has none. */
const AT_WORK = /^[·*✢✳✶✻✽] ?\S.*…/u;
const INTERRUPTIBLE = /\besc to interrupt\b/iu;
/** So many lines above the input line are looked at for what a turn is at: a list of tasks may stand between. */
const ABOVE = 30;

/** Where the input line stands; null: nowhere. */
function findInput(lines: readonly ScreenLine[]): { readonly from: number; readonly to: number } | null {
  const rules = lines.flatMap(({ text }, at) => (RULE.test(text) ? [at] : []));
  const [from, to] = rules.slice(-2);
  return from === undefined || to === undefined || to - from < 2 ? null : { from: from + 1, to };
}

function readInputLine(screen: string): string | null {
  const lines = screenLines(screen);
  const place = findInput(lines);
  if (place === null) return null;
  const [first, ...rest] = lines.slice(place.from, place.to);
  const found = PROMPT.exec(first?.text ?? "")?.groups;
  if (first === undefined || found === undefined) return null;
  const mark = found["mark"] ?? "";
  const typed = first.typed.slice(mark.length).replaceAll("\u00a0", " ");
  const text = [typed, ...rest.map((line) => line.typed)].map((line) => line.trim()).join("\n");
  return `${mark === "!" || mark === "#" ? mark : ""}${text}`.trim();
}

function isWorking(screen: string): boolean {
  const lines = screenLines(screen);
  const from = findInput(lines)?.from ?? lines.length;
  if (lines.slice(from).some(({ text }) => INTERRUPTIBLE.test(text))) return true;
  return lines.slice(Math.max(0, from - ABOVE), from).some(({ text }) => AT_WORK.test(text));
}

/** Claude Code in a terminal. */
export const claudeCodePane: AgentPane = {
  name: "claude-code",
  clearCommand: "/clear",
  freshBy: "hook",
  readInputLine,
  isWorking,
};
