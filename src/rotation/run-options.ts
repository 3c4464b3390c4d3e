// What a run is asked for, and what it is given to reach the outside: agents, limits, and the ports that tests and the
// command line fill. Types only.
import type { AgentDriver, CompactMode } from "../agents/driver.js";
import type { RunEventLine } from "../model/run-events.js";
import type { RunLedger, RunStatus, WindowSource } from "../model/run-ledger.js";
import type { OperatorPort, PendingHandoff } from "./operator-port.js";
import type { Thresholds } from "./policy.js";
import type { Patience } from "./patience.js";
import type { RunLimits, RunPhase, RunState } from "./run-state.js";
import type { StopMessage } from "./stop-message.js";

/** An agent as a run starts it. */
export interface RunAgent {
  readonly driver: AgentDriver;
  /** Another executable that speaks the same protocol; null: the agent's own. */
  readonly bin: string | null;
  readonly args: readonly string[];
}

/** What stays the same for a whole run; kept in its folder, so that `--resume` needs nothing but the run's id. */
export interface RunPlan {
  /** The job, as it was given. */
  readonly task: string;
  readonly agent: RunAgent;
  /** Runs every second generation; null: the first agent runs them all. */
  readonly next: RunAgent | null;
  readonly limits: RunLimits;
  /** Tokens, as asked; null: found out (R4), the default (R3). */
  readonly window: number | null;
  readonly headroom: number | null;
  readonly at_percent: number | null;
  readonly compact: CompactMode;
  readonly topic: string | null;
}

/** What a live view shows between events. */
export interface RunProgress {
  readonly generation: number;
  readonly agent: string;
  readonly session_id: string | null;
  readonly phase: RunPhase;
  /** Tokens. */
  readonly context: number;
  readonly window: number | null;
  readonly window_source: WindowSource;
  readonly thresholds: Thresholds | null;
  readonly commands: number;
  readonly failures: number;
  readonly cost_usd: number | null;
  /** A person's request; null: there is none (O14). */
  readonly handoff: PendingHandoff | null;
}

/** The outside of a run. Times in milliseconds. */
export interface RunPorts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  /** Ends early when `signal` is aborted. Never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onEvent: (event: RunEventLine) => void;
  /** What the agent says while it works; never the writing turn (R15). */
  readonly onText?: (text: string) => void;
  readonly onProgress?: (progress: RunProgress) => void;
  /** Something worth saying aloud that is no event. */
  readonly onWarning?: (code: string, what: string) => void;
  /** Waits for a person (R21); resolves when the successor may start. */
  readonly pause?: () => Promise<void>;
  /** First Ctrl-C: a packet, then the end. */
  readonly stop: AbortSignal;
  /** Second Ctrl-C: the end. */
  readonly kill: AbortSignal;
  readonly patience?: Patience;
  /** Longest writing turn. Default five minutes. */
  readonly writingMs?: number;
  /** Takes a person's requests for a handoff (O3). Default: nobody does. */
  readonly operator?: OperatorPort;
}

/** How a run ended. */
export interface RunEnd {
  readonly run_id: string;
  readonly status: RunStatus;
  /** 0 the job ended well, 1 a rule, 2 files, 3 the agent, 130 interrupted. */
  readonly exit: 0 | 1 | 2 | 3 | 130;
  readonly rule: string;
  /** What happened and what to do; null when there is nothing to say. */
  readonly message: StopMessage | null;
  readonly ledger: RunLedger;
  readonly state: RunState;
  /** The packet that a person asked for and the run ended with (O4), its path from the root; null: it did not. */
  readonly handoff: { readonly packet_id: string; readonly path: string } | null;
}
