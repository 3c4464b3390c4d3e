// Prompts of Claude Code's transcript until it is clear that they are some: most slash commands the program answers itself,
// and a forked session's first ones are copies.
import type { Fields } from "../payload-fields.js";
import { readPrompt } from "./read-prompt.js";

/** Longest text kept of a prompt, in UTF-16 units. */
const TEXT_LIMIT = 65_536;
/** Prompts that may wait for an answer. */
const MAX_WAITING = 64;

/** A person's prompt. */
export interface Prompt {
  readonly at: string | null;
  readonly text: string;
}

/** Prompts that no message answered yet. */
export interface PromptQueue {
  /** Takes a user row of the main thread. Returns what had to go to make room. */
  readonly take: (row: Fields, at: string | null) => readonly Prompt[];
  /** The agent answers, or nothing follows: those that wait, without what only the program was told. */
  readonly release: () => readonly Prompt[];
  /** Those that wait were another session's. */
  readonly forget: () => void;
}

/** An empty queue. */
export function createPromptQueue(): PromptQueue {
  let waiting: (Prompt & { readonly slash: boolean })[] = [];
  const release = (): readonly Prompt[] => {
    const all = waiting.filter(({ slash }) => !slash).map(({ at, text }) => ({ at, text }));
    waiting = [];
    return all;
  };
  return {
    release,
    take: (row, at) => {
      const read = readPrompt(row);
      if (read.kind === "expanded") {
        const asked = waiting.pop();
        if (asked !== undefined) waiting.push({ ...asked, slash: false });
      } else if (read.kind !== "none")
        waiting.push({ at, text: read.text.slice(0, TEXT_LIMIT), slash: read.kind === "slash" });
      return waiting.length > MAX_WAITING ? release() : [];
    },
    forget: () => {
      waiting = [];
    },
  };
}
