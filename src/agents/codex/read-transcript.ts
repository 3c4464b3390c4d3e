// Reads a Codex rollout row by row (A12, measured with 0.171.0, fixtures/transcripts/codex): commands and edits that ended are
// items of their own, whatever tool made them, code mode too; the rest is in the answers to the calls.
import type { CommandFact, Subagent } from "../agent.js";
import { fieldsAt, isFields, textAt, wholeAt, type Fields } from "../payload-fields.js";
import type { ContextReading, TranscriptFacts, TranscriptItem, TranscriptReader } from "../transcript.js";
import { createCommandCalls } from "./command-calls.js";
import { changedPaths, readCommandItem } from "./command-item.js";
import { readEarlierEvent } from "./earlier-events.js";

/** Longest text kept of a prompt or a message, in UTF-16 units. */
const TEXT_LIMIT = 65_536;

type Facts = { -readonly [K in keyof TranscriptFacts]: TranscriptFacts[K] };

/** Texts of a message item: `[{"type": "text", "text": "…"}]`. */
function messageText(item: Fields): string {
  const content = item["content"];
  if (!Array.isArray(content)) return "";
  const texts: string[] = [];
  for (const part of content)
    if (isFields(part) && typeof part["text"] === "string") texts.push(part["text"]);
  return texts.join("\n").trim();
}

/** Whose rollout it is, by its first row; null: the main thread's. */
export function subagentOfMeta(meta: Fields): Subagent | null {
  const { source } = meta;
  const isSubagent = isFields(source) && "subagent" in source;
  if (!isSubagent && meta["thread_source"] !== "subagent") return null;
  const spawned = isFields(source) ? fieldsAt(fieldsAt(source, "subagent"), "thread_spawn") : {};
  const kind = isFields(source) ? textAt(source, "subagent") : null;
  // Hooks call a subagent without a role of its own "default".
  return { id: textAt(meta, "id") ?? "subagent", type: textAt(spawned, "agent_role") ?? kind ?? "default" };
}

/** Input tokens of the newest request. After a compaction or an overflow only Codex's own estimate of the whole is there. */
function usedTokens(usage: Fields): number | null {
  const input = wholeAt(usage, "input_tokens");
  const used = input === null || input === 0 ? wholeAt(usage, "total_tokens") : input;
  return used === 0 ? null : used;
}

/** A reader of one file; with `owner`, of what that subagent did. */
export function createCodexReader(owner: Subagent | null = null): TranscriptReader {
  const calls = createCommandCalls();
  const facts: Facts = {
    session_id: null,
    cwd: null,
    model: null,
    branch: null,
    base_commit: null,
    started_at: null,
    goal: null,
    last_message: null,
  };
  let subagent = owner;
  let unreadable = 0;
  let used: number | null = null;
  let window: number | null = null;
  let hasMeta = false;

  const commandItem = (command: CommandFact, at: string | null): TranscriptItem => ({
    kind: "command",
    at,
    command: { ...command, subagent },
  });

  const editItem = (paths: readonly string[], id: string | null, at: string | null): TranscriptItem[] => {
    if (id !== null) calls.forget(id);
    const edit = { paths, tool: "apply_patch", command_id: id };
    return paths.length === 0 ? [] : [{ kind: "edit", at, edit, subagent }];
  };

  const takePrompt = (text: string, at: string | null): TranscriptItem[] => {
    if (subagent !== null || text === "") return [];
    const prompt = text.slice(0, TEXT_LIMIT);
    facts.goal ??= prompt;
    return [{ kind: "prompt", at, prompt }];
  };

  const takeMessage = (text: string): void => {
    if (subagent === null && text !== "") facts.last_message = text.slice(-TEXT_LIMIT);
  };

  const takeMeta = (meta: Fields): void => {
    // A forked rollout may repeat the one it came from.
    if (hasMeta) return;
    hasMeta = true;
    subagent ??= subagentOfMeta(meta);
    const git = fieldsAt(meta, "git");
    facts.session_id = textAt(meta, "session_id") ?? textAt(meta, "id");
    facts.cwd = textAt(meta, "cwd");
    facts.branch = textAt(git, "branch");
    facts.base_commit = textAt(git, "commit_hash");
    facts.started_at = textAt(meta, "timestamp");
  };

  const takeItem = (payload: Fields, at: string | null): TranscriptItem[] => {
    const item = fieldsAt(payload, "item");
    switch (item["type"]) {
      case "UserMessage":
        return takePrompt(messageText(item), at);
      case "AgentMessage":
        takeMessage(messageText(item));
        return [];
      case "CommandExecution": {
        const command = readCommandItem(payload);
        return command === null ? [] : calls.told(command).map((fact) => commandItem(fact, at));
      }
      case "FileChange": {
        const paths = item["status"] === "completed" ? changedPaths(item) : [];
        return editItem(paths, textAt(item, "id"), at);
      }
      default:
        return [];
    }
  };

  const takeUsage = (usage: Fields): void => {
    used = usedTokens(usage) ?? used;
  };

  const takeEvent = (payload: Fields, at: string | null): TranscriptItem[] => {
    window = wholeAt(payload, "model_context_window") ?? window;
    switch (payload["type"]) {
      case "item_completed":
        return takeItem(payload, at);
      case "token_count": {
        const info = fieldsAt(payload, "info");
        window = wholeAt(info, "model_context_window") ?? window;
        takeUsage(fieldsAt(info, "last_token_usage"));
        return [];
      }
      case "task_started":
        // What an earlier turn called is over; what it left running goes on.
        return calls.nextTurn().map((fact) => commandItem(fact, at));
      default: {
        const told = readEarlierEvent(payload, at);
        if (told === null) return [];
        if (told.kind === "prompt") return takePrompt(told.text, at);
        if (told.kind === "edit") return editItem(told.paths, told.id, at);
        if (told.kind === "command") return calls.told(told.command).map((fact) => commandItem(fact, at));
        takeMessage(told.text);
        return [];
      }
    }
  };

  const takeRow = (row: Fields): TranscriptItem[] => {
    const at = textAt(row, "timestamp");
    const payload = fieldsAt(row, "payload");
    switch (row["type"]) {
      case "session_meta":
        takeMeta(payload);
        return [];
      case "turn_context":
        facts.model = textAt(payload, "model") ?? facts.model;
        facts.cwd ??= textAt(payload, "cwd");
        return [];
      case "token_usage_record":
        takeUsage(fieldsAt(payload, "usage"));
        return [];
      case "event_msg":
        return takeEvent(payload, at);
      case "response_item":
        return calls.take(payload, at, facts.cwd).map((fact) => commandItem(fact, at));
      default:
        return [];
    }
  };

  return {
    push: (line) => {
      if (line.trim() === "") return [];
      try {
        const row: unknown = JSON.parse(line);
        if (isFields(row)) return takeRow(row);
      } catch {
        // Counted like a line that is no object.
      }
      unreadable += 1;
      return [];
    },
    end: () => calls.end().map((fact) => commandItem(fact, fact.started_at)),
    facts: () => ({ ...facts }),
    context: (): ContextReading | null =>
      used === null || subagent !== null ? null : { used_tokens: used, window },
    unreadable: () => unreadable,
  };
}
