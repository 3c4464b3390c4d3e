// OpenCode's settings (measured with 1.18.33): a plugin of ours in the project's or the person's plugin folder, which OpenCode
// loads by itself. Nothing else of its configuration is touched.
import path from "node:path";
import type { AgentSettings } from "../agent-settings.js";
import { readOwnTemplate } from "../own-template.js";
import { openCodeHooks } from "./hook-speech.js";

const TEMPLATE = "opencode/handoff.js";
/** How our plugin begins, in every version of it. */
const FIRST_WORDS = "// handoff: ";
const COMMAND = /^const COMMAND = .*;$/mu;

/** OpenCode's settings. */
export const openCodeSettings: AgentSettings = {
  name: "opencode",
  title: openCodeHooks.title,
  program: "opencode",
  folder: (scope, { root, home, env }) =>
    scope === "project"
      ? path.join(root, ".opencode")
      : path.join(env["XDG_CONFIG_HOME"] || path.join(home, ".config"), "opencode"),
  form: {
    kind: "own_file",
    file: "plugin/handoff.js",
    text: (command) =>
      readOwnTemplate(TEMPLATE).replace(COMMAND, () => `const COMMAND = ${JSON.stringify(command)};`),
    isOurs: (text) => text.startsWith(FIRST_WORDS),
  },
  beforeFirstUse: () => null,
  // Every plugin in the folder is loaded; only `opencode --pure` leaves them out.
  examine: () => Promise.resolve([]),
};
