// What Claude Code's stream tells (measured with 2.1.332). A result is judged by `is_error` and `terminal_reason`, never by
// `subtype`: an overflow on the first turn calls itself a success.
import type { Subagent } from "../agent.js";
import type { AgentSignal, TurnReader } from "../driver.js";
import { countAt, fieldsAt, isFields, textAt, wholeAt, type Fields } from "../payload-fields.js";
import { blocksOf, subagentOf, usedTokens } from "./stream-rows.js";
import { createToolCalls } from "./tool-calls.js";

/** The id of the control request that asks for the window. */
export const WINDOW_REQUEST = "handoff-window";
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

const NO_SIGNALS: readonly AgentSignal[] = [];

/** Takes what one turn prints. */
export function createStreamReader(): TurnReader {
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
  /** Model calls of the main thread: an interrupted turn has no result that would say how many. */
  let answers = 0;

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
    const messageModel = textAt(answered, "model");
    const isSynthetic = messageModel === SYNTHETIC;
    const id = textAt(answered, "id");
    if (subagent === null && !isSynthetic && id !== message) answers += 1;
    nextMessage(id, subagent, signals);
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
    const window = row === undefined ? null : wholeAt(row, "contextWindow");
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
                status: wholeAt(row, "api_error_status"),
                overflow: OVERFLOWED.has(reason),
              }
            : null,
        stop_reason: textAt(row, "stop_reason"),
        is_empty: isEmpty,
        turns: wholeAt(row, "num_turns") ?? answers,
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
    const window = wholeAt(fieldsAt(response, "response"), "maxTokens");
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
          turns: answers,
        },
      ];
    },
  };
}
