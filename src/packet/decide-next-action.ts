// The next action (P28): the recorded one, else derived from the workbench in a fixed order, else nothing. In front of a
// mere goal stands what an earlier session recorded and nobody did away with (P33).
import { type Finding, JOB_DONE } from "../model/artifacts.js";
import { carriedActionSource, isCarriedAction } from "../model/carried-action.js";
import type { FailedAttempt, NextActionSource } from "../model/packet.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { cleanLine } from "../text/clean.js";
import { itemId } from "../text/digest.js";
import { commandKey } from "../text/shell-words.js";
import { createResolvedCheck } from "./carry-forward.js";
import { activeTask, goalOf, isClosed, stateOf } from "./collect-recorded.js";
import { weighFailure, type FailureWeight } from "./failing-work.js";
import { ignoresVerdict } from "./ignores-verdict.js";
import { blockingFindings } from "./report-risks.js";
import { isPlaceholder, meaningful, type TextKeeper } from "./text-keeper.js";

/** What to do next and where that comes from. */
export interface NextAction {
  readonly text: string;
  readonly source: NextActionSource;
  /** The action is recorded, findings block, and it names none of them (P26). */
  readonly ignores_verdict: boolean;
}

type Derived = { text: string; source: NextActionSource } | null;

/** A finding in words: its code and detail, each once, without the full stop that would end our sentence early. */
function findingWords({ code, detail }: Finding): string {
  const text = cleanLine(detail).replace(/[.;:!\s]+$/u, "");
  // Findings without a code are read as `finding`.
  if (text === "" || text === code) return code;
  return code === "finding" || text.includes(code) ? text : `${code}: ${text}`;
}

function fromFinding(snapshot: WorkbenchSnapshot, finding: Finding | undefined): Derived {
  const { verification } = snapshot;
  if (verification.status !== "present" || verification.value.passed) return null;
  if (finding !== undefined) {
    return {
      text: `Resolve the blocking finding ${findingWords(finding)}, then verify again`,
      source: {
        derived: true,
        rule: "finding",
        source: { path: verification.path, pointer: finding.pointer },
      },
    };
  }
  // Failed without saying why blocks as well; findings that only warn, or were accepted, do not.
  if (verification.value.findings.length > 0) return null;
  return {
    text: "Verify again and record why it fails: the verification failed without naming a finding",
    source: { derived: true, rule: "finding", source: { path: verification.path } },
  };
}

/** The newest failure of these kinds: this session's own, or one that came along from an earlier one. */
function fromFailure(
  failed: readonly FailedAttempt[],
  { kinds, carried }: { readonly kinds: readonly FailureWeight[]; readonly carried: boolean },
): Derived {
  const newest = failed.find(
    (one) =>
      one.kind === "command" &&
      !one.resolved &&
      (one.carried_from !== null) === carried &&
      kinds.includes(weighFailure(one)),
  );
  if (newest === undefined) return null;
  const exit = newest.exit_code === null ? "it ended without an exit status" : `exit ${newest.exit_code}`;
  return {
    text: `Make "${newest.what}" pass (${exit})${newest.why === null ? "" : `: ${newest.why}`}`,
    source: { derived: true, rule: "failure", source: newest.source },
  };
}

/** True for a session that hooks saw begin and that changed nothing: no edit, no commit, no file beside those it found. */
function changedNothing({ session_record, touched_files, state, git }: WorkbenchSnapshot): boolean {
  if (session_record.status !== "present" || git.commits.length > 0) return false;
  if (state.status === "present" && state.value.touched_files.length > 0) return false;
  return touched_files.status !== "present" || touched_files.value.files.length === 0;
}

/**
 * A failure that came along. Whoever recorded the action that came along with it knew of it, so to a session that has changed
 * nothing since, the action says more.
 */
function fromCarriedFailure(snapshot: WorkbenchSnapshot, failed: readonly FailedAttempt[]): Derived {
  const failure = fromFailure(failed, { kinds: ["work"], carried: true });
  if (failure === null || !changedNothing(snapshot)) return failure;
  return fromPredecessor(snapshot) ?? failure;
}

/** What is left to say where no goal is known: a look that found nothing, a command that was cut short. */
function fromLesserFailure(failed: readonly FailedAttempt[]): Derived {
  const kinds = ["look", "unrun"] as const;
  return fromFailure(failed, { kinds, carried: false }) ?? fromFailure(failed, { kinds, carried: true });
}

function fromReview({ review }: WorkbenchSnapshot): Derived {
  if (review.status !== "present" || review.value.verdict !== "hard_fail") return null;
  const scored = review.value.dimensions.filter((d): d is typeof d & { score: number } => d.score !== null);
  const lowest = scored.toSorted((a, b) => a.score - b.score)[0];
  const weakest =
    lowest === undefined
      ? ""
      : `, weakest in ${lowest.name} (${lowest.score}${lowest.note === null ? "" : `: ${lowest.note}`})`;
  const total = review.value.total === null ? "" : ` with ${review.value.total}`;
  return {
    text: `Answer the review, which failed hard${total}${weakest}`,
    source: { derived: true, rule: "review", source: { path: review.path, pointer: "/verdict" } },
  };
}

function fromAcceptance(snapshot: WorkbenchSnapshot): Derived {
  const { verification, scope_contract, feedback } = snapshot;
  if (verification.status === "present" && verification.value.passed) return null;
  const active = activeTask(snapshot);
  if (active !== null && isClosed(active.task)) return null;
  const board = (active?.task.acceptance ?? []).map((item) => ({ ...item, path: active?.path ?? "" }));
  const contract = scope_contract.status === "present" ? scope_contract : null;
  const criteria =
    board.length > 0
      ? board
      : (contract?.value.acceptance ?? []).map((item) => ({ ...item, path: contract?.path ?? "" }));
  const passed = new Set(feedback.passed_watched);
  const unmet = criteria.find(({ text }) => !isPlaceholder(text) && !passed.has(commandKey(text)));
  if (unmet === undefined) return null;
  return {
    text: `Meet the acceptance criterion of ${snapshot.task.id ?? "the task"}: ${unmet.text}`,
    source: { derived: true, rule: "acceptance", source: { path: unmet.path, pointer: unmet.pointer } },
  };
}

function fromOperation({ git }: WorkbenchSnapshot): Derived {
  if (git.operation === null) return null;
  return {
    text: `Finish or abort the ${git.operation} that is in progress`,
    source: { derived: true, rule: "operation", source: { path: "git status" } },
  };
}

/**
 * What the session before recorded and this one neither replaced nor did away with. It says more than a goal, unless it is
 * another task's, or the task is closed or verified since.
 */
function fromPredecessor(snapshot: WorkbenchSnapshot): Derived {
  const { predecessor, task, board, verification } = snapshot;
  if (predecessor === null || predecessor.next_action_source.rule !== "recorded") return null;
  const { task_id, packet_id, next_action: text, next_action_source: source } = predecessor;
  if (task_id !== null && task.id !== null && task_id !== task.id) return null;
  const tasks = board.status === "present" ? board.value.tasks : [];
  if (tasks.some((one) => one.id === (task.id ?? task_id) && isClosed(one))) return null;
  if (verification.status === "present" && verification.value.passed) return null;
  const isResolved = createResolvedCheck(stateOf(snapshot)?.value ?? null);
  if (isPlaceholder(text) || isResolved(itemId("next_action", text), text)) return null;
  return { text, source: isCarriedAction(source) ? source : carriedActionSource(packet_id) };
}

function fromGoal(snapshot: WorkbenchSnapshot): Derived {
  const active = activeTask(snapshot);
  const goal = active !== null && isClosed(active.task) ? null : goalOf(snapshot);
  if (goal === null || isPlaceholder(goal.text)) return null;
  const { verification, task, session_record } = snapshot;
  const isVerified = verification.status === "present" && verification.value.passed;
  const isDone = session_record.status === "present" && session_record.value.end_reason === JOB_DONE;
  const what = task.id ?? "the session";
  const towards = isDone
    ? `Look over and verify the work, which the agent says is done`
    : `Work towards the goal of ${what}`;
  return {
    text: `${isVerified ? `Wrap up ${what}, which is verified` : towards}: ${goal.text}`,
    source: { derived: true, rule: "goal", source: goal.source },
  };
}

/** The next action, or null when nothing can be said. `failed` comes newest unresolved first. */
export function decideNextAction(
  snapshot: WorkbenchSnapshot,
  failed: readonly FailedAttempt[],
  keep: TextKeeper,
): NextAction | null {
  const findings = blockingFindings(snapshot);
  const state = stateOf(snapshot);
  const recorded = meaningful(state?.value.next_action ?? null);
  if (state !== null && recorded !== null) {
    const source = { path: state.path, pointer: recorded.pointer };
    return {
      text: keep.line(recorded.text, "next_action"),
      source: { derived: false, rule: "recorded", source },
      ignores_verdict: ignoresVerdict(recorded.text, findings),
    };
  }
  const derived =
    fromFinding(snapshot, findings[0]) ??
    fromFailure(failed, { kinds: ["work"], carried: false }) ??
    fromCarriedFailure(snapshot, failed) ??
    fromReview(snapshot) ??
    fromAcceptance(snapshot) ??
    fromOperation(snapshot) ??
    fromPredecessor(snapshot) ??
    fromGoal(snapshot) ??
    fromLesserFailure(failed);
  return derived === null
    ? null
    : { text: keep.line(derived.text, "next_action"), source: derived.source, ignores_verdict: false };
}
