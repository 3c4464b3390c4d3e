// For tests: the scripted agents of fixtures/agents, as a run starts them.
import path from "node:path";
import { driverOf } from "../../agents/drivers.js";
import type { RunAgent } from "../run-options.js";

export type AgentName = "claude-code" | "codex" | "command";

/** Where they lie, seen from the sources. */
export const AGENTS = path.join(import.meta.dirname, "../../../fixtures/agents");

const PROGRAMS: Readonly<Record<AgentName, string>> = {
  "claude-code": "scripted-claude.mjs",
  codex: "scripted-codex.mjs",
  command: "scripted-command.mjs",
};

export function scriptedAgent(name: AgentName, args: readonly string[] = [], folder = AGENTS): RunAgent {
  const driver = driverOf(name);
  if (driver === null) throw new Error(`there is no agent ${name}`);
  return { driver, bin: path.join(folder, PROGRAMS[name]), args };
}
