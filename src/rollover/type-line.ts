// Types a line into an agent's input line and sends it off, but only if it stands there alone: between a look and a key a person
// may begin to type. What cannot be sent is taken back, where it stands at the end.
import type { PaneLook } from "./watch-pane.js";
import type { PaneName, TerminalMultiplexer } from "./terminal-multiplexer.js";

/** Agents draw a letter within some milliseconds; a loaded machine takes longer. */
const SHOWN_WITHIN_MS = 5000;

export interface TypingPorts {
  readonly terminal: TerminalMultiplexer;
  readonly pane: PaneName;
  readonly look: () => Promise<PaneLook>;
  readonly sleep: () => Promise<void>;
  readonly elapsed: () => number;
}

/** Screens wrap lines. */
const bare = (text: string): string => text.replaceAll(/\s+/gu, "");

/** True when `typed` is `line`, however it is wrapped. */
export function isSameLine(typed: string | null, line: string): boolean {
  return typed !== null && bare(typed) === bare(line);
}

/** Sends off what stands there already. */
export async function sendOff({ terminal, pane }: TypingPorts): Promise<boolean> {
  return terminal.pressEnter(pane);
}

/**
 * True when it was sent off, as far as anybody knows: a key that is said to have failed may have been pressed all the same, and
 * is never pressed again. Never rejects.
 */
export async function typeLine(line: string, ports: TypingPorts): Promise<boolean> {
  const { terminal, pane, look, sleep, elapsed } = ports;
  if (!(await terminal.type(pane, line))) return false;
  const until = elapsed() + SHOWN_WITHIN_MS;
  for (;;) {
    const { typed, gone } = await look();
    if (isSameLine(typed, line)) {
      await terminal.pressEnter(pane);
      return true;
    }
    if (gone !== null) return false;
    if (elapsed() >= until) {
      if (typed !== null && bare(typed).endsWith(bare(line)))
        await terminal.pressBackspace(pane, line.length);
      return false;
    }
    await sleep();
  }
}
