// All artifacts and git facts at one instant: the only input of packet building. Same snapshot, same bytes.
import type {
  AgentState,
  LastKnownGood,
  Loaded,
  Override,
  ReviewReport,
  RuleReport,
  ScopeContract,
  ScopeReport,
  SessionRecord,
  TaskBoard,
  TouchedLog,
  VerificationReport,
} from "./artifacts.js";
import type { Diagnostic } from "./diagnostic.js";
import type { FeedbackScan } from "./feedback.js";
import type { ChangeKind, GitSection, HandoffPacket } from "./packet.js";

/** One path that differs between base and working tree. Paths are relative to the workbench root. */
export interface GitChange {
  readonly path: string;
  readonly change: Exclude<ChangeKind, "unchanged">;
  readonly renamed_from: string | null;
  readonly insertions: number | null;
  readonly deletions: number | null;
  /** All of the change is committed. */
  readonly committed: boolean;
  readonly submodule: boolean;
}

/** A commit named by an artifact, looked up in the repository. */
export interface ResolvedCommit {
  readonly sha: string;
  readonly reachable_from_head: boolean;
  /** Commits between it and HEAD (0 = HEAD); null when not reachable. */
  readonly distance: number | null;
}

/** What git says (P10). Without a repository `available` is false and everything else is empty. */
export interface GitFacts {
  readonly available: boolean;
  /** Branch name, `detached@<12 hex>`, or null without a repository. */
  readonly branch: string | null;
  readonly detached: boolean;
  readonly unborn: boolean;
  readonly shallow: boolean;
  readonly head: { readonly sha: string; readonly subject: string; readonly committed_at: number } | null;
  readonly base: {
    readonly sha: string;
    readonly from: "option" | "session" | "ci" | "upstream" | "default_branch";
  } | null;
  /** Commits after base, newest first. */
  readonly commits: readonly { readonly sha: string; readonly subject: string }[];
  readonly commits_omitted: number;
  readonly changes: readonly GitChange[];
  readonly changes_omitted: number;
  /** Staged, unstaged or untracked changes, the workbench's own files aside. */
  readonly dirty: boolean;
  readonly operation: GitSection["operation"];
  readonly ahead: number | null;
  readonly behind: number | null;
  readonly stashes: number;
  /** Commit names found in artifacts, as written there. null: does not resolve to one commit. */
  readonly resolved: Readonly<Record<string, ResolvedCommit | null>>;
  readonly diagnostics: readonly Diagnostic[];
}

/** A file that exists in the workbench, as prerequisites and pointers need it. */
export interface FileFact {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** Everything `generateHandoff` may know. */
export interface WorkbenchSnapshot {
  /** `environment`: named there by who runs us; `record`: nobody named one, and it is the one on record here. */
  readonly session: {
    readonly id: string;
    readonly from: "option" | "hook" | "environment" | "state" | "ci" | "record" | "local";
  };
  readonly task: { readonly id: string | null; readonly from: "option" | "state" | "board" | "none" };
  readonly topic: string;
  readonly git: GitFacts;
  readonly state: Loaded<AgentState>;
  readonly board: Loaded<TaskBoard>;
  readonly verification: Loaded<VerificationReport>;
  readonly review: Loaded<ReviewReport>;
  readonly scope_contract: Loaded<ScopeContract>;
  readonly scope_report: Loaded<ScopeReport>;
  readonly rule_report: Loaded<RuleReport>;
  readonly last_known_good: Loaded<LastKnownGood>;
  readonly overrides: Loaded<readonly Override[]>;
  readonly session_record: Loaded<SessionRecord>;
  /** Edits that the recorder saw, without those of the workbench's own files. */
  readonly touched_files: Loaded<TouchedLog>;
  readonly feedback: FeedbackScan;
  /** Facts about files that artifacts point to and that exist (`report_path`), by path. */
  readonly files: Readonly<Record<string, FileFact>>;
  /** The active packet of the same branch and topic, if any: its unresolved items come along. */
  readonly predecessor: HandoffPacket | null;
  /** Everything that could not be read or was left aside, artifacts' own diagnostics included, in a fixed order. */
  readonly diagnostics: readonly Diagnostic[];
}
