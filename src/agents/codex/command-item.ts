// A command as a Codex rollout tells it once it is over (measured with 0.171.0): an item of type CommandExecution.
import { fileURLToPath } from "node:url";
import type { CommandFact } from "../agent.js";
import { countAt, fieldsAt, isFields, textAt, type Fields } from "../payload-fields.js";

/** The largest time a Date can hold, ms since the epoch. */
const LAST_MS = 8.64e15;

/** Milliseconds since the epoch as ISO 8601, or null. */
export function isoOf(ms: number | null): string | null {
  return ms === null || ms > LAST_MS ? null : new Date(ms).toISOString();
}

/** What the agent asked for: `["/bin/bash", "-lc", "npm test"]` is the shell's line, as its hooks tell it. Null: unusable. */
export function shellLine(argv: unknown): string | readonly string[] | null {
  if (typeof argv === "string") return argv.trim() === "" ? null : argv;
  if (!Array.isArray(argv)) return null;
  const words = argv.filter((word) => typeof word === "string");
  if (words.length !== argv.length || words.length === 0) return null;
  const flag = words.at(-2) ?? "";
  const line = words.at(-1);
  const isShell = words.length === 3 ? /^(?:-[a-z]*c|\/c)$/iu.test(flag) : false;
  const isPowerShell = words.length >= 3 && /^-command$/iu.test(flag);
  return line !== undefined && (isShell || isPowerShell) ? line : words;
}

/** A folder as it stands there: a path, since 0.171 a file URL. */
export function folderOf(item: Fields): string | null {
  const cwd = textAt(item, "cwd");
  if (cwd === null || !cwd.startsWith("file:")) return cwd;
  try {
    return fileURLToPath(cwd);
  } catch {
    return null;
  }
}

/** `{secs, nanos}` in milliseconds. */
export function durationOf(item: Fields): number | null {
  const duration = fieldsAt(item, "duration");
  const secs = countAt(duration, "secs");
  return secs === null ? null : Math.round(secs * 1000 + (countAt(duration, "nanos") ?? 0) / 1_000_000);
}

/** An exit status; -1 is Codex's own for a command that it stopped, and none. */
export function exitOf(item: Fields): number | null {
  const exit = item["exit_code"];
  return typeof exit === "number" && Number.isSafeInteger(exit) && exit !== -1 ? exit : null;
}

/** Why there is no exit status. */
export function endlessError(item: Fields): string {
  const status = textAt(item, "status") ?? "no status";
  return status === "declined" ? "denied" : `stopped before it ended (${status})`;
}

/** Files that a patch wrote, deleted or moved: the keys of `changes`, and where an update moved its file. */
export function changedPaths(item: Fields): readonly string[] {
  const changes = fieldsAt(item, "changes");
  const paths = Object.entries(changes).flatMap(([file, change]) => {
    const moved = isFields(change) ? textAt(change, "move_path") : null;
    return moved === null ? [file] : [file, moved];
  });
  return [...new Set(paths)];
}

/** The command of an `item_completed` payload; null for every other item, and for one without command or id. */
export function readCommandItem(payload: Fields): CommandFact | null {
  const item = fieldsAt(payload, "item");
  if (payload["type"] !== "item_completed" || item["type"] !== "CommandExecution") return null;
  const command = shellLine(item["command"]);
  const command_id = textAt(item, "id");
  if (command === null || command_id === null) return null;
  const exit_code = exitOf(item);
  const output = item["aggregated_output"];
  return {
    command,
    exit_code,
    error: exit_code === null ? endlessError(item) : null,
    stdout: typeof output === "string" ? output : "",
    stderr: "",
    duration_ms: durationOf(item),
    started_at: isoOf(countAt(payload, "started_at_ms")),
    tool: "Bash",
    command_id,
    cwd: folderOf(item),
    subagent: null,
    agent_note: null,
  };
}
