// What our plugin for OpenCode says (templates/opencode/handoff.js, measured with 1.18.33, fixtures/payloads/opencode). OpenCode
// has no hooks that run programs: the plugin hears its events and calls us, with payloads in the words that other agents use.
import path from "node:path";
import type { HookBase, HookEvent, HookSpeech } from "../agent.js";
import {
  commonEvent,
  countAt,
  fieldsAt,
  hookCall,
  ignoredTool,
  isFields,
  textAt,
  type Fields,
} from "../payload-fields.js";

/** The tool that runs a command line, and those that write files. */
const SHELL = "bash";
const EDITORS: ReadonlySet<string> = new Set(["write", "edit", "multiedit", "patch", "apply_patch"]);
/** What OpenCode adds to the output of a command that it stopped. */
const STOPPED = /\s*<shell_metadata>\n?(?<why>[^<]{0,2000}?)\n?<\/shell_metadata>\s*$/u;
const NOTHING = "(no output)";

/** Nothing is told of a signal: OpenCode waits for such a command until its time is over. */
function endOf(
  output: string,
  exit: unknown,
): { exit_code: number | null; error: string | null; stdout: string } {
  const exit_code = typeof exit === "number" && Number.isSafeInteger(exit) ? exit : null;
  const stopped = exit_code === null ? STOPPED.exec(output.slice(-4096)) : null;
  const said = stopped === null ? output : output.slice(0, output.length - stopped[0].length);
  // Its first sentence says what happened, the others what the model may do about it.
  const [why = "without an exit status"] = (stopped?.groups?.["why"] ?? "")
    .split(/(?<=\.)\s/u)
    .filter(Boolean);
  return {
    exit_code,
    error: exit_code === null ? why : null,
    stdout: said.trim() === NOTHING ? "" : said,
  };
}

function commandEvent(base: HookBase, fields: Fields): HookEvent {
  const input = fieldsAt(fields, "tool_input");
  const command = textAt(input, "command");
  if (command === null) return { ...base, kind: "ignored", why: "no command" };
  const response = fieldsAt(fields, "tool_response");
  const folder = textAt(input, "workdir");
  const cwd = base.cwd === "" ? null : base.cwd;
  return {
    ...base,
    kind: "command",
    command: {
      command,
      ...endOf(textAt(response, "output") ?? "", response["exit"]),
      stderr: "",
      duration_ms: countAt(fields, "duration_ms"),
      started_at: textAt(fields, "started_at"),
      tool: SHELL,
      command_id: textAt(fields, "tool_use_id"),
      cwd: folder === null || cwd === null ? cwd : path.resolve(cwd, folder),
      subagent: base.subagent,
      agent_note: textAt(input, "description"),
    },
  };
}

function toolEvent(base: HookBase, fields: Fields): HookEvent {
  const tool = textAt(fields, "tool_name") ?? "";
  if (tool === SHELL) return commandEvent(base, fields);
  const files = fieldsAt(fields, "tool_response")["files"];
  const paths = (Array.isArray(files) ? files : []).filter((file) => typeof file === "string" && file !== "");
  if (!EDITORS.has(tool) || paths.length === 0) return ignoredTool(base, tool);
  return { ...base, kind: "edit", edit: { paths, tool, command_id: textAt(fields, "tool_use_id") } };
}

function parseHook(eventName: string, payload: unknown): HookEvent | null {
  const call = hookCall(eventName, payload);
  if (call === null) return null;
  const { key, base, fields } = call;
  switch (key) {
    case "userpromptsubmit":
      return { ...base, kind: "prompt", prompt: textAt(fields, "prompt") ?? "" };
    case "posttooluse":
      return toolEvent(base, fields);
    case "stop":
      return {
        ...base,
        kind: "stop",
        active: false,
        last_message: textAt(fields, "last_assistant_message"),
      };
    case "precompact":
      return { ...base, kind: "pre_compact" };
    default:
      return commonEvent(key, base, fields);
  }
}

/** OpenCode, through our plugin. */
export const openCodeHooks: HookSpeech = {
  name: "opencode",
  title: "OpenCode",
  // The plugin gives the commands that OpenCode runs HANDOFF_SESSION_ID, which counts for every agent.
  sessionVariables: [],
  // A person goes from one session to another in it, and `opencode serve` has everybody's.
  program: { names: ["opencode"], servesMany: () => true },
  // OpenCode waits for its plugins; the plugin gives the call up a little later.
  sessionEndSeconds: 12,
  claims: (payload) => isFields(payload) && "opencode_plugin" in payload,
  parseHook,
  sessionFolder: (event, { cwd }) => event.cwd || cwd,
  briefOutput: (brief, notice) => JSON.stringify({ brief, notice }),
};
