// What a loader makes of each artifact: foreign shapes read loosely (P1-P6), one normalised shape for everyone else.
// Items keep the JSON pointer they came from, so every fact in the packet can name its source.
import type { ArtifactName, Diagnostic } from "./diagnostic.js";
import type { Severity } from "./severity.js";

/** The result of loading one artifact. `path` is relative to the root; `missing` names the first place searched. */
export type Loaded<T> =
  | {
      readonly status: "present";
      readonly artifact: ArtifactName;
      readonly path: string;
      readonly sha256: string;
      readonly bytes: number;
      readonly value: T;
      readonly diagnostics: readonly Diagnostic[];
    }
  | {
      readonly status: "missing";
      readonly artifact: ArtifactName;
      readonly path: string | null;
      readonly diagnostics: readonly Diagnostic[];
    }
  | {
      readonly status: "invalid";
      readonly artifact: ArtifactName;
      readonly path: string;
      readonly diagnostics: readonly Diagnostic[];
    };

/** A text with the JSON pointer it was found at. */
export interface PointedText {
  readonly text: string;
  readonly pointer: string;
}
/** Something with a reason: a decision or a dead end. */
export interface PointedWhy {
  readonly what: string;
  readonly why: string | null;
  readonly pointer: string;
}

/** agent_state.json (P1). */
export interface AgentState {
  readonly active_task_id: string | null;
  readonly session_id: string | null;
  readonly touched_files: readonly string[];
  readonly assumptions: readonly PointedText[];
  readonly blockers: readonly (PointedText & { readonly waits_for: string | null })[];
  readonly next_action: PointedText | null;
  readonly summary: PointedText | null;
  readonly doing: PointedText | null;
  readonly decisions: readonly PointedWhy[];
  readonly dead_ends: readonly PointedWhy[];
  readonly questions: readonly PointedText[];
  readonly risks: readonly {
    readonly severity: Severity;
    readonly original_severity: string | null;
    readonly detail: string;
    readonly pointer: string;
  }[];
  readonly scene: readonly string[];
  /** Ids or texts of carried items this session declares done (P33). */
  readonly resolved: readonly string[];
  /** Newest time stamp inside the file (`updated_at`, `written_at`, `timestamp`, `ts`), ms since the epoch. */
  readonly stamped_at: number | null;
}

export interface BoardTask {
  readonly id: string;
  readonly goal: string | null;
  readonly owner: string | null;
  readonly status: string | null;
  readonly acceptance: readonly PointedText[];
  readonly pointer: string;
}
/** task_board.json (P2). */
export interface TaskBoard {
  readonly tasks: readonly BoardTask[];
  readonly stamped_at: number | null;
}

export interface Finding {
  readonly code: string;
  readonly severity: Severity;
  readonly original_severity: string | null;
  readonly detail: string;
  readonly pointer: string;
}

/** A verification report (P4). `passed` is false when the report contradicts itself. */
export interface VerificationReport {
  readonly task_id: string | null;
  readonly passed: boolean;
  readonly findings: readonly Finding[];
  /** As written, possibly abbreviated. */
  readonly head_commit: string | null;
  /** A further report this one points to, as written; only shown if the file exists. */
  readonly report_path: string | null;
  readonly stamped_at: number | null;
}

/** A review report (P5). `total` null: missing or not a number, which is unknown and never a full mark. */
export interface ReviewReport {
  readonly task_id: string | null;
  readonly total: number | null;
  readonly verdict: "pass" | "soft_fail" | "hard_fail" | null;
  readonly dimensions: readonly {
    readonly name: string;
    readonly score: number | null;
    readonly note: string | null;
    readonly pointer: string;
  }[];
  readonly findings: readonly Finding[];
  readonly assumption_scores: readonly { readonly assumption: string; readonly score: number }[];
  readonly head_commit: string | null;
  readonly stamped_at: number | null;
}

/** scope_contract.json or a closed scope file that has `allowed_files`. */
export interface ScopeContract {
  readonly task_id: string | null;
  readonly goal: string | null;
  readonly allowed_files: readonly string[];
  readonly forbidden_files: readonly string[];
  readonly acceptance: readonly PointedText[];
  readonly stamped_at: number | null;
}

/** A scope report (P6): what was written outside the contract, plus its findings. */
export interface ScopeReport {
  readonly task_id: string | null;
  readonly passed: boolean | null;
  readonly off_scope: readonly PointedText[];
  readonly forbidden: readonly PointedText[];
  readonly soft_off_scope: readonly PointedText[];
  readonly findings: readonly Finding[];
  readonly stamped_at: number | null;
}

/** rule_report.json (P6): the rules that failed. */
export interface RuleReport {
  readonly failed: readonly PointedText[];
  readonly passed_count: number;
  readonly stamped_at: number | null;
}

/** last_known_good.json. */
export interface LastKnownGood {
  readonly commit: string;
  readonly stamped_at: number | null;
}

/** One line of overrides.jsonl: somebody accepted a finding. */
export interface Override {
  readonly task_id: string | null;
  readonly finding_code: string;
  readonly reason: string | null;
  readonly by: string | null;
  readonly head_commit: string | null;
  readonly at: number | null;
  readonly line: number;
}

/** Why a session ended that a run gave a job, and that came to its own end. */
export const JOB_DONE = "job_done";

/** `.handoff/sessions/<session_id>/session.json`, our own: what the recorder noted when the session started. */
export interface SessionRecord {
  readonly base_commit: string | null;
  readonly goal: string | null;
  /** What the sessions before were asked to do, newest first; absent: none. */
  readonly earlier_goals?: readonly string[];
  readonly agent: string | null;
  readonly model: string | null;
  readonly branch: string | null;
  /** Milliseconds since the epoch; `ended_at` null: it runs, or was killed. */
  readonly started_at: number | null;
  readonly ended_at: number | null;
  /** {@link JOB_DONE}, or in the agent's words. */
  readonly end_reason: string | null;
  /** The last thing the agent said, as the recorder kept it. */
  readonly last_message: PointedText | null;
  /** Without the end: that a session ended adds nothing to what is known of its work. */
  readonly stamped_at: number | null;
}

/** One file that an edit of the session wrote (A8). `path` is relative to the root where it lies inside. */
export interface TouchedFile {
  readonly path: string;
  /** Line of the newest edit of this path, from 1. */
  readonly line: number;
}
/** `.handoff/sessions/<session_id>/touched_files.jsonl`, the recorder's own: each path once, in the order of the newest edits. */
export interface TouchedLog {
  readonly files: readonly TouchedFile[];
  readonly stamped_at: number | null;
}
