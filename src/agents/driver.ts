// What an agent's folder offers to whoever runs it headless, turn by turn (R4, R14, R28): the command of one turn and the
// meaning of each line it prints. Pure types; processes are run elsewhere.
import type { CommandFact, EditFact, Subagent } from "./agent.js";

/** What is done about the agent's own compaction (R8). */
export type CompactMode = "no_summary" | "auto" | "off";

/** One turn: a prompt in, and everything until the agent is silent again. */
export interface TurnRequest {
  /** Another executable that speaks the same protocol; null: the agent's own. */
  readonly bin: string | null;
  /** Further arguments, as the person gave them. */
  readonly args: readonly string[];
  readonly prompt: string;
  /** Goes on in this session; null: a new one. */
  readonly resume: string | null;
  /** The id a new session is to have, a UUID; not every agent lets one choose. */
  readonly newSession: string;
  readonly compact: CompactMode;
  /** The last question to a session (R15): limits of turns and money do not hold for it. */
  readonly writing: boolean;
}

/** The process of a turn. */
export interface TurnCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to stdin, which is then closed (R28: never an argument). */
  readonly input: string;
}

/** Why a turn failed, as far as the agent tells. */
export interface TurnError {
  /** Empty: it ended without a word. */
  readonly text: string;
  /** HTTP status; null: not told. */
  readonly status: number | null;
  /** The agent itself says that its context is full. */
  readonly overflow: boolean;
}

/** What a line tells, in our words. Numbers of tokens and turns, and statuses, are whole and not negative. */
export type AgentSignal =
  | { readonly kind: "session"; readonly session_id: string; readonly model: string | null }
  /** The model's capacity, by the agent's own report. */
  | { readonly kind: "window"; readonly window: number }
  /**
   * Input side of a message of the main thread (R5). Told at a message boundary only, when none of its calls is under way:
   * whoever hears it may cut there (R6, R14). `final`: the turn has come to its own end, there is nothing left to cut.
   */
  | { readonly kind: "reading"; readonly used_tokens: number; readonly final: boolean }
  /** What the agent says on the main thread. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "command"; readonly command: CommandFact }
  | { readonly kind: "edit"; readonly edit: EditFact; readonly subagent: Subagent | null }
  /** The agent compacted by itself. */
  | { readonly kind: "compacted" }
  /** Running total of the session in USD. */
  | { readonly kind: "cost"; readonly total_usd: number }
  | {
      readonly kind: "result";
      /** `interrupted`: cut by us, which is no failure. */
      readonly outcome: "done" | "failed" | "interrupted";
      /** The agent's last words. */
      readonly text: string;
      readonly error: TurnError | null;
      readonly stop_reason: string | null;
      /** The last message of the main thread had nothing in it (R12). */
      readonly is_empty: boolean;
      /** Model calls of this turn; null: not told. */
      readonly turns: number | null;
    }
  /** Something went wrong and the agent goes on. */
  | { readonly kind: "notice"; readonly text: string }
  /** A line of a kind that is not known: passed over, counted. */
  | { readonly kind: "unknown"; readonly type: string }
  /** A line that is no JSON: data lost, counted. */
  | { readonly kind: "torn" };

/** How a turn's process ended. */
export interface TurnExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** We had interrupted it. */
  readonly cut: boolean;
}

/** Takes what a turn's process prints, line by line, without newlines. Never throws. */
export interface TurnReader {
  readonly stdout: (line: string) => readonly AgentSignal[];
  readonly stderr: (line: string) => readonly AgentSignal[];
  /** The process ended. Gives a result, unless one was given before. */
  readonly end: (exit: TurnExit) => readonly AgentSignal[];
}

/** A file that an agent writes beside its output, and that says more than the output does. */
export interface SideFile {
  /** Its path; null: not there (yet). */
  readonly find: (
    sessionId: string,
    env: Readonly<Record<string, string | undefined>>,
  ) => Promise<string | null>;
  /** Takes its lines, from the first byte of this turn on. */
  readonly createReader: () => Pick<TurnReader, "stdout">;
}

/** How an agent is run. */
export interface AgentDriver {
  /** The name in `--agent`. */
  readonly name: string;
  readonly title: string;
  readonly bin: string;
  /** Its own compaction can be turned off (R8). */
  readonly obeysCompact: boolean;
  /** Where it compacts all the same, as a share of the window; null: it can be told not to. */
  readonly compactsAt: number | null;
  /** Variables that name its model, the first that is set counts (R4). Left out: those of R4. */
  readonly modelVariables?: readonly string[];
  /** True for the error of an agent that does not know the session it was to go on in. */
  readonly isUnknownSession: (text: string) => boolean;
  readonly turn: (request: TurnRequest) => TurnCommand;
  readonly createReader: (request: TurnRequest) => TurnReader;
  readonly sideFile?: SideFile;
}
