// What an agent's own transcript tells, in our words (A12). Pure types; how each agent writes it is in its folder.
import type { AgentName, CommandFact, EditFact, Subagent, TaskOutput } from "./agent.js";

/** How full the context is. */
export interface ContextReading {
  /** What the newest request of the main thread sent: input, read from a cache or not. */
  readonly used_tokens: number;
  /** The model's capacity in tokens; null: the transcript does not tell. */
  readonly window: number | null;
}

/** A command that ended in the background: what it said since then lies in a file, if that is still there. */
export interface BackgroundTask {
  /** The agent's name for it. */
  readonly id: string;
  /** Believed only if it is the very file of that task: see `readTaskOutput`. */
  readonly output_file: string | null;
}

/** One thing a transcript tells. `at` is when the agent wrote it down: ISO 8601 in UTC, or null. */
export type TranscriptItem = { readonly at: string | null } & (
  | { readonly kind: "command"; readonly command: CommandFact; readonly task?: BackgroundTask }
  | { readonly kind: "edit"; readonly edit: EditFact; readonly subagent: Subagent | null }
  /** What a person asked for, on the main thread. */
  | { readonly kind: "prompt"; readonly prompt: string }
);

/** What the rows so far say of the session as a whole; null: nothing. */
export interface TranscriptFacts {
  readonly session_id: string | null;
  /** Folder the session started in, absolute. */
  readonly cwd: string | null;
  readonly model: string | null;
  /** Branch that was checked out at the start. */
  readonly branch: string | null;
  /** Commit that was checked out at the start, possibly abbreviated. */
  readonly base_commit: string | null;
  readonly started_at: string | null;
  /** The first prompt. */
  readonly goal: string | null;
  /** The newest text of the agent itself, on the main thread. */
  readonly last_message: string | null;
}

/**
 * Takes a transcript row by row, so that a file that still grows can be read on: memory depends on what is under way, never
 * on how long the transcript is. Nothing in it throws.
 */
export interface TranscriptReader {
  /** Takes one line, without its newline: the items it completes, in order. A line that is no row is counted, that is all. */
  readonly push: (line: string) => readonly TranscriptItem[];
  /** The transcript ends here: what is still under way. Commands without an end have `awaits`, and an `error` that says so. */
  readonly end: () => readonly TranscriptItem[];
  readonly facts: () => TranscriptFacts;
  /** The newest reading; null: none yet. */
  readonly context: () => ContextReading | null;
  /** Lines that were no JSON object. */
  readonly unreadable: () => number;
}

/** A further file of one session: what a subagent did. */
export interface SubagentFile {
  readonly file: string;
  readonly subagent: Subagent;
}

/** Where transcripts may lie. */
export interface TranscriptPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The transcript side of an agent. */
export interface TranscriptSpeech {
  readonly name: AgentName;
  /** Its name for people. */
  readonly title: string;
  /** True for a parsed row that only this agent writes. */
  readonly claims: (row: unknown) => boolean;
  /** A reader for one file; `subagent`: all of it is that subagent's work. */
  readonly createReader: (subagent?: Subagent | null) => TranscriptReader;
  /** The transcript of a session, absolute; null: there is none. Several: the one written to last. */
  readonly find: (sessionId: string, place: TranscriptPlace) => Promise<string | null>;
  /** The subagents' files that belong to a session's transcript, in any order. */
  readonly subagentFiles: (transcript: string, sessionId: string) => Promise<readonly SubagentFile[]>;
  /** What a task in the background said; null when it cannot be told. Absent: the transcript has it all. */
  readonly readTaskOutput?: (file: string | null, task: string, sessionId: string) => TaskOutput | null;
}
