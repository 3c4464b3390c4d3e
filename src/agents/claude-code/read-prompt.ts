// Which of Claude Code's "user" rows a person wrote (measured with 2.1.332): most of them are results, notes of the program,
// output of the person's own commands, or a summary.
import { fieldsAt, isFields, textAt, type Fields } from "../payload-fields.js";

/** What a user row is. */
export type PromptRow =
  | { readonly kind: "prompt"; readonly text: string }
  /** A slash command: the program answers most itself, and then no prompt was given. */
  | { readonly kind: "slash"; readonly text: string }
  /** What the slash command before became: the agent gets it. */
  | { readonly kind: "expanded" }
  | { readonly kind: "none" };

const NONE: PromptRow = { kind: "none" };
/** How texts begin that no person typed as a prompt. */
const OTHERS =
  /^\s*(?:<(?:task-notification|system-reminder|bash-(?:input|stdout|stderr)|local-command-[a-z]+)>|\[Request interrupted by user)/u;
const SLASH = /^\s*<command-(?:name|message)>/u;

function tagIn(text: string, tag: string): string {
  return new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, "u").exec(text)?.[1]?.trim() ?? "";
}

function textOf(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return null;
  const texts: string[] = [];
  for (const block of content) {
    if (!isFields(block) || block["type"] === "tool_result") return null;
    if (typeof block["text"] === "string") texts.push(block["text"]);
  }
  return texts.join("\n");
}

/** Reads a user row of the main thread. */
export function readPrompt(row: Fields): PromptRow {
  if (row["isCompactSummary"] === true || row["isVisibleInTranscriptOnly"] === true) return NONE;
  if (row["isMeta"] === true) return row["turnCompanion"] === true ? { kind: "expanded" } : NONE;
  const text = textOf(fieldsAt(row, "message")["content"]);
  if (text === null || text.trim() === "") return NONE;
  const origin = textAt(fieldsAt(row, "origin"), "kind");
  if (OTHERS.test(text) || row["promptSource"] === "system" || (origin !== null && origin !== "human"))
    return NONE;
  if (!SLASH.test(text)) return { kind: "prompt", text };
  const line = `${tagIn(text, "command-name")} ${tagIn(text, "command-args")}`.trim();
  return line === "" ? NONE : { kind: "slash", text: line };
}
