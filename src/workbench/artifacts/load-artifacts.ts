// One loader an artifact: what it looks like (build-*), where it lies (places), and how much its absence matters.
import { isValidId } from "../../model/valid-id.js";
import type {
  AgentState,
  LastKnownGood,
  Override,
  ReviewReport,
  RuleReport,
  ScopeContract,
  ScopeReport,
  SessionRecord,
  TaskBoard,
  TouchedLog,
  VerificationReport,
} from "../../model/artifacts.js";
import { buildBoard } from "./build-board.js";
import { buildLastKnownGood, buildSessionRecord } from "./build-commit-marks.js";
import { buildOverrides } from "./build-overrides.js";
import { buildReview } from "./build-review.js";
import { buildRuleReport } from "./build-rule-report.js";
import { buildScopeContract, buildScopeReport, isContract, isScopeReport } from "./build-scope.js";
import { buildState } from "./build-state.js";
import { buildTouchedLog } from "./build-touched-log.js";
import { buildVerification } from "./build-verification.js";
import { type ArtifactKind, type Bench, loadArtifact, type LoadedAt } from "./load-artifact.js";
import { fillPattern, type Places } from "./places.js";

const STATE: ArtifactKind<AgentState> = {
  artifact: "state",
  expected: "agent state",
  build: buildState,
  sessionOf: ({ session_id }) => (session_id !== null && isValidId(session_id) ? session_id : null),
  missed: true,
};
const BOARD: ArtifactKind<TaskBoard> = {
  artifact: "board",
  expected: "task board",
  build: buildBoard,
  missed: true,
};
const VERIFICATION: ArtifactKind<VerificationReport> = {
  artifact: "verification",
  expected: "verification report",
  build: buildVerification,
  taskOf: (report) => report.task_id,
  missed: true,
};
const REVIEW: ArtifactKind<ReviewReport> = {
  artifact: "review",
  expected: "review report",
  build: buildReview,
  taskOf: (report) => report.task_id,
  missed: true,
};
const SCOPE_CONTRACT: ArtifactKind<ScopeContract> = {
  artifact: "scope_contract",
  expected: "scope contract",
  build: buildScopeContract,
  taskOf: (contract) => contract.task_id,
  passOver: isScopeReport,
};
const SCOPE_REPORT: ArtifactKind<ScopeReport> = {
  artifact: "scope_report",
  expected: "scope report",
  build: buildScopeReport,
  taskOf: (report) => report.task_id,
  passOver: isContract,
};
const RULE_REPORT: ArtifactKind<RuleReport> = {
  artifact: "rule_report",
  expected: "rule report",
  build: buildRuleReport,
  ignorable: true,
};
const LAST_KNOWN_GOOD: ArtifactKind<LastKnownGood> = {
  artifact: "last_known_good",
  expected: "last known good commit",
  build: buildLastKnownGood,
};
const OVERRIDES: ArtifactKind<readonly Override[]> = {
  artifact: "overrides",
  expected: "log of overrides",
  build: (text, notes) => buildOverrides(String(text), notes),
  lines: true,
};
const SESSION_RECORD: ArtifactKind<SessionRecord> = {
  artifact: "session_record",
  expected: "session record",
  build: buildSessionRecord,
};
const TOUCHED_FILES: ArtifactKind<TouchedLog> = {
  artifact: "touched_files",
  expected: "log of edits",
  build: (text, notes) => buildTouchedLog(String(text), notes),
  lines: true,
};

/** agent_state.json (P1). One that names another session than the bench's is that session's. */
export function loadState(bench: Bench, places: Places): Promise<LoadedAt<AgentState>> {
  return loadArtifact(bench, STATE, places.state);
}

/** task_board.json (P2). */
export function loadBoard(bench: Bench, places: Places): Promise<LoadedAt<TaskBoard>> {
  return loadArtifact(bench, BOARD, places.board);
}

/** The active task's verification report (P4, P27); without a known task only the unsuffixed one. */
export function loadVerification(bench: Bench, places: Places): Promise<LoadedAt<VerificationReport>> {
  return loadArtifact(bench, VERIFICATION, places.verification);
}

/** The active task's review report (P5, P27). */
export function loadReview(bench: Bench, places: Places): Promise<LoadedAt<ReviewReport>> {
  return loadArtifact(bench, REVIEW, places.review);
}

/** The scope contract. A broken file where scope reports lie as well is reported once, by the report's loader. */
export function loadScopeContract(bench: Bench, places: Places): Promise<LoadedAt<ScopeContract>> {
  const quietAt = places.scope_report.flatMap((pattern) => fillPattern(pattern, bench.ids) ?? []);
  return loadArtifact(bench, { ...SCOPE_CONTRACT, quietAt }, places.scope_contract);
}

/** The scope report (P6). */
export function loadScopeReport(bench: Bench, places: Places): Promise<LoadedAt<ScopeReport>> {
  return loadArtifact(bench, SCOPE_REPORT, places.scope_report);
}

/** rule_report.json (P6): content that is no list of rules is no report, and no error. */
export function loadRuleReport(bench: Bench, places: Places): Promise<LoadedAt<RuleReport>> {
  return loadArtifact(bench, RULE_REPORT, places.rule_report);
}

/** last_known_good.json (P12). */
export function loadLastKnownGood(bench: Bench, places: Places): Promise<LoadedAt<LastKnownGood>> {
  return loadArtifact(bench, LAST_KNOWN_GOOD, places.last_known_good);
}

/** overrides.jsonl. */
export function loadOverrides(bench: Bench, places: Places): Promise<LoadedAt<readonly Override[]>> {
  return loadArtifact(bench, OVERRIDES, places.overrides);
}

/** `.handoff/sessions/<session_id>/session.json`, the recorder's own: not configurable. */
export function loadSessionRecord(bench: Bench): Promise<LoadedAt<SessionRecord>> {
  return loadArtifact(bench, SESSION_RECORD, [".handoff/sessions/<session_id>/session.json"]);
}

/** `.handoff/sessions/<session_id>/touched_files.jsonl`, the recorder's own (A8): not configurable. */
export function loadTouchedFiles(bench: Bench): Promise<LoadedAt<TouchedLog>> {
  return loadArtifact(bench, TOUCHED_FILES, [".handoff/sessions/<session_id>/touched_files.jsonl"]);
}
