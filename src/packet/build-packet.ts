// Snapshot in, packet out. Pure: no files, no clock, no randomness; the same snapshot gives the same packet (P34).
import { isCarriedAction } from "../model/carried-action.js";
import { FOLDED_UNRESOLVED } from "../model/count-unresolved.js";
import { RefusalError } from "../model/errors.js";
import type { Degraded, FailedAttempt, HandoffPacket, HandoffReason } from "../model/packet.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { applyEdits, type KeptEdits } from "./apply-edits.js";
import { buildChangedFiles } from "./build-changed-files.js";
import { buildGaps } from "./build-gaps.js";
import { buildPrerequisites } from "./build-prerequisites.js";
import { buildSummary } from "./build-summary.js";
import { buildReview, buildVerification, chooseLastKnownGood } from "./build-verdict.js";
import { cleanSnapshot } from "./clean-snapshot.js";
import { carryForward } from "./carry-forward.js";
import {
  collectAssumptions,
  collectDeadEnds,
  collectDecisions,
  collectDoing,
  collectQuestions,
  collectScene,
  isValidated,
  stateOf,
} from "./collect-recorded.js";
import { decideNextAction } from "./decide-next-action.js";
import { fitBudget } from "./fit-budget.js";
import { flagSuspectText } from "./flag-suspect-text.js";
import { orderFailures } from "./order-failures.js";
import { packetId } from "./packet-id.js";
import { bySeverity, rankRisks } from "./rank-risks.js";
import { reduceFeedback } from "./reduce-feedback.js";
import { createTextKeeper, type TextKeeper } from "./text-keeper.js";
import { newestTime } from "./times.js";

/** Default K of the reduction, and default size of handoff.json in bytes. */
export const DEFAULT_LAST = 5;
export const DEFAULT_MAX_BYTES = 65_536;

export interface PacketOptions {
  /** K: how many of the newest records the tail shows, 0..30. Default 5. */
  readonly last?: number;
  /** Largest handoff.json in bytes. Default 64 KiB. */
  readonly maxBytes?: number;
  /** Where nothing can be said of the next action: write a packet that says so instead of refusing. */
  readonly allowDegraded?: boolean;
  /** Set by a caller that already knows the packet is less than it should be. */
  readonly degraded?: Degraded | null;
  readonly reason?: HandoffReason;
  /** How many secrets of each kind were taken out of the snapshot: the budget keeps room for these counts. */
  readonly redactions?: Readonly<Record<string, number>>;
  /** What a person changed in this session's packet (P39); applied last, so that it holds against everything found. */
  readonly edits?: KeptEdits | null;
}

const NOTHING_TO_SAY =
  "Nothing in the workbench says what comes next: look at the gaps, git status, git log and the newest commands first, and do not assume that nothing was done.";

function gitSection({ git }: WorkbenchSnapshot): HandoffPacket["git"] {
  return {
    available: git.available,
    base_commit: git.base?.sha ?? null,
    detached: git.detached,
    dirty: git.dirty,
    operation: git.operation,
    ahead: git.ahead,
    behind: git.behind,
    stashes: git.stashes,
  };
}

function decideOrDegrade(
  snapshot: WorkbenchSnapshot,
  failed: HandoffPacket["failed_attempts"],
  options: PacketOptions,
  keep: TextKeeper,
): Pick<HandoffPacket, "next_action" | "next_action_source" | "degraded"> & { ignores_verdict: boolean } {
  const next = decideNextAction(snapshot, failed, keep);
  const degraded = options.degraded ?? null;
  if (next !== null) {
    return {
      next_action: next.text,
      next_action_source: next.source,
      degraded,
      ignores_verdict: next.ignores_verdict,
    };
  }
  // A person may have said what the workbench does not.
  const edited = (options.edits?.edits.next_action ?? null) !== null;
  if (options.allowDegraded !== true && degraded === null && !edited) {
    throw new RefusalError(
      "next_action.unknown",
      "nothing in the workbench says what comes next, so the packet would mislead",
      "record the next action (handoff note next TEXT), name the task with --task, or pass --allow-degraded",
    );
  }
  return {
    next_action: NOTHING_TO_SAY,
    next_action_source: { derived: true, rule: "degraded", source: null },
    degraded: degraded ?? {
      reason: "no_next_action",
      detail: "no source in the workbench says what comes next",
    },
    ignores_verdict: false,
  };
}

function countedOmissions(
  snapshot: WorkbenchSnapshot,
  commands: number,
  cuts: number,
): HandoffPacket["omitted"] {
  const counts: [string, number][] = [
    ["commands_run", commands],
    ["commits", snapshot.git.commits_omitted],
    ["changed_files", snapshot.git.changes_omitted],
    ["texts", cuts],
    [FOLDED_UNRESOLVED, snapshot.feedback.folded.unresolved_groups],
  ];
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** This session's open items with those carried forward. */
function openItems(snapshot: WorkbenchSnapshot, failed: readonly FailedAttempt[], keep: TextKeeper) {
  const review = snapshot.review.status === "present" ? snapshot.review.value : null;
  const items = carryForward(
    {
      decisions: collectDecisions(snapshot, keep),
      assumptions_to_validate: collectAssumptions(snapshot, keep),
      questions_for_human: collectQuestions(snapshot, keep),
      failed_attempts: [...failed, ...collectDeadEnds(snapshot, keep)],
    },
    snapshot.predecessor,
    stateOf(snapshot)?.value ?? null,
    snapshot.feedback,
    (assumption) => isValidated(review, assumption),
  );
  return { ...items, failed_attempts: orderFailures(items.failed_attempts) };
}

/** The packets that carried items come from, in the order of the items; last that of a carried next action. */
function carriedFrom(
  open: ReturnType<typeof openItems>,
  next: HandoffPacket["next_action_source"],
): string[] {
  const rows = [
    ...open.failed_attempts,
    ...open.decisions,
    ...open.assumptions_to_validate,
    ...open.questions_for_human,
  ];
  const action = isCarriedAction(next) ? (next.source?.path ?? null) : null;
  return [...new Set([...rows.map(({ carried_from }) => carried_from), action])].filter((id) => id !== null);
}

/**
 * Builds the packet of a snapshot (P21-P36), status `active`, superseding its predecessor if there is one.
 * Throws RefusalError `next_action.unknown` when nothing can be said and a degraded packet is not allowed.
 */
export function buildPacket(loaded: WorkbenchSnapshot, options: PacketOptions = {}): HandoffPacket {
  const snapshot = cleanSnapshot(loaded);
  const keep = createTextKeeper();
  const { git, predecessor } = snapshot;
  const reduced = reduceFeedback(snapshot.feedback, options.last ?? DEFAULT_LAST, keep);
  const open = openItems(snapshot, reduced.failed_commands, keep);
  const failing = open.failed_attempts.filter(({ kind }) => kind !== "dead_end");
  const { ignores_verdict, ...decision } = decideOrDegrade(snapshot, failing, options, keep);
  const changed_files = buildChangedFiles(snapshot, keep);
  const verification = buildVerification(snapshot, keep);
  const review = buildReview(snapshot);
  const gaps = buildGaps(snapshot.diagnostics, keep);
  const context = {
    failed_commands: failing,
    gaps,
    verification_stale: verification.stale,
    review_stale: review.stale,
    ignores_verdict,
  };
  const open_risks = rankRisks(snapshot, context, keep);
  const { feedback } = reduced;
  const summaryFacts = {
    changed_files,
    feedback,
    failed_commands: reduced.failed_commands,
    folded_unresolved: snapshot.feedback.folded.unresolved_groups,
    verification,
    review,
  };
  const draft: Omit<HandoffPacket, "packet_id"> = {
    schema_version: "1.0",
    session_id: snapshot.session.id,
    task_id: snapshot.task.id,
    topic: snapshot.topic,
    branch: git.branch === null ? null : keep.exact(git.branch, "path"),
    head_commit: git.head?.sha ?? null,
    last_known_good_commit: chooseLastKnownGood(snapshot),
    status: "active",
    supersedes: predecessor?.packet_id ?? null,
    superseded_by: null,
    generated_at: newestTime(snapshot),
    degraded: decision.degraded,
    handoff_reason: options.reason ?? "manual",
    summary: buildSummary(snapshot, summaryFacts, keep),
    changed_files,
    commands_run: reduced.commands_run,
    failed_attempts: open.failed_attempts,
    open_risks,
    next_action: decision.next_action,
    next_action_source: decision.next_action_source,
    verdict_pointer: { verification, review },
    doing: collectDoing(snapshot, keep),
    decisions: open.decisions,
    assumptions_to_validate: open.assumptions_to_validate,
    questions_for_human: open.questions_for_human,
    prerequisites: buildPrerequisites(snapshot),
    scene: collectScene(snapshot, keep),
    commits: git.commits.map(({ sha, subject }) => ({ sha, subject: keep.line(subject, "subject") })),
    feedback,
    git: gitSection(snapshot),
    gaps,
    carried_forward: carriedFrom(open, decision.next_action_source),
    omitted: {},
    redactions: { ...options.redactions },
  };
  const { edits = null } = options;
  const edited = edits === null ? draft : applyEdits(draft, edits);
  const counted = {
    ...edited,
    open_risks: bySeverity([...edited.open_risks, ...flagSuspectText(edited)]),
    omitted: countedOmissions(snapshot, reduced.omitted_commands, keep.cuts()),
  };
  const fitted = fitBudget(counted, snapshot.feedback.folded, options.maxBytes ?? DEFAULT_MAX_BYTES);
  const { schema_version, ...rest } = fitted;
  return { schema_version, packet_id: packetId(fitted), ...rest };
}
