// Reads Claude Code's transcript row by row (A12, measured with 2.1.332, fixtures/transcripts/claude-code): one row a content
// block, a call and its result apart; a forked session begins with copies of another one's rows, which are not its own work.
import type { Subagent } from "../agent.js";
import { fieldsAt, isFields, textAt, wholeAt, type Fields } from "../payload-fields.js";
import type { ContextReading, TranscriptFacts, TranscriptItem, TranscriptReader } from "../transcript.js";
import { createPromptQueue, type Prompt } from "./prompt-queue.js";
import { createToolCalls } from "./tool-calls.js";

/** Longest text kept of a message, in UTF-16 units. */
const TEXT_LIMIT = 65_536;
/** The model of messages that the program made up itself. */
const SYNTHETIC = "<synthetic>";
/** What counts as input, whether it was read from a cache, put there, or neither. */
const INPUT_SIDES = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
/** `git log --oneline` as the session was started, newest first. */
const NEWEST_COMMIT = /^Recent commits:\n([0-9a-f]{7,64}) /mu;

type Facts = { -readonly [K in keyof TranscriptFacts]: TranscriptFacts[K] };

const NO_FACTS: Facts = {
  session_id: null,
  cwd: null,
  model: null,
  branch: null,
  base_commit: null,
  started_at: null,
  goal: null,
  last_message: null,
};

function blocksOf(row: Fields): readonly Fields[] {
  const content = fieldsAt(row, "message")["content"];
  return Array.isArray(content) ? content.filter(isFields) : [];
}

/** The rows that a forked session copied say whose they are. */
function isCopied(row: Fields): boolean {
  const owner = textAt(row, "requestSessionId");
  return owner !== null && owner !== textAt(row, "sessionId");
}

/** A reader of one file; with `owner`, of what that subagent did. */
export function createClaudeReader(owner: Subagent | null = null): TranscriptReader {
  const calls = createToolCalls();
  const prompts = createPromptQueue();
  const facts = { ...NO_FACTS };
  let unreadable = 0;
  let context: ContextReading | null = null;
  /** The message whose text is `last_message`. */
  let speaking: string | null = null;

  const subagentOf = (row: Fields): Subagent | null => {
    if (owner !== null) return owner;
    if (row["isSidechain"] !== true) return null;
    return { id: textAt(row, "agentId") ?? "sidechain", type: textAt(row, "attributionAgent") };
  };

  const note = (row: Fields, at: string | null): void => {
    facts.session_id ??= textAt(row, "sessionId");
    facts.cwd ??= textAt(row, "cwd");
    const branch = textAt(row, "gitBranch");
    // A detached head has no branch.
    facts.branch ??= branch === "HEAD" ? null : branch;
    facts.started_at ??= at;
  };

  const promptItems = (released: readonly Prompt[]): TranscriptItem[] => {
    facts.goal ??= released[0]?.text ?? null;
    return released.map(({ at, text }) => ({ kind: "prompt", at, prompt: text }));
  };

  const takeMainAnswer = (said: Fields, blocks: readonly Fields[]): void => {
    const model = textAt(said, "model");
    if (model === SYNTHETIC) return;
    facts.model = model ?? facts.model;
    const usage = fieldsAt(said, "usage");
    const used = INPUT_SIDES.reduce((sum, side) => sum + (wholeAt(usage, side) ?? 0), 0);
    if (used > 0) context = { used_tokens: used, window: null };
    const id = textAt(said, "id");
    for (const { type, text } of blocks) {
      if (type !== "text" || typeof text !== "string" || text.trim() === "") continue;
      // The rows of one message are its blocks.
      const before = id !== null && id === speaking ? `${facts.last_message ?? ""}\n\n` : "";
      facts.last_message = `${before}${text}`.slice(-TEXT_LIMIT);
      speaking = id;
    }
  };

  /** What was read so far is another session's. */
  const disown = (): TranscriptItem[] => {
    prompts.forget();
    Object.assign(facts, NO_FACTS, { session_id: facts.session_id, cwd: facts.cwd });
    return [];
  };

  const takeAnswer = (row: Fields): TranscriptItem[] => {
    const said = fieldsAt(row, "message");
    const subagent = subagentOf(row);
    const blocks = blocksOf(row);
    const items = calls.nextMessage(textAt(said, "id"), subagent);
    if (subagent === null) {
      items.push(...promptItems(prompts.release()));
      takeMainAnswer(said, blocks);
    }
    for (const block of blocks)
      if (block["type"] === "tool_use") items.push(...calls.call(block, row, subagent));
    return items;
  };

  const takeUser = (row: Fields, at: string | null): TranscriptItem[] => {
    const results = blocksOf(row).filter(({ type }) => type === "tool_result");
    const around = results.length === 1 ? row : {};
    const items = results.flatMap((result) => calls.result(result, around, at));
    items.push(...calls.notice(fieldsAt(row, "message")["content"], at));
    if (subagentOf(row) === null) items.push(...promptItems(prompts.take(row, at)));
    return items;
  };

  const takeRow = (row: Fields): TranscriptItem[] => {
    const at = textAt(row, "timestamp");
    if (isCopied(row)) return disown();
    note(row, at);
    switch (row["type"]) {
      case "assistant":
        return takeAnswer(row);
      case "user":
        return takeUser(row, at);
      case "queue-operation":
        return calls.notice(row["content"], at);
      case "attachment": {
        const status = textAt(fieldsAt(fieldsAt(row, "attachment"), "context"), "gitStatus") ?? "";
        facts.base_commit ??= NEWEST_COMMIT.exec(status)?.[1] ?? null;
        return [];
      }
      case "system": {
        const after = wholeAt(fieldsAt(row, "compactMetadata"), "postTokens");
        if (row["subtype"] === "compact_boundary" && after !== null && subagentOf(row) === null)
          context = { used_tokens: after, window: null };
        return [];
      }
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
    end: () => [...promptItems(prompts.release()), ...calls.end()],
    facts: () => ({ ...facts }),
    context: () => context,
    unreadable: () => unreadable,
  };
}
