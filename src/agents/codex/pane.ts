// Codex's screen (measured with 0.171.0, fixtures/screens/codex): the input line begins with a bright ›, earlier prompts with a
// faint one, and an open question with one in reverse.
import type { AgentPane } from "../agent-pane.js";
import { type ScreenLine, screenLines } from "../screen-text.js";

const PROMPT = /^›(?:\s|$)/u;
const INTERRUPTIBLE = /\besc to interrupt\b/iu;
const HEADER = /^\s*>_ OpenAI Codex\b/u;

/** Where the input line begins; -1: there is none. */
function findInput(lines: readonly ScreenLine[]): number {
  const at = lines.findLastIndex(({ text }) => PROMPT.test(text));
  const first = lines[at]?.first;
  return first === undefined || first.faint || first.reverse ? -1 : at;
}

function readInputLine(screen: string): string | null {
  const lines = screenLines(screen);
  const at = findInput(lines);
  if (at === -1) return null;
  const below = lines.slice(at + 1);
  const end = below.findIndex(({ text }) => text === "");
  const [first = "", ...rest] = [lines[at], ...below.slice(0, end === -1 ? below.length : end)].map(
    (line) => line?.typed ?? "",
  );
  return [first.slice(1), ...rest]
    .map((line) => line.trim())
    .join("\n")
    .trim();
}

/** Its header, and nothing that anybody said: after a turn there is always a prompt above the input line. */
function isFresh(screen: string): boolean {
  const lines = screenLines(screen);
  const at = findInput(lines);
  if (at === -1) return false;
  const above = lines.slice(0, at);
  return above.some(({ text }) => HEADER.test(text)) && !above.some(({ text }) => PROMPT.test(text));
}

/** Codex in a terminal. */
export const codexPane: AgentPane = {
  name: "codex",
  // `/new` asks where the new session is to run.
  clearCommand: "/clear",
  freshBy: { isFresh },
  readInputLine,
  isWorking: (screen) => screenLines(screen).some(({ text }) => INTERRUPTIBLE.test(text)),
};
