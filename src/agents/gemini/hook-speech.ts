// What Gemini CLI's hooks say (measured with 0.61.0, fixtures/payloads/gemini), in our words. Tolerant: a field that is missing
// or of another type costs that field, and an event nobody asked for is ignored.
import path from "node:path";
import type { HookBase, HookEvent, HookSpeech } from "../agent.js";
import {
  commonEvent,
  contextOutput,
  fieldsAt,
  hookCall,
  ignoredTool,
  isFields,
  stopEvent,
  textAt,
  type Fields,
} from "../payload-fields.js";
import { readShellAnswer } from "./read-shell-answer.js";

/** The tool that runs a command line, and those that write a file. */
export const SHELL = "run_shell_command";
export const EDITORS: ReadonlySet<string> = new Set(["write_file", "replace"]);
/** What somebody's session-start hook printed stands in front of the first prompt, its angle brackets escaped. */
const CONTEXT = /^\s*<hook_context>[^<]*<\/hook_context>\s*/u;

/** Tool results are a text, or parts of which some are texts. */
function answerText(value: unknown): string {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return parts
    .map((part) => (typeof part === "string" ? part : isFields(part) ? (textAt(part, "text") ?? "") : ""))
    .join("\n");
}

function commandEvent(base: HookBase, fields: Fields): HookEvent {
  const input = fieldsAt(fields, "tool_input");
  const command = textAt(input, "command");
  if (command === null) return { ...base, kind: "ignored", why: "no command" };
  const response = fieldsAt(fields, "tool_response");
  const outcome = readShellAnswer(answerText(response["llmContent"]), textAt(response, "returnDisplay"));
  if (outcome === null)
    return { ...base, kind: "ignored", why: "the command goes on, and nothing will tell how it ends" };
  const folder = textAt(input, "dir_path");
  const cwd = base.cwd === "" ? null : base.cwd;
  return {
    ...base,
    kind: "command",
    command: {
      command,
      ...outcome,
      error: outcome.error ?? textAt(fieldsAt(response, "error"), "message"),
      stderr: "",
      duration_ms: null,
      started_at: null,
      tool: SHELL,
      // Payloads have no id of the call.
      command_id: null,
      cwd: folder === null || cwd === null ? cwd : path.resolve(cwd, folder),
      subagent: base.subagent,
      agent_note: textAt(input, "description"),
    },
  };
}

function toolEvent(base: HookBase, fields: Fields): HookEvent {
  const tool = textAt(fields, "tool_name") ?? "";
  if (tool === SHELL) return commandEvent(base, fields);
  const file = EDITORS.has(tool) ? textAt(fieldsAt(fields, "tool_input"), "file_path") : null;
  const failed = isFields(fieldsAt(fields, "tool_response")["error"]);
  if (file === null || failed) return ignoredTool(base, tool);
  return { ...base, kind: "edit", edit: { paths: [file], tool, command_id: null } };
}

function parseHook(eventName: string, payload: unknown): HookEvent | null {
  const call = hookCall(eventName, payload);
  if (call === null) return null;
  const { key, base, fields } = call;
  switch (key) {
    case "beforeagent":
      return {
        ...base,
        kind: "prompt",
        prompt: (textAt(fields, "prompt") ?? "").replace(CONTEXT, ""),
      };
    case "aftertool":
      return toolEvent(base, fields);
    case "afteragent":
      return stopEvent(base, fields, "prompt_response");
    case "precompress":
      // It comes before every request to the model, whether anything is compressed or not; only a person's wish is one.
      return fields["trigger"] === "manual"
        ? { ...base, kind: "pre_compact" }
        : { ...base, kind: "ignored", why: "a look at whether to compress" };
    case "beforetool":
    case "beforemodel":
    case "aftermodel":
    case "beforetoolselection":
    case "notification":
      return { ...base, kind: "ignored", why: "an event that says nothing to record" };
    default:
      return commonEvent(key, base, fields);
  }
}

/** Gemini CLI's hooks. */
export const geminiHooks: HookSpeech = {
  name: "gemini",
  title: "Gemini CLI",
  // Hooks have it; what the agent's own shell runs does not (GEMINI_CLI=1 is all it sees).
  sessionVariables: ["GEMINI_SESSION_ID"],
  program: { names: ["gemini"] },
  // It waits for this hook for as long as the hook's own timeout says.
  sessionEndSeconds: 10,
  claims: (payload) =>
    isFields(payload) &&
    textAt(payload, "timestamp") !== null &&
    /[\\/]chats[\\/]session-[^\\/]*\.jsonl?$/u.test(textAt(payload, "transcript_path") ?? ""),
  parseHook,
  sessionFolder: (event, { env, cwd }) => env["GEMINI_PROJECT_DIR"] || event.cwd || cwd,
  // Without a terminal, what a start hook prints is put in front of the first prompt, and a session that is resumed has lost
  // both: Gemini CLI leaves out messages that begin with a hook's context. Behind a prompt it stays.
  briefWith: "prompt",
  briefOutput: (brief, notice) => contextOutput("BeforeAgent", brief, notice),
};
