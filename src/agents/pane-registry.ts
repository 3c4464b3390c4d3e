// The agents whose terminal a rollover knows: one line each.
import type { AgentPane } from "./agent-pane.js";
import { claudeCodePane } from "./claude-code/pane.js";
import { codexPane } from "./codex/pane.js";

const AGENT_PANES: readonly AgentPane[] = [claudeCodePane, codexPane];

/** The terminal of an agent by its name; null: we do not know how to clear it. */
export function agentPaneOf(name: string): AgentPane | null {
  return AGENT_PANES.find((one) => one.name === name) ?? null;
}
