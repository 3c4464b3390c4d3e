// Where the agents' settings are looked for, for a person at this terminal.
import os from "node:os";
import type { SettingsPlace } from "../../agents/agent-settings.js";
import type { Terminal } from "../terminal.js";

/** The workbench, the home folder and the environment. */
export function settingsPlace(root: string, env: Terminal["env"]): SettingsPlace {
  return { root, home: env["HOME"] || env["USERPROFILE"] || os.homedir(), env };
}
