// Whether a prompt is a session's goal (A8): the first that asks for work. The same for prompts that hooks and transcripts tell of.
import type { Redactor } from "../redact/create-redactor.js";
import { keptText } from "./session-file.js";

/** What is typed to the agent's own shell or command line asks for no work: `/clear`, `!ls`, and what the agent makes of them. */
const NO_GOAL = /^(?:\/[a-z][\w:.-]*(?:\s|$)|!|<(?:command|local-command|bash|task|system)-)/iu;
/** How a brief begins: a run's first prompt is one, and it is nobody's goal. */
const BRIEF = /^You are taking over work in progress from session /u;

/** The goal as it is kept, its secrets out and bounded; null: the prompt is none. */
export function goalOf(prompt: string, redactor: Redactor): string | null {
  const said = prompt.trim();
  return said === "" || NO_GOAL.test(said) || BRIEF.test(said) ? null : keptText(said, redactor);
}
