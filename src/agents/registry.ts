// The agents there are: one line each. Everything else about an agent is in its folder.
// Hooks import this, so it holds what they need and nothing more.
import type { HookSpeech } from "./agent.js";
import { claudeCodeHooks } from "./claude-code/hook-speech.js";
import { codexHooks } from "./codex/hook-speech.js";
import { geminiHooks } from "./gemini/hook-speech.js";
import { openCodeHooks } from "./opencode/hook-speech.js";

/** Every agent whose hooks we understand; an agent that claims payloads by what only it writes stands before others. */
export const HOOK_SPEECHES: readonly HookSpeech[] = [openCodeHooks, geminiHooks, codexHooks, claudeCodeHooks];

/** Stands for "whichever agent this payload is from": a hooks file that several agents read. */
export const ANY_AGENT = "auto";

/** The hooks of an agent by its name; null for one that we do not know. */
export function hookSpeechOf(name: string): HookSpeech | null {
  return HOOK_SPEECHES.find((speech) => speech.name === name) ?? null;
}

/** The agent that a payload is from, by the payload alone; null when none claims it. */
export function claimPayload(payload: unknown): HookSpeech | null {
  return HOOK_SPEECHES.find((speech) => speech.claims(payload)) ?? null;
}
