// Codex's settings (measured with 0.171.0): hooks.json of the project or the person. Codex runs a hook only once a person has
// trusted it, knows it by file, event and place in the list, and asks again when its text changes.
import path from "node:path";
import { readJsonTree } from "../../text/json-tree.js";
import type { AgentSettings, HookWish } from "../agent-settings.js";
import { codexHooks } from "./hook-speech.js";

/** Seconds. Recording takes a fraction of one; a packet is generated from a log of any length. */
const RECORDING = 10;
const GENERATING = 60;

const HOOKS: readonly HookWish[] = [
  // Tokens of about four bytes. Above Codex's own limit of 2,500 a context is replaced by its beginning and end.
  { event: "SessionStart", matcher: null, fields: { timeout: GENERATING, additionalContextLimit: 4000 } },
  { event: "UserPromptSubmit", matcher: null, fields: { timeout: RECORDING } },
  // Also what `exec_command` and code mode run is called Bash here.
  { event: "PostToolUse", matcher: "Bash|apply_patch", fields: { timeout: RECORDING } },
  // How a session stands, for a rollover: a turn that waits for an answer, helpers at work.
  { event: "PermissionRequest", matcher: null, fields: { timeout: RECORDING } },
  { event: "SubagentStart", matcher: null, fields: { timeout: RECORDING } },
  { event: "SubagentStop", matcher: null, fields: { timeout: RECORDING } },
  { event: "Stop", matcher: null, fields: { timeout: GENERATING } },
  { event: "PreCompact", matcher: null, fields: { timeout: GENERATING } },
  // A longer one is cut to this, with a complaint.
  { event: "SessionEnd", matcher: null, fields: { timeout: codexHooks.sessionEndSeconds } },
];

/** Codex loads nothing of a hooks.json with any of these. */
function whyIgnored(text: string): string | null {
  if (text.startsWith("\ufeff")) return "it begins with a byte order mark";
  const keys = readJsonTree(text).children.map(({ key }) => key);
  const foreign = keys.find((key) => key !== null && key !== "hooks" && key !== "description");
  if (foreign !== undefined)
    return `it has the key ${JSON.stringify(foreign)} beside "description" and "hooks"`;
  const twice = keys.find((key, i) => key !== null && keys.indexOf(key) !== i);
  return twice === undefined ? null : `it has the key ${JSON.stringify(twice)} twice`;
}

/** Codex's settings. */
export const codexSettings: AgentSettings = {
  name: "codex",
  title: codexHooks.title,
  program: "codex",
  folder: (scope, { root, home, env }) =>
    scope === "project" ? path.join(root, ".codex") : env["CODEX_HOME"] || path.join(home, ".codex"),
  form: {
    kind: "hooks",
    file: "hooks.json",
    hooks: HOOKS,
    // A hook that fails is shown in the session each time ("hook exited with code 127"); one that ends well is not. Both sh
    // and cmd understand it.
    guard: " || exit 0",
    allowsComments: false,
    whyIgnored,
    ifIgnored: "Codex itself loads nothing of such a hooks.json",
  },
  servers: {
    format: "toml",
    file: (scope, { root, home, env }) =>
      path.join(
        scope === "project" ? path.join(root, ".codex") : env["CODEX_HOME"] || path.join(home, ".codex"),
        "config.toml",
      ),
    folders: () => 1,
    servers: "mcp_servers",
    // A server gets only the variables that are named, besides a few of the system's own.
    lists: {
      env_vars: [
        "TMUX",
        "TMUX_PANE",
        "CODEX_HOME",
        "HANDOFF_SESSION_ID",
        "HANDOFF_RUN",
        "XDG_STATE_HOME",
        "XDG_RUNTIME_DIR",
      ],
    },
    ifIgnored: "Codex itself does not start with such a file",
    beforeFirstUse: (scope) =>
      scope === "project" ? "it reads the project's config.toml only in a folder that it trusts" : null,
  },
  beforeFirstUse: (scope) =>
    scope === "project"
      ? "start codex here once, trust the folder, and trust the hooks when it asks (or with /hooks): until then it skips them in silence"
      : "start codex once and trust the hooks when it asks (or with /hooks): until then it skips them in silence",
  examine: async (installed, place) => {
    const { examineCodex } = await import("./examine-hooks.js");
    return examineCodex(installed, place);
  },
};
