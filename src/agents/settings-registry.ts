// The agents whose settings init can write: one line each. Apart from the hooks' registry, which a hook loads every time.
import type { AgentSettings } from "./agent-settings.js";
import { claudeCodeSettings } from "./claude-code/settings.js";
import { codexSettings } from "./codex/settings.js";
import { geminiSettings } from "./gemini/settings.js";
import { openCodeSettings } from "./opencode/settings.js";

/** Every agent that can be set up. */
export const AGENT_SETTINGS: readonly AgentSettings[] = [
  claudeCodeSettings,
  codexSettings,
  openCodeSettings,
  geminiSettings,
];
