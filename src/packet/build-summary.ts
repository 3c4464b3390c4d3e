// The summary (P24): one deterministic paragraph, useful even when no agent wrote a word.
import type {
  ChangedFile,
  FailedAttempt,
  HandoffPacket,
  ReviewPointer,
  VerificationPointer,
} from "../model/packet.js";
import { countUnresolved } from "../model/count-unresolved.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { goalOf, stateOf } from "./collect-recorded.js";
import { meaningful, type TextKeeper } from "./text-keeper.js";

export interface SummaryFacts {
  readonly changed_files: readonly ChangedFile[];
  readonly feedback: HandoffPacket["feedback"];
  readonly failed_commands: readonly FailedAttempt[];
  /** Unresolved groups that the scan itself folded. */
  readonly folded_unresolved: number;
  readonly verification: VerificationPointer;
  readonly review: ReviewPointer;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function sentence(text: string): string {
  return /[.!?…。！？]$/u.test(text) ? text : `${text}.`;
}

function recordedSentence(snapshot: WorkbenchSnapshot): string | null {
  const state = stateOf(snapshot)?.value;
  const recorded = meaningful(state?.summary ?? null) ?? meaningful(state?.doing ?? null);
  return recorded === null ? null : sentence(recorded.text.trim());
}

function taskSentence(snapshot: WorkbenchSnapshot): string {
  const goal = goalOf(snapshot)?.text.trim();
  if (snapshot.task.id === null) return goal === undefined ? "No task is active." : sentence(`Goal: ${goal}`);
  return goal === undefined ? `Task ${snapshot.task.id}.` : sentence(`Task ${snapshot.task.id}: ${goal}`);
}

function workSentence({ git }: WorkbenchSnapshot, files: readonly ChangedFile[]): string {
  const changed = files.filter(({ change }) => change !== "unchanged");
  const inserted = changed.reduce((sum, row) => sum + (row.insertions ?? 0), 0);
  const deleted = changed.reduce((sum, row) => sum + (row.deletions ?? 0), 0);
  const filesPart = `${plural(changed.length, "changed file")}${changed.length === 0 ? "" : ` (+${inserted} -${deleted})`}`;
  if (!git.available) {
    return changed.length === 0
      ? "Git could not be asked what changed."
      : `${filesPart} on the agent's word; git could not be asked.`;
  }
  const open = changed.filter(({ committed, seen_by }) => !committed && seen_by.includes("git")).length;
  const openPart =
    changed.length > 0 && open > 0
      ? `, ${open === changed.length ? "none committed" : `${open} not committed`}`
      : "";
  if (git.base === null) return `${filesPart}${openPart}.`;
  const commits = plural(git.commits.length + git.commits_omitted, "commit");
  return `${commits} and ${filesPart} since ${git.base.sha.slice(0, 12)}${openPart}.`;
}

function commandSentence({ feedback, failed_commands, folded_unresolved }: SummaryFacts): string {
  if (feedback.files.length === 0) return "No command log.";
  const unresolved = countUnresolved(failed_commands, folded_unresolved);
  const skipped =
    feedback.skipped_lines === 0 ? "" : `; ${plural(feedback.skipped_lines, "log line")} could not be read`;
  if (feedback.nonzero === 0) return `${plural(feedback.total, "command")}, none failed${skipped}.`;
  const state = unresolved === 0 ? "all resolved" : `${plural(unresolved, "failure")} unresolved`;
  return `${plural(feedback.total, "command")}, ${feedback.nonzero} failed, ${state}${skipped}.`;
}

function verdictSentence({ verification, review }: SummaryFacts): string {
  const words = {
    passed: "Verification passed",
    failed: "Verification failed",
    missing: "Not verified",
    invalid: "Verification unreadable",
  };
  const stale = verification.stale === true ? " (stale)" : "";
  const total = review.total === null ? "" : ` (${review.total}/10)`;
  const reviewPart = review.outcome === "missing" ? "no review" : `review ${review.outcome}${total}`;
  return `${words[verification.outcome]}${stale}; ${reviewPart}.`;
}

export function buildSummary(snapshot: WorkbenchSnapshot, facts: SummaryFacts, keep: TextKeeper): string {
  const parts = [
    recordedSentence(snapshot),
    taskSentence(snapshot),
    workSentence(snapshot, facts.changed_files),
    commandSentence(facts),
    verdictSentence(facts),
  ];
  // The facts come from counts and stay whole; only the agent's prose in front of them is ever long enough to be cut.
  return parts
    .filter((part) => part !== null)
    .map((part) => keep.line(part, "prose"))
    .join(" ");
}
