// Parts of a row of Claude Code's stream.
import type { Subagent } from "../agent.js";
import { wholeAt, fieldsAt, textAt, type Fields } from "../payload-fields.js";

/** What counts as input, whether it was read from a cache, put there, or neither (R5). */
export function usedTokens(usage: Fields): number {
  const sides = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
  return sides.reduce((sum, side) => sum + (wholeAt(usage, side) ?? 0), 0);
}

const NO_BLOCKS: readonly unknown[] = [];

/** The content of a row's message; not every block need be an object. */
export function blocksOf(row: Fields): readonly unknown[] {
  const content = fieldsAt(row, "message")["content"];
  return Array.isArray(content) ? content : NO_BLOCKS;
}

/** Whose row it is; null: the main thread's. */
export function subagentOf(row: Fields): Subagent | null {
  const parent = textAt(row, "parent_tool_use_id");
  return parent === null ? null : { id: textAt(row, "agent_id") ?? parent, type: textAt(row, "agent_type") };
}
