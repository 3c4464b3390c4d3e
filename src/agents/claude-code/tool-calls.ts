// Tool calls in Claude Code's transcript: the call is one row, its result another, and what goes on in the background ends
// with a notice much later. Of a call nothing is kept but what a record needs.
import type { AwaitedEnd, CommandFact, Subagent } from "../agent.js";
import { openCalls } from "../open-calls.js";
import { fieldsAt, textAt, type Fields } from "../payload-fields.js";
import type { TranscriptItem } from "../transcript.js";
import { readOutcome, readTaskEnd, type Outcome } from "./read-outcome.js";
import { EDITORS, SHELLS } from "./tools.js";

/** Where a call stands. */
interface CallPlace {
  readonly at: string | null;
  readonly subagent: Subagent | null;
  /** The message that made it. */
  readonly message: string | null;
}
type Call = CallPlace &
  (
    | {
        readonly kind: "command";
        /** As asked, or with what was told of it before it went on in the background. */
        readonly fact: Omit<CommandFact, "awaits">;
        readonly awaits: AwaitedEnd;
      }
    | { readonly kind: "edit"; readonly path: string; readonly tool: string }
  );

const FROM_TRANSCRIPT: AwaitedEnd = { from: "transcript", task_id: null };

/** The calls that are under way. */
export interface ToolCalls {
  /** Takes a `tool_use` block; `row` is the row around it. */
  readonly call: (block: Fields, row: Fields, subagent: Subagent | null) => TranscriptItem[];
  /** Takes a `tool_result` block; `around` is its row when that row is about this block alone. */
  readonly result: (block: Fields, around: Fields, at: string | null) => TranscriptItem[];
  /** Takes a notice that a command in the background is over; any other text is none. */
  readonly notice: (text: unknown, at: string | null) => TranscriptItem[];
  /** The agent goes on with another message: what an earlier one called and never heard of is lost. */
  readonly nextMessage: (message: string | null, subagent: Subagent | null) => TranscriptItem[];
  /** Nothing follows. */
  readonly end: () => TranscriptItem[];
}

function between(from: string | null, to: string | null): number | null {
  const ms = from === null || to === null ? Number.NaN : Date.parse(to) - Date.parse(from);
  return Number.isFinite(ms) && ms >= 0 ? ms : null;
}

function isInBackground(call: Call): boolean {
  return call.kind === "command" && call.awaits.from === "background";
}

/** Calls that were not heard of again. An edit without a result is none. */
function lost(calls: readonly Call[]): TranscriptItem[] {
  return calls.flatMap((call): TranscriptItem[] => {
    if (call.kind === "edit") return [];
    const error = isInBackground(call)
      ? "still running in the background when the transcript ends"
      : "no result in the transcript: it may have been running when the session stopped";
    return [{ kind: "command", at: call.at, command: { ...call.fact, awaits: call.awaits, error } }];
  });
}

function readCall(block: Fields, row: Fields, subagent: Subagent | null, id: string): Call | null {
  const tool = textAt(block, "name") ?? "";
  const input = fieldsAt(block, "input");
  const at = textAt(row, "timestamp");
  const message = textAt(fieldsAt(row, "message"), "id");
  const field = Object.hasOwn(EDITORS, tool) ? EDITORS[tool] : undefined;
  const path = field === undefined ? null : textAt(input, field);
  // Spelled out, here and below: a live stream has thousands of calls, and spreading costs more than reading them (R31).
  if (path !== null) return { kind: "edit", at, subagent, message, path, tool };
  const command = SHELLS.has(tool) ? textAt(input, "command") : null;
  if (command === null) return null;
  const fact = {
    command,
    exit_code: null,
    error: null,
    stdout: "",
    stderr: "",
    duration_ms: null,
    started_at: at,
    tool,
    command_id: id,
    cwd: textAt(row, "cwd"),
    subagent,
    agent_note: textAt(input, "description"),
  };
  return { kind: "command", at, subagent, message, fact, awaits: FROM_TRANSCRIPT };
}

/** What a call and its outcome come to; a call that goes on in the background comes back as one. */
function settle(
  call: Call,
  outcome: Outcome,
  id: string,
  at: string | null,
): { readonly item: TranscriptItem } | { readonly goesOn: Call } | null {
  if (call.kind === "edit") {
    if (outcome.exit_code === null) return null;
    const edit = { paths: [call.path], tool: call.tool, command_id: id };
    return { item: { kind: "edit", at, edit, subagent: call.subagent } };
  }
  const { stdout, stderr, exit_code, error, stdout_cut, task_id } = outcome;
  const asked = call.fact;
  const fact = {
    command: asked.command,
    exit_code,
    error,
    stdout,
    stderr,
    duration_ms: task_id === null ? between(call.at, at) : asked.duration_ms,
    started_at: asked.started_at,
    tool: asked.tool,
    command_id: asked.command_id,
    cwd: asked.cwd,
    subagent: asked.subagent,
    agent_note: asked.agent_note,
  };
  const whole: Omit<CommandFact, "awaits"> = stdout_cut > 0 ? { ...fact, stdout_cut } : fact;
  if (task_id !== null) return { goesOn: { ...call, fact: whole, awaits: { from: "background", task_id } } };
  return { item: { kind: "command", at, command: whole } };
}

/** An empty table. */
export function createToolCalls(): ToolCalls {
  const calls = openCalls<Call>();
  return {
    call: (block, row, subagent) => {
      const id = textAt(block, "id");
      const call = id === null ? null : readCall(block, row, subagent, id);
      return id === null || call === null ? [] : lost(calls.open(id, call));
    },
    result: (block, around, at) => {
      const id = textAt(block, "tool_use_id");
      const call = id === null ? null : calls.close(id);
      if (id === null || call === null) return [];
      const settled = settle(call, readOutcome(block, around), id, at);
      if (settled === null) return [];
      return "item" in settled ? [settled.item] : lost(calls.open(id, settled.goesOn));
    },
    notice: (text, at) => {
      const end = typeof text === "string" ? readTaskEnd(text) : null;
      const call = end === null ? null : calls.close(end.command_id);
      // Stopped by somebody: that says nothing about the command.
      if (end === null || end.exit_code === null || call?.kind !== "command") return [];
      const { fact, awaits } = call;
      const { exit_code, output_file } = end;
      const duration_ms = between(call.at, at);
      const id = awaits.task_id;
      const task = id === null ? {} : { task: { id, output_file } };
      return [{ kind: "command", at, command: { ...fact, exit_code, error: null, duration_ms }, ...task }];
    },
    nextMessage: (message, subagent) =>
      lost(
        calls.take(
          (call) => call.message !== message && call.subagent?.id === subagent?.id && !isInBackground(call),
        ),
      ),
    end: () => lost(calls.take(() => true)),
  };
}
