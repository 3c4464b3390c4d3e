// What every agent's folder offers: how its hooks speak, in our words. Pure types and names; no agent is known here.

/** Agents with a folder of their own. */
export const AGENT_NAMES = ["claude-code", "codex", "opencode", "gemini"] as const;
export type AgentName = (typeof AGENT_NAMES)[number];

/** Who a subagent's payload came from; null on the main thread. */
export interface Subagent {
  readonly id: string;
  readonly type: string | null;
}

/** What every hook payload tells. */
export interface HookBase {
  readonly session_id: string;
  /** Absolute folder the agent works in; of a tool call, where that call ran. */
  readonly cwd: string;
  readonly transcript_path: string | null;
  readonly subagent: Subagent | null;
  readonly model: string | null;
}

/**
 * A command whose end is not told yet. `background`: it goes on, and a later hook says how it ended; `task_id` is the
 * agent's name for it. `transcript`: it has ended, and only the agent's transcript says how.
 */
export interface AwaitedEnd {
  readonly from: "background" | "transcript";
  readonly task_id: string | null;
}

/** One finished command as the agent told it: not yet cut, not yet redacted. */
export interface CommandFact {
  readonly command: string | readonly string[];
  /** null: it ended without an exit status; `error` says why. */
  readonly exit_code: number | null;
  readonly error: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly duration_ms: number | null;
  /** ISO 8601 in UTC, or null: the recorder counts back from now. */
  readonly started_at: string | null;
  readonly tool: string;
  /** The tool call's id. */
  readonly command_id: string | null;
  /** Absolute, or null. */
  readonly cwd: string | null;
  readonly subagent: Subagent | null;
  /** What the agent said it runs it for. */
  readonly agent_note: string | null;
  /** How it ended is still to be learnt; `exit_code` is then null and says nothing. */
  readonly awaits?: AwaitedEnd;
  /** Bytes of stdout that the agent itself had left out. */
  readonly stdout_cut?: number;
}

/** How a command that was awaited ended. */
export interface CommandEnd {
  readonly command_id: string;
  /** null: without an exit status; `error` says why. */
  readonly exit_code: number | null;
  readonly error: string | null;
  /** All it said, where that is known by now. */
  readonly output: string | null;
  readonly started_at: string | null;
  readonly duration_ms: number | null;
}

/** The agent's word that a command in the background is over. */
export interface BackgroundEnd {
  readonly command_id: string;
  /** null: stopped by somebody, or not told. */
  readonly exit_code: number | null;
  /** Where its output lies: believed only for the task that was started under this id. */
  readonly output_file: string | null;
}

/** The end of what a command in the background said, and how many bytes stand before it. */
export interface TaskOutput {
  readonly text: string;
  readonly cut_bytes: number;
}

/** Files that one tool call wrote; paths as the agent told them. */
export interface EditFact {
  readonly paths: readonly string[];
  readonly tool: string;
  readonly command_id: string | null;
}

/** A hook payload in our words. */
export type HookEvent = HookBase &
  (
    | { readonly kind: "session_start"; readonly source: string }
    | { readonly kind: "prompt"; readonly prompt: string }
    | { readonly kind: "command"; readonly command: CommandFact }
    | { readonly kind: "command_end"; readonly end: BackgroundEnd }
    | { readonly kind: "edit"; readonly edit: EditFact }
    | { readonly kind: "stop"; readonly active: boolean; readonly last_message: string | null }
    | { readonly kind: "pre_compact" }
    | { readonly kind: "session_end"; readonly reason: string | null }
    /** A turn is paused at a question to a person: it lives, and nothing of it is to be recorded. */
    | { readonly kind: "blocked" }
    /** A turn begins or goes on by what is no prompt of a person, and nothing of it is to be recorded. */
    | { readonly kind: "busy" }
    /** A helper begins or ends; `subagent` names it. */
    | { readonly kind: "helper"; readonly running: boolean }
    | { readonly kind: "ignored"; readonly why: string }
  );

/** Commands that a transcript tells of. */
export interface ToldCommands {
  readonly commands: readonly CommandFact[];
  /** Where to go on next time: the byte behind the last whole line that was read. */
  readonly next: number;
}

/** Where a hook process stands: its environment and current folder. */
export interface HookPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** How the process that an agent's session runs in is known. */
export interface AgentProgram {
  /** What its program is called; a script by its own name. The nearest of them above a hook is meant. */
  readonly names: readonly string[];
  /** A variable of its hooks with the process's id. Absent: there is none. */
  readonly variable?: string;
  /** True for the command line, program first, of a process that runs many sessions and outlives them. Absent: none does. */
  readonly servesMany?: (words: readonly string[]) => boolean;
}

/** The hook side of an agent. Nothing in it throws. */
export interface HookSpeech {
  readonly name: AgentName;
  /** Its name for people. */
  readonly title: string;
  /** Environment variables that hold the session's id in the commands it runs, in order of trust. */
  readonly sessionVariables: readonly string[];
  /** The one that holds the tool call's id there. Absent: there is none. */
  readonly callVariable?: string;
  /** The variable that names the project to a tool server which the agent starts. Absent: it starts servers in it. */
  readonly projectVariable?: string;
  /** The member of a tool call's `_meta` that holds the session's id. Absent: none does. */
  readonly callMeta?: string;
  readonly program: AgentProgram;
  /** The agent kills its session-end hook after this many seconds, as our settings ask for. */
  readonly sessionEndSeconds: number;
  /** True for a payload that can only be this agent's: one hooks file may serve several agents. */
  readonly claims: (payload: unknown) => boolean;
  /** The event as told, or null when the payload is none of this agent's. */
  readonly parseHook: (eventName: string, payload: unknown) => HookEvent | null;
  /** The folder of the session as a whole, whatever folder a single tool call ran in. */
  readonly sessionFolder: (event: HookEvent, place: HookPlace) => string;
  /**
   * The hook that gives the brief. Absent: the session's start. `prompt`: its first prompt, for an agent that does not keep,
   * or keeps at the price of something else, what a start hook prints.
   */
  readonly briefWith?: "prompt";
  /**
   * What that hook prints to put `brief` into the session's context.
   * @param notice one line for the person at the terminal, where the agent shows such lines well
   */
  readonly briefOutput: (brief: string, notice: string) => string;
  /**
   * What the command in the background said that the agent calls `task`; null: `file` is not that task's of that session,
   * or cannot be read. Absent: the agent keeps no such files.
   */
  readonly readTaskOutput?: (file: string | null, task: string, sessionId: string) => TaskOutput | null;
  /** How a command ended, by the transcript; null: it does not tell (yet). Absent: payloads tell it themselves. */
  readonly findEnd?: (transcript: string, commandId: string) => CommandEnd | null;
  /** The commands a transcript tells of from byte `from` on. Absent: hooks miss none. */
  readonly readCommands?: (transcript: string, from: number) => Promise<ToldCommands>;
}
