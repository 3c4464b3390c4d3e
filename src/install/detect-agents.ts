// Which agents are in use: a settings folder in the project or the home folder, or a program on PATH.
import { stat } from "node:fs/promises";
import type { AgentSettings, SettingsPlace } from "../agents/agent-settings.js";
import { findPrograms } from "../io/find-program.js";

async function isFolder(folder: string): Promise<boolean> {
  return stat(folder).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}

async function isInUse({ folder, program }: AgentSettings, place: SettingsPlace): Promise<boolean> {
  for (const scope of ["project", "user"] as const) if (await isFolder(folder(scope, place))) return true;
  return findPrograms(program, place.env).length > 0;
}

/** Those of `agents` that are in use, in the same order. */
export async function detectAgents(
  agents: readonly AgentSettings[],
  place: SettingsPlace,
): Promise<readonly AgentSettings[]> {
  const uses = await Promise.all(agents.map((agent) => isInUse(agent, place)));
  return agents.filter((_, i) => uses[i]);
}
