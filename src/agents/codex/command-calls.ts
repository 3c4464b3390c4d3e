// Calls of Codex's command tools until it is told how they ended: by an item, by the answer to the call, or never.
import type { CommandFact } from "../agent.js";
import { openCalls } from "../open-calls.js";
import { isFields, textAt, type Fields } from "../payload-fields.js";
import { readCallOutput } from "./call-output.js";
import { shellLine } from "./command-item.js";

/** Tools that run a command, and where their arguments have it. The last three are of earlier versions. */
const COMMAND_FIELDS: Readonly<Record<string, string>> = {
  exec_command: "cmd",
  shell_command: "command",
  shell: "command",
  "container.exec": "command",
};
/** Ids of ended commands that are remembered: an item may follow the answer to its call, but soon. */
const REMEMBERED = 4096;

/** A command that was called. `goesOn`: it outlives the turn. */
interface Call {
  readonly fact: CommandFact;
  readonly goesOn: boolean;
}

/** The calls under way. What it gives back are commands that ended, or were lost. */
export interface CommandCalls {
  /** Takes a response item. */
  readonly take: (item: Fields, at: string | null, cwd: string | null) => readonly CommandFact[];
  /** Takes a command whose end is told in full. */
  readonly told: (command: CommandFact) => readonly CommandFact[];
  /** The call with this id was no command after all. */
  readonly forget: (id: string) => void;
  readonly nextTurn: () => readonly CommandFact[];
  /** Nothing follows. */
  readonly end: () => readonly CommandFact[];
}

function argumentsOf(item: Fields): Fields {
  const given = item["arguments"];
  if (typeof given !== "string") return isFields(given) ? given : {};
  try {
    const value: unknown = JSON.parse(given);
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}

function readCall(item: Fields, at: string | null, cwd: string | null): CommandFact | null {
  const name = textAt(item, "name") ?? "";
  const field = Object.hasOwn(COMMAND_FIELDS, name) ? COMMAND_FIELDS[name] : undefined;
  const command_id = textAt(item, "call_id");
  if (field === undefined || command_id === null) return null;
  const given = argumentsOf(item);
  const command = shellLine(given[field]);
  if (command === null) return null;
  return {
    command,
    exit_code: null,
    error: "no result in the transcript: it may have been running when the session stopped",
    stdout: "",
    stderr: "",
    duration_ms: null,
    started_at: at,
    tool: "Bash",
    command_id,
    cwd: textAt(given, "workdir") ?? cwd,
    subagent: null,
    agent_note: textAt(given, "justification"),
    awaits: { from: "transcript", task_id: null },
  };
}

function elapsed(from: string | null, to: string | null): number | null {
  const ms = from === null || to === null ? Number.NaN : Date.parse(to) - Date.parse(from);
  return Number.isFinite(ms) && ms >= 0 ? ms : null;
}

/** An empty table. */
export function createCommandCalls(): CommandCalls {
  const calls = openCalls<Call>();
  const ended = new Set<string>();
  const remember = (id: string): void => {
    ended.add(id);
    for (const oldest of ended) {
      if (ended.size <= REMEMBERED) break;
      ended.delete(oldest);
    }
  };
  const factsOf = (left: readonly Call[]): readonly CommandFact[] => left.map(({ fact }) => fact);

  const answer = (id: string, output: unknown, at: string | null): readonly CommandFact[] => {
    const call = calls.close(id);
    const read = readCallOutput(output);
    if (call === null || read.kind === "none") return [];
    const { awaits, ...fact } = call.fact;
    if (read.kind === "open") {
      const goesOn = read.error !== "interrupted";
      const told = { error: read.error, stdout: read.output, ...(awaits === undefined ? {} : { awaits }) };
      return factsOf(calls.open(id, { fact: { ...fact, ...told }, goesOn }));
    }
    remember(id);
    if (read.kind === "refused") return [{ ...fact, error: read.error }];
    const { exit_code, output: stdout } = read;
    return [{ ...fact, exit_code, error: null, stdout, duration_ms: elapsed(fact.started_at, at) }];
  };

  return {
    take: (item, at, cwd) => {
      const id = textAt(item, "call_id");
      if (id === null || ended.has(id)) return [];
      if (item["type"] === "function_call_output") return answer(id, item["output"], at);
      if (item["type"] !== "function_call") return [];
      const fact = readCall(item, at, cwd);
      return fact === null ? [] : factsOf(calls.open(id, { fact, goesOn: false }));
    },
    told: (command) => {
      const id = command.command_id ?? "";
      const call = calls.close(id);
      if (ended.has(id)) return [];
      remember(id);
      if (call === null) return [command];
      // It outlived its call and was stopped in the end, like a server: that says nothing about the command.
      if (command.exit_code === null && call.goesOn) return [];
      // What was asked for, as it was asked; and why it was stopped, where that is known.
      const why =
        command.exit_code === null && call.fact.error === "interrupted" ? "interrupted" : command.error;
      return [{ ...command, command: call.fact.command, agent_note: call.fact.agent_note, error: why }];
    },
    forget: (id) => {
      calls.close(id);
      remember(id);
    },
    nextTurn: () => factsOf(calls.take(({ goesOn }) => !goesOn)),
    end: () => factsOf(calls.take(() => true)),
  };
}
