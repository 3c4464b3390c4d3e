// Agents that a runner can drive. A new one is a folder and a row here.
import { claudeDriver } from "./claude-code/drive.js";
import { codexDriver } from "./codex/drive.js";
import { commandDriver } from "./command/drive.js";
import type { AgentDriver } from "./driver.js";

export const DRIVERS: readonly AgentDriver[] = [claudeDriver, codexDriver, commandDriver];

/** The driver of that name; null: there is none. */
export function driverOf(name: string): AgentDriver | null {
  return DRIVERS.find((driver) => driver.name === name) ?? null;
}
