// How a tool call of Claude Code ended, from its row in the transcript (measured with 2.1.332, fixtures/transcripts/claude-code).
import { countAt, isFields, textAt, type Fields } from "../payload-fields.js";
import { readFailure } from "./read-failure.js";

/** How a command ended. */
export interface Outcome {
  readonly exit_code: number | null;
  /** Why there is none, or what a nonzero one that Claude Code took for no failure means. */
  readonly error: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Bytes of stdout that Claude Code had left out. */
  readonly stdout_cut: number;
  /** Its name in the background: it goes on. */
  readonly task_id: string | null;
}

/** What stands there for no output at all. */
const SILENT = "(Bash completed with no output)";
/**
 * A subagent's rows have no result but this text: `Command running in background with ID: bjmzxcpyc. Output is …`,
 * `started\nCommand did not complete within its 1s timeout and was moved to the background (ID: bx2cibyb6). Output …`.
 */
const BACKGROUND =
  /(?:^|\n)Command (?:running in background with ID: |did not complete [^\n]{1,80} moved to the background \(ID: )([\w-]{1,64})/u;
/** Both a rejected and an interrupted command have it; only one that was asked about says so in its row. */
const UNWANTED = "The user doesn't want to proceed with this tool use";

/** The text of a tool result: a string, or blocks of which some are text. */
export function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts: string[] = [];
  for (const block of content)
    if (isFields(block) && typeof block["text"] === "string") texts.push(block["text"]);
  return texts.join("\n");
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

const NOTHING = { stdout: "", stderr: "", stdout_cut: 0, task_id: null };

/** A call that Claude Code calls an error. `row` is the row around the result. */
function failure(row: Fields, text: string): Outcome {
  if (text.startsWith(UNWANTED)) {
    const asked = row["toolDenialBeforeRun"] === true;
    const error = asked ? "denied: rejected before it ran" : "interrupted, or rejected before it ran";
    return { ...NOTHING, exit_code: null, error };
  }
  if (textAt(row, "toolDenialKind") !== null)
    return { ...NOTHING, exit_code: null, error: `denied: ${firstLine(text)}` };
  const refused = /^<tool_use_error>([\s\S]*?)(?:<\/tool_use_error>|$)/u.exec(text)?.[1];
  if (refused !== undefined)
    return { ...NOTHING, exit_code: null, error: `did not run: ${firstLine(refused)}` };
  const { exit_code, error, output } = readFailure(text, false);
  return { exit_code, error, stdout: output, stderr: "", stdout_cut: 0, task_id: null };
}

/** Reads the outcome of a command. `result` is the result block, `row` the row it stands in. */
export function readOutcome(result: Fields, row: Fields): Outcome {
  const text = resultText(result["content"]);
  if (result["is_error"] === true) return failure(row, text);
  const told = row["toolUseResult"];
  if (!isFields(told)) {
    const task = BACKGROUND.exec(text);
    const stdout = task === null ? text : text.slice(0, task.index);
    const exit_code = task === null ? 0 : null;
    return {
      ...NOTHING,
      exit_code,
      error: null,
      stdout: stdout === SILENT ? "" : stdout,
      task_id: task?.[1] ?? null,
    };
  }
  const problem = textAt(told, "error");
  if (problem !== null) return { ...NOTHING, exit_code: null, error: problem };
  // An image's output is its bytes.
  const output = told["stdout"];
  const stdout = typeof output === "string" && told["isImage"] !== true ? output : "";
  const whole = countAt(told, "persistedOutputSize");
  const stderr = textAt(told, "stderr") ?? "";
  const stdout_cut = whole === null ? 0 : Math.max(0, whole - Buffer.byteLength(stdout));
  const task_id = textAt(told, "backgroundTaskId");
  // grep, diff, test and their like exit 1 to say no: Claude Code calls that a success, and tells what it means.
  const meaning = textAt(told, "returnCodeInterpretation");
  let exit_code: number | null = meaning === null ? 0 : 1;
  let error = meaning;
  if (task_id !== null || told["interrupted"] === true) {
    exit_code = null;
    error = task_id === null ? "interrupted" : null;
  }
  return { exit_code, error, stdout, stderr, stdout_cut, task_id };
}

/** How a command in the background ended. */
export interface TaskEnd {
  /** The call that started it. */
  readonly command_id: string;
  /** null: somebody stopped it. */
  readonly exit_code: number | null;
  /** Where its output is said to lie. */
  readonly output_file: string | null;
}

function tagIn(text: string, tag: string): string | null {
  return new RegExp(`<${tag}>([^<]{1,4096})</${tag}>`, "u").exec(text)?.[1]?.trim() ?? null;
}

/**
 * Told as a message that no person wrote: `<task-notification>…<tool-use-id>toolu_…</tool-use-id>…<summary>Background command
 * "x" failed with exit code 5</summary>…`, `… completed (exit code 0)…`; null for every other text.
 */
export function readTaskEnd(text: string): TaskEnd | null {
  if (!/^\s*<task-notification>/u.test(text)) return null;
  const command_id = tagIn(text, "tool-use-id");
  if (command_id === null) return null;
  const exit = /exit code (-?\d{1,10})\)?$/u.exec(tagIn(text, "summary") ?? "")?.[1];
  const exit_code = exit === undefined ? null : Number(exit);
  return { command_id, exit_code, output_file: tagIn(text, "output-file") };
}
