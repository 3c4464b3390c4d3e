// What a rollover needs of an agent that runs in a terminal: how its session is cleared, and how its screen is read. No agent is
// known here. A screen is what the multiplexer shows, with the sequences that colour it.
import type { AgentName } from "./agent.js";

export interface AgentPane {
  readonly name: AgentName;
  /** Typed into its input line, it begins a fresh session in the same terminal. */
  readonly clearCommand: string;
  /**
   * How the fresh session shows: `hook`: by the start that its hooks tell; else by its screen alone, since hooks tell nothing
   * before the next prompt.
   */
  readonly freshBy: "hook" | { readonly isFresh: (screen: string) => boolean };
  /**
   * What stands in the input line, lines joined by line breaks; a placeholder or suggestion is no text. null: there is no
   * input line, as where a question is open.
   */
  readonly readInputLine: (screen: string) => string | null;
  /** A turn is under way. */
  readonly isWorking: (screen: string) => boolean;
}
