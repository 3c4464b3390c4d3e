// What an agent can note (A11), and where each kind stands in agent_state.json (P1).
import type { Severity } from "../model/severity.js";
import { TEXT_BYTES } from "../packet/text-keeper.js";

/** One kind of note. */
export interface NoteKind {
  readonly key: string;
  /** What it is called when it is told. */
  readonly title: string;
  /** A field of one text, a list of texts, or of objects. */
  readonly form: "text" | "list" | "reasoned" | "blocker" | "risk" | "resolved";
  /** What is longer would be cut in the packet, so it is refused: in UTF-8 bytes. */
  readonly maxBytes: number;
}

const { next_action, prose, detail } = TEXT_BYTES;

/** By the word on the command line. */
export const NOTE_KINDS = {
  next: { key: "next_action", title: "next action", form: "text", maxBytes: next_action },
  doing: { key: "doing", title: "doing", form: "text", maxBytes: prose },
  decided: { key: "decisions", title: "decision", form: "reasoned", maxBytes: detail },
  "dead-end": { key: "dead_ends", title: "dead end", form: "reasoned", maxBytes: detail },
  assume: { key: "assumptions", title: "assumption", form: "list", maxBytes: detail },
  question: { key: "questions", title: "question", form: "list", maxBytes: detail },
  blocker: { key: "blockers", title: "blocker", form: "blocker", maxBytes: detail },
  risk: { key: "risks", title: "risk", form: "risk", maxBytes: detail },
  // The longest thing that can be done with is a next action.
  resolved: { key: "resolved", title: "resolved", form: "resolved", maxBytes: next_action },
} as const satisfies Readonly<Record<string, NoteKind>>;

export type NoteWord = keyof typeof NOTE_KINDS;

/** A note, its texts checked, cleaned and without secrets. */
export interface Note {
  readonly word: NoteWord;
  readonly text: string;
  readonly why: string | null;
  readonly waits_for: string | null;
  /** null: not said, which is `warn` for a new risk. */
  readonly severity: Severity | null;
}

/** Where a reason has no field of its own it stands behind the text. */
export function wholeText({ text, why }: Pick<Note, "text" | "why">): string {
  return why === null ? text : `${text} (${why})`;
}
