// What Codex's hooks say (measured with 0.171.0, fixtures/payloads/codex), in our words. Its payloads do not tell how a command
// ended; the rollout does, and tells of commands that no hook is called for.
import type { HookBase, HookEvent, HookSpeech } from "../agent.js";
import {
  commonEvent,
  contextOutput,
  countAt,
  fieldsAt,
  hookCall,
  ignoredTool,
  isFields,
  stopEvent,
  textAt,
  type Fields,
} from "../payload-fields.js";
import { patchPaths } from "./patch-paths.js";
import { findRolloutEnd } from "./read-exit-code.js";

/** Codex's limit for this hook; it shortens a longer one and complains. */
const SESSION_END_SECONDS = 3;

function toolEvent(base: HookBase, fields: Fields): HookEvent {
  const tool = textAt(fields, "tool_name") ?? "";
  const command = textAt(fieldsAt(fields, "tool_input"), "command");
  const command_id = textAt(fields, "tool_use_id");
  if (command === null || (tool !== "Bash" && tool !== "apply_patch")) return ignoredTool(base, tool);
  if (tool === "apply_patch")
    return { ...base, kind: "edit", edit: { paths: patchPaths(command), tool, command_id } };
  const response = fields["tool_response"];
  const answer = isFields(response) ? response : {};
  return {
    ...base,
    kind: "command",
    command: {
      command,
      exit_code: null,
      error: null,
      stdout: typeof response === "string" ? response : (textAt(answer, "output") ?? ""),
      stderr: "",
      duration_ms: countAt(fields, "duration_ms"),
      started_at: null,
      tool,
      command_id,
      cwd: base.cwd === "" ? null : base.cwd,
      subagent: base.subagent,
      agent_note: null,
      awaits: { from: "transcript", task_id: null },
    },
  };
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
      return stopEvent(base, fields, "last_assistant_message");
    case "interrupt":
      // The turn is over, and there is no Stop for it.
      return { ...base, kind: "stop", active: false, last_message: null };
    case "precompact":
      return { ...base, kind: "pre_compact" };
    case "permissionrequest":
      return { ...base, kind: "blocked" };
    case "subagentstart":
      return { ...base, kind: "helper", running: true };
    case "subagentstop":
      return { ...base, kind: "helper", running: false };
    case "pretooluse":
    case "postcompact":
      return { ...base, kind: "ignored", why: "an event that tells nothing to record" };
    default:
      return commonEvent(key, base, fields);
  }
}

/** Codex's hooks. */
export const codexHooks: HookSpeech = {
  name: "codex",
  title: "Codex",
  sessionVariables: ["CODEX_THREAD_ID", "CODEX_SESSION_ID"],
  callVariable: "CODEX_TOOL_CALL_ID",
  callMeta: "sessionId",
  program: {
    names: ["codex"],
    // The daemon that the terminal's program starts, and the server of editors.
    servesMany: (words) => words[1] === "app-server",
  },
  sessionEndSeconds: SESSION_END_SECONDS,
  claims: (payload) =>
    isFields(payload) &&
    (/(?:^|[/\\])rollout-[^/\\]*$/u.test(textAt(payload, "transcript_path") ?? "") || "turn_id" in payload),
  parseHook,
  // Of a tool call, a payload's cwd is the folder that call ran in; the hook itself always starts in the session's.
  sessionFolder: (event, { cwd }) =>
    event.kind === "command" || event.kind === "edit" ? cwd : event.cwd || cwd,
  briefOutput: (brief, notice) => contextOutput("SessionStart", brief, notice),
  findEnd: findRolloutEnd,
  readCommands: async (rollout, from) => {
    const { sweepRollout } = await import("./sweep-rollout.js");
    return sweepRollout(rollout, from);
  },
};
