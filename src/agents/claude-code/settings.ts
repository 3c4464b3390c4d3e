// Claude Code's settings (measured with 2.1.332): settings.json of the project or the person, with hooks by event.
import path from "node:path";
import type { AgentSettings, HookWish } from "../agent-settings.js";
import { claudeCodeHooks } from "./hook-speech.js";
import { BLOCKING_NOTIFICATIONS, EDITORS, SHELLS } from "./tools.js";

/** Seconds. Recording takes a fraction of one; a packet is generated from a log of any length. */
const RECORDING = 10;
const GENERATING = 60;

/** Alternatives without any other sign are exact names. */
const TOOLS = [...SHELLS, ...Object.keys(EDITORS)].join("|");

const HOOKS: readonly HookWish[] = [
  { event: "SessionStart", matcher: null, fields: { timeout: GENERATING } },
  { event: "UserPromptSubmit", matcher: null, fields: { timeout: RECORDING } },
  { event: "PostToolUse", matcher: TOOLS, fields: { timeout: RECORDING } },
  { event: "PostToolUseFailure", matcher: TOOLS, fields: { timeout: RECORDING } },
  // How a session stands, for a rollover: a turn that waits for an answer, helpers at work.
  { event: "PermissionRequest", matcher: null, fields: { timeout: RECORDING } },
  { event: "Notification", matcher: BLOCKING_NOTIFICATIONS.join("|"), fields: { timeout: RECORDING } },
  { event: "SubagentStart", matcher: null, fields: { timeout: RECORDING } },
  { event: "SubagentStop", matcher: null, fields: { timeout: RECORDING } },
  { event: "Stop", matcher: null, fields: { timeout: GENERATING } },
  { event: "PreCompact", matcher: null, fields: { timeout: GENERATING } },
  // Without one it is killed after 1.5 s.
  { event: "SessionEnd", matcher: null, fields: { timeout: claudeCodeHooks.sessionEndSeconds } },
];

/** Claude Code's settings. */
export const claudeCodeSettings: AgentSettings = {
  name: "claude-code",
  title: claudeCodeHooks.title,
  program: "claude",
  folder: (scope, { root, home, env }) =>
    scope === "project" ? path.join(root, ".claude") : env["CLAUDE_CONFIG_DIR"] || path.join(home, ".claude"),
  form: {
    kind: "hooks",
    file: "settings.json",
    hooks: HOOKS,
    // A hook that fails is shown in the session each time ("PostToolUse:Bash hook failed"); one that ends well is not,
    // whatever it says on stderr. `;` is understood by sh and by PowerShell, which runs hooks on Windows without Git Bash.
    guard: "; exit 0",
    allowsComments: false,
    // A byte order mark, names given twice (the last counts) and unknown keys are read.
    whyIgnored: () => null,
    ifIgnored:
      "Claude Code itself loads nothing of a settings.json that is not plain JSON, permissions included",
  },
  servers: {
    format: "json",
    // Not in the settings' own folder; the person's file also holds what the program keeps for itself.
    file: (scope, { root, home, env }) =>
      scope === "project"
        ? path.join(root, ".mcp.json")
        : path.join(env["CLAUDE_CONFIG_DIR"] || home, ".claude.json"),
    folders: () => 0,
    servers: "mcpServers",
    lists: {},
    ifIgnored: "Claude Code itself starts no server of a file that is not plain JSON",
    // A headless session starts it without asking.
    beforeFirstUse: (scope) =>
      scope === "project"
        ? "at its next start here it asks once whether it may use the tools of .mcp.json: until then it leaves them out"
        : null,
    examine: async (name, scope, place) => {
      if (scope === "user") return [];
      const { examineApproval } = await import("./examine-hooks.js");
      return [await examineApproval(name, place)];
    },
  },
  beforeFirstUse: () => null,
  examine: async (installed, place) => {
    const { examineClaudeCode } = await import("./examine-hooks.js");
    return examineClaudeCode(installed, place);
  },
};
