// Runs Claude Code headless (measured with 2.1.332): one process a turn, the prompt as one stream-json line on stdin, a
// control request for the window in front of it, `--resume` for the next turn. A result is judged by `is_error` and
// `terminal_reason`, never by `subtype`: an overflow on the first turn calls itself a success.
import type { AgentDriver, AgentSignal, TurnReader, TurnRequest } from "../driver.js";
import { countAt, fieldsAt, isFields, textAt, type Fields } from "../payload-fields.js";
import type { Subagent } from "../agent.js";
import { createToolCalls } from "./tool-calls.js";

const WINDOW_REQUEST = "handoff-window";
const INTERRUPTED = new Set(["aborted_streaming", "aborted_tools"]);
const OVERFLOWED = new Set(["prompt_too_long", "blocking_limit"]);
/** The model of messages that the program made up itself. */
const SYNTHETIC = "<synthetic>";
/** Rows that say nothing a runner needs. */
const SILENT = new Set([
  "system",
  "user",
  "stream_event",
  "rate_limit_event",
  "tool_progress",
  "control_request",
  "control_cancel_request",
  "auth_status",
  "tool_use_summary",
]);

/** What counts as input, whether it was read from a cache, put there, or neither (R5). */
function usedTokens(usage: Fields): number {
  const sides = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
  return sides.reduce((sum, side) => sum + (countAt(usage, side) ?? 0), 0);
}

const NO_SIGNALS: readonly AgentSignal[] = [];
const NO_BLOCKS: readonly unknown[] = [];

function blocksOf(row: Fields): readonly unknown[] {
  const content = fieldsAt(row, "message")["content"];
  return Array.isArray(content) ? content : NO_BLOCKS;
}

function subagentOf(row: Fields): Subagent | null {
  const parent = textAt(row, "parent_tool_use_id");
  return parent === null ? null : { id: textAt(row, "agent_id") ?? parent, type: textAt(row, "agent_type") };
}

function createReader(): TurnReader {
  const calls = createToolCalls();
  const open = new Set<string>();
  let session: string | null = null;
  let model: string | null = null;
  let said = "";
  let isOver = false;
  /** Of the newest message, until a boundary. */
  let used = 0;
  let message: string | null = null;
  let isEmpty = true;

  /** A place to cut: what was read so far may be told. */
  const boundary = (final = false): readonly AgentSignal[] => {
    if (used === 0 || open.size > 0) return NO_SIGNALS;
    const signal: AgentSignal = { kind: "reading", used_tokens: used, final };
    used = 0;
    return [signal];
  };

  const sessionSignals = (row: Fields, newModel: string | null): readonly AgentSignal[] => {
    const id = textAt(row, "session_id") ?? session;
    if (id === null || (id === session && (newModel === null || newModel === model))) return NO_SIGNALS;
    session = id;
    model = newModel ?? model;
    return [{ kind: "session", session_id: id, model }];
  };

  /** Another message begins: what an earlier one called and never heard of is lost. */
  const nextMessage = (id: string | null, subagent: Subagent | null, signals: AgentSignal[]): void => {
    if (subagent === null) {
      if (id === message) return;
      open.clear();
      signals.push(...boundary());
      message = id;
      isEmpty = true;
    }
    for (const item of calls.nextMessage(id, subagent))
      if (item.kind === "command") signals.push({ kind: "command", command: item.command });
  };

  const callOf = (block: Fields, row: Fields, subagent: Subagent | null): void => {
    const call = textAt(block, "id");
    if (call === null) return;
    if (subagent === null) {
      open.add(call);
      isEmpty = false;
    }
    const isTimed = textAt(row, "timestamp") !== null;
    calls.call(block, isTimed ? row : { ...row, timestamp: new Date(0).toISOString() }, subagent);
  };

  const answer = (row: Fields): readonly AgentSignal[] => {
    const answered = fieldsAt(row, "message");
    const subagent = subagentOf(row);
    const signals: AgentSignal[] = [];
    nextMessage(textAt(answered, "id"), subagent, signals);
    const messageModel = textAt(answered, "model");
    const isSynthetic = messageModel === SYNTHETIC;
    if (subagent === null && !isSynthetic) {
      signals.push(...sessionSignals(row, messageModel));
      used = Math.max(used, usedTokens(fieldsAt(answered, "usage")));
    }
    for (const block of blocksOf(row)) {
      if (!isFields(block)) continue;
      if (block["type"] === "tool_use") callOf(block, row, subagent);
      else if (block["type"] === "text" && subagent === null && !isSynthetic) {
        const text = textAt(block, "text");
        if (text === null) continue;
        said = text;
        isEmpty = false;
        signals.push({ kind: "text", text });
      }
    }
    return signals;
  };

  const results = (row: Fields): readonly AgentSignal[] => {
    const blocks = blocksOf(row);
    const signals: AgentSignal[] = [];
    const at = textAt(row, "timestamp");
    // The stream calls the structured result `tool_use_result`, the transcript `toolUseResult`.
    const around: Fields = blocks.length === 1 ? { toolUseResult: row["tool_use_result"] } : {};
    for (const block of blocks) {
      if (!isFields(block) || block["type"] !== "tool_result") continue;
      for (const item of calls.result(block, around, at)) {
        if (item.kind === "command") signals.push({ kind: "command", command: item.command });
        else if (item.kind === "edit")
          signals.push({ kind: "edit", edit: item.edit, subagent: item.subagent });
      }
      const id = textAt(block, "tool_use_id");
      if (id !== null && open.delete(id)) signals.push(...boundary());
    }
    return signals;
  };

  const windows = (modelUsage: Fields): AgentSignal[] => {
    const own = model === null ? undefined : modelUsage[model];
    const row = isFields(own) ? own : Object.values(modelUsage).find(isFields);
    const window = row === undefined ? null : countAt(row, "contextWindow");
    return window === null || window === 0 ? [] : [{ kind: "window", window }];
  };

  const result = (row: Fields): AgentSignal[] => {
    isOver = true;
    open.clear();
    const reason = textAt(row, "terminal_reason") ?? "";
    const cost = countAt(row, "total_cost_usd");
    const text = textAt(row, "result") ?? "";
    const errors = row["errors"];
    const told = Array.isArray(errors) ? errors.filter((one) => typeof one === "string").join("\n") : "";
    const failed = row["is_error"] === true;
    const isCut = INTERRUPTED.has(reason);
    // The usage of a result is the sum over its calls: of one call alone it is that call's.
    if (message === null && row["num_turns"] === 1) used = usedTokens(fieldsAt(row, "usage"));
    return [
      ...sessionSignals(row, null),
      ...boundary(!failed && !isCut),
      ...windows(fieldsAt(row, "modelUsage")),
      ...(cost === null ? [] : [{ kind: "cost", total_usd: cost } as const]),
      {
        kind: "result",
        outcome: isCut ? "interrupted" : failed ? "failed" : "done",
        text: failed || text === "" ? said : text,
        error:
          failed && !isCut
            ? {
                text: [text, told].filter(Boolean).join("\n") || reason || "the turn failed",
                status: countAt(row, "api_error_status"),
                overflow: OVERFLOWED.has(reason),
              }
            : null,
        stop_reason: textAt(row, "stop_reason"),
        is_empty: isEmpty,
        turns: countAt(row, "num_turns"),
      },
    ];
  };

  const system = (row: Fields): readonly AgentSignal[] => {
    if (row["subtype"] === "init") return sessionSignals(row, textAt(row, "model"));
    if (row["subtype"] === "compact_boundary") return [{ kind: "compacted" }];
    return [];
  };

  const control = (row: Fields): AgentSignal[] => {
    const response = fieldsAt(row, "response");
    if (response["request_id"] !== WINDOW_REQUEST) return [];
    const window = countAt(fieldsAt(response, "response"), "maxTokens");
    return window === null || window === 0 ? [] : [{ kind: "window", window }];
  };

  const take = (row: Fields): readonly AgentSignal[] => {
    const type = typeof row["type"] === "string" ? row["type"] : "";
    switch (type) {
      case "assistant":
        return answer(row);
      case "user":
        return results(row);
      case "system":
        return system(row);
      case "result":
        return result(row);
      case "control_response":
        return control(row);
      default:
        return SILENT.has(type) ? NO_SIGNALS : [{ kind: "unknown", type }];
    }
  };

  let lastWords = "";
  return {
    stdout: (line) => {
      if (line.trim() === "") return NO_SIGNALS;
      try {
        const row: unknown = JSON.parse(line);
        if (isFields(row)) return take(row);
      } catch {
        // Told below.
      }
      return [{ kind: "torn" }];
    },
    stderr: (line) => {
      if (line.trim() !== "") lastWords = `${lastWords}\n${line}`.slice(-8192);
      return [];
    },
    end: ({ cut }) => {
      const signals: AgentSignal[] = calls
        .end()
        .flatMap((item) =>
          item.kind === "command" ? [{ kind: "command", command: item.command } as const] : [],
        );
      if (isOver) return signals;
      return [
        ...signals,
        {
          kind: "result",
          outcome: cut ? "interrupted" : "failed",
          text: said,
          error: cut ? null : { text: lastWords.trim(), status: null, overflow: false },
          stop_reason: null,
          is_empty: isEmpty,
          turns: null,
        },
      ];
    },
  };
}

function environment({ compact }: TurnRequest): Record<string, string> {
  if (compact === "auto") return {};
  return { DISABLE_AUTO_COMPACT: "1", ...(compact === "off" ? { DISABLE_COMPACT: "1" } : {}) };
}

/** What bounds a turn, with its value: `--max-turns 3`, `--max-budget-usd=2`. */
const LIMITS = new Set(["--max-turns", "--max-budget-usd"]);

function withoutLimits(args: readonly string[]): readonly string[] {
  return args.filter((arg, at) => {
    if (LIMITS.has(arg) || LIMITS.has(arg.split("=")[0] ?? "")) return false;
    return !LIMITS.has(args[at - 1] ?? "");
  });
}

/** Claude Code as a runner drives it. */
export const claudeDriver: AgentDriver = {
  name: "claude-code",
  title: "Claude Code",
  bin: "claude",
  obeysCompact: true,
  compactsAt: null,
  isUnknownSession: (text) => /\bno conversation found with session id\b/iu.test(text),
  turn: (request) => ({
    command: request.bin ?? claudeDriver.bin,
    args: [
      "-p",
      "--output-format",
      "stream-json",
      "--verbose",
      "--input-format",
      "stream-json",
      ...(request.resume === null ? ["--session-id", request.newSession] : ["--resume", request.resume]),
      ...(request.writing ? withoutLimits(request.args) : request.args),
    ],
    env: environment(request),
    input: [
      { type: "control_request", request_id: WINDOW_REQUEST, request: { subtype: "get_context_usage" } },
      { type: "user", message: { role: "user", content: [{ type: "text", text: request.prompt }] } },
    ]
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(""),
  }),
  createReader,
};
