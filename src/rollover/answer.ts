// What a rollover answers (L1, L4): a plain value, the same for the command line and for tools that ask on an agent's behalf.

/** Why a rollover is refused, in the order in which the gates are looked at (L4). */
export const REFUSALS = [
  "NOT_CONFIGURED",
  "NOT_PRIMARY",
  "NO_PENDING",
  "TOKEN_MISMATCH",
  "PENDING_EXPIRED",
  "OPERATOR_NOT_CONFIRMED",
  "HANDOVER_MISSING",
  "HANDOVER_STALE",
  "HANDOVER_TOO_OLD",
  "HANDOVER_INVALID",
  "PANE_GONE",
  "ROLL_IN_PROGRESS",
] as const;
export type Refusal = (typeof REFUSALS)[number];

/** One gate, looked at. */
export interface GateReport {
  readonly code: Refusal;
  /** null: an earlier gate leaves nothing to look at. */
  readonly passed: boolean | null;
  readonly why: string;
}

/** A request is recorded: the handover may be written now, and not before. */
export interface Opened {
  readonly ok: true;
  readonly action: "open";
  /** Works for one confirm. */
  readonly token: string;
  /** Absolute path of the file to write; `auto`: nothing is to be written. */
  readonly handover_path: string;
  /** ISO 8601 in UTC. */
  readonly opened_at: string;
  readonly expires_at: string;
  /** An earlier request of this pane was dropped. */
  readonly replaced: boolean;
  /** confirm asks for a person's word. */
  readonly needs_operator: boolean;
  readonly pane: string;
  /** What happened, and what to do next, in words for the agent. */
  readonly message: string;
}

/** The roll is scheduled; nothing is cleared yet (L6). */
export interface Accepted {
  readonly ok: true;
  readonly action: "confirm";
  readonly roll_id: string;
  readonly packet_id: string;
  /** Of its handoff.md, from the root where it lies there. */
  readonly packet_path: string;
  readonly pane: string;
  readonly gates: readonly GateReport[];
  readonly message: string;
}

export interface Cancelled {
  readonly ok: true;
  readonly action: "cancel";
  readonly pane: string;
  readonly message: string;
}

/** Nothing happened, and why. */
export interface Refused {
  readonly ok: false;
  readonly action: "open" | "confirm" | "cancel";
  readonly refusal: Refusal;
  readonly message: string;
  /** What to do about it. */
  readonly hint: string;
  /** The gates of this action, all of them. */
  readonly gates: readonly GateReport[];
}

export type RolloverAnswer = Opened | Accepted | Cancelled | Refused;
