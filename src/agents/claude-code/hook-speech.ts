// What Claude Code's hooks say (measured with 2.1.332, fixtures/payloads/claude-code), in our words. Tolerant: a field that
// is missing or of another type costs that field, and an event nobody asked for is ignored.
import type { BackgroundEnd, CommandFact, HookBase, HookEvent, HookSpeech } from "../agent.js";
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
import { readFailure } from "./read-failure.js";
import { readTaskEnd } from "./read-outcome.js";
import { readTaskOutput } from "./read-task-output.js";
import { BLOCKING_NOTIFICATIONS, EDITORS, SHELLS } from "./tools.js";

/** What the program says in the place of a prompt. */
const NOTIFICATION = /^\s*<task-notification>/u;
/** Kinds of notifications that a turn waits for an answer to. */
const BLOCKING: ReadonlySet<string> = new Set(BLOCKING_NOTIFICATIONS);

function commandOf(base: HookBase, fields: Fields, failed: boolean): CommandFact | null {
  const input = fieldsAt(fields, "tool_input");
  const command = textAt(input, "command");
  if (command === null) return null;
  const answer = fields["tool_response"];
  const response = isFields(answer) ? answer : {};
  const duration_ms = countAt(fields, "duration_ms");
  const told = {
    command,
    duration_ms,
    started_at: null,
    tool: textAt(fields, "tool_name") ?? "Bash",
    command_id: textAt(fields, "tool_use_id"),
    cwd: base.cwd === "" ? null : base.cwd,
    subagent: base.subagent,
    agent_note: textAt(input, "description"),
  };
  if (failed) {
    const end = readFailure(textAt(fields, "error") ?? "", fields["is_interrupt"] === true);
    return { ...told, exit_code: end.exit_code, error: end.error, stdout: end.output, stderr: "" };
  }
  const said = typeof answer === "string" ? answer : (textAt(response, "stdout") ?? "");
  // An image's output is its bytes.
  const stdout = response["isImage"] === true ? "" : said;
  const stderr = textAt(response, "stderr") ?? "";
  const task = textAt(response, "backgroundTaskId");
  // Started in the background, or put there when its time was over (`timedOutAfterMs`): it has not ended.
  if (task !== null)
    return {
      ...told,
      exit_code: null,
      error: null,
      stdout,
      stderr,
      awaits: { from: "background", task_id: task },
    };
  const interrupted = response["interrupted"] === true;
  // `grep` without a match, `diff` of files that differ, `test` that is false: told as a success, with a word for the 1.
  const meaning = textAt(response, "returnCodeInterpretation");
  const whole = countAt(response, "persistedOutputSize");
  const cut = whole === null ? 0 : whole - Buffer.byteLength(stdout);
  return {
    ...told,
    // Success has no exit field: the hook itself says that it was 0.
    exit_code: interrupted ? null : meaning === null ? 0 : 1,
    error: interrupted ? "interrupted" : meaning,
    stdout,
    stderr,
    ...(cut > 0 ? { stdout_cut: cut } : {}),
  };
}

/** A command in the background is over: told as a prompt that no person wrote. */
function backgroundEnd(prompt: string): BackgroundEnd | null {
  const end = readTaskEnd(prompt);
  if (end === null) return null;
  const output_file = /<output-file>([^<]{1,4096})<\/output-file>/u.exec(prompt)?.[1]?.trim() ?? null;
  return { command_id: end.command_id, exit_code: end.exit_code, output_file };
}

function toolEvent(base: HookBase, fields: Fields, failed: boolean): HookEvent {
  const tool = textAt(fields, "tool_name") ?? "";
  if (SHELLS.has(tool)) {
    const command = commandOf(base, fields, failed);
    return command === null
      ? { ...base, kind: "ignored", why: "no command" }
      : { ...base, kind: "command", command };
  }
  const editor = Object.hasOwn(EDITORS, tool) ? EDITORS[tool] : undefined;
  const file = editor === undefined ? null : textAt(fieldsAt(fields, "tool_input"), editor);
  if (file === null || failed) return ignoredTool(base, tool);
  return {
    ...base,
    kind: "edit",
    edit: { paths: [file], tool, command_id: textAt(fields, "tool_use_id") },
  };
}

function promptEvent(base: HookBase, fields: Fields): HookEvent {
  const prompt = textAt(fields, "prompt") ?? "";
  if (!NOTIFICATION.test(prompt)) return { ...base, kind: "prompt", prompt };
  const end = backgroundEnd(prompt);
  return end === null ? { ...base, kind: "busy" } : { ...base, kind: "command_end", end };
}

function parseHook(eventName: string, payload: unknown): HookEvent | null {
  const call = hookCall(eventName, payload);
  if (call === null) return null;
  const { key, base, fields } = call;
  switch (key) {
    case "userpromptsubmit":
      return promptEvent(base, fields);
    case "posttooluse":
      return toolEvent(base, fields, false);
    case "posttoolusefailure":
      return toolEvent(base, fields, true);
    case "stop":
      return stopEvent(base, fields, "last_assistant_message");
    case "stopfailure":
      // The API refused; what it said is no message of the agent.
      return { ...base, kind: "stop", active: false, last_message: null };
    case "precompact":
      return { ...base, kind: "pre_compact" };
    case "permissionrequest":
      return { ...base, kind: "blocked" };
    case "notification":
      // The other kinds tell a person that nothing happens: that the prompt is empty, that a login succeeded.
      return BLOCKING.has(textAt(fields, "notification_type") ?? "")
        ? { ...base, kind: "blocked" }
        : { ...base, kind: "ignored", why: "a notification that nothing waits for" };
    case "subagentstart":
      return { ...base, kind: "helper", running: true };
    // Compaction fires one with an empty agent_type, too.
    case "subagentstop":
      return { ...base, kind: "helper", running: false };
    case "pretooluse":
    case "permissiondenied":
    case "postcompact":
      return { ...base, kind: "ignored", why: "an event that tells nothing to record" };
    default:
      return commonEvent(key, base, fields);
  }
}

/** Claude Code's hooks. */
export const claudeCodeHooks: HookSpeech = {
  name: "claude-code",
  title: "Claude Code",
  sessionVariables: ["CLAUDE_CODE_SESSION_ID"],
  projectVariable: "CLAUDE_PROJECT_DIR",
  program: { names: ["claude"], variable: "CLAUDE_PID" },
  // Without a timeout in its settings Claude Code kills the hook after 1.5 s.
  sessionEndSeconds: 10,
  claims: (payload) => {
    if (!isFields(payload)) return false;
    const transcript = textAt(payload, "transcript_path")?.replaceAll("\\", "/") ?? "";
    return /\/projects\/[^/]+\/[^/]+\.jsonl$/u.test(transcript) || "prompt_id" in payload;
  },
  parseHook,
  // A payload's cwd follows the agent's `cd`.
  sessionFolder: (event, { env, cwd }) => env["CLAUDE_PROJECT_DIR"] || event.cwd || cwd,
  readTaskOutput,
  briefOutput: (brief, notice) => contextOutput("SessionStart", brief, notice),
};
