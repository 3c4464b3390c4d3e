// Rollouts of earlier versions of Codex (0.132 and about): the same facts as events of their own kinds, where 0.171 has items.
import type { CommandFact } from "../agent.js";
import { textAt, type Fields } from "../payload-fields.js";
import {
  changedPaths,
  durationOf,
  endlessError,
  exitOf,
  folderOf,
  isoOf,
  shellLine,
} from "./command-item.js";

/** What such an event tells. */
export type EarlierEvent =
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "command"; readonly command: CommandFact }
  | { readonly kind: "edit"; readonly paths: readonly string[]; readonly id: string | null };

/** `{"type": "exec_command_end", "call_id": "…", "command": […], "cwd": "…", "aggregated_output": "…", "exit_code": 1, …}` */
function readCommandEnd(payload: Fields, at: string | null): EarlierEvent | null {
  const command = shellLine(payload["command"]);
  const command_id = textAt(payload, "call_id");
  if (command === null || command_id === null) return null;
  const exit_code = exitOf(payload);
  const duration_ms = durationOf(payload);
  const output = payload["aggregated_output"];
  const done = at === null ? Number.NaN : Date.parse(at);
  return {
    kind: "command",
    command: {
      command,
      exit_code,
      error: exit_code === null ? endlessError(payload) : null,
      stdout: typeof output === "string" ? output : (textAt(payload, "stdout") ?? ""),
      stderr: typeof output === "string" ? "" : (textAt(payload, "stderr") ?? ""),
      duration_ms,
      started_at: Number.isNaN(done) ? null : isoOf(Math.max(0, done - (duration_ms ?? 0))),
      tool: "Bash",
      command_id,
      cwd: folderOf(payload),
      subagent: null,
      agent_note: null,
    },
  };
}

/** Reads one; null for all others. `at` is the row's time. */
export function readEarlierEvent(payload: Fields, at: string | null): EarlierEvent | null {
  switch (payload["type"]) {
    case "exec_command_end":
      return readCommandEnd(payload, at);
    case "patch_apply_end":
      return {
        kind: "edit",
        paths: payload["success"] === true ? changedPaths(payload) : [],
        id: textAt(payload, "call_id"),
      };
    case "user_message":
      return { kind: "prompt", text: textAt(payload, "message")?.trim() ?? "" };
    case "agent_message":
      return { kind: "message", text: textAt(payload, "message")?.trim() ?? "" };
    default:
      return null;
  }
}
