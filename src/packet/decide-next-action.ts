// The next action (P28): the recorded one, else derived from the workbench in a fixed order, else nothing. In front of a
// mere goal stands what an earlier session recorded and nobody did away with (P33).
import type { Finding } from "../model/artifacts.js";
import { carriedActionSource, isCarriedAction } from "../model/carried-action.js";
import type { FailedAttempt, NextActionSource } from "../model/packet.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { cleanLine } from "../text/clean.js";
import { itemId } from "../text/digest.js";
import { commandKey } from "../text/shell-words.js";
import { createResolvedCheck } from "./carry-forward.js";
import { activeTask, goalOf, isClosed, stateOf } from "./collect-recorded.js";
import { blockingFindings } from "./report-risks.js";
import { isPlaceholder, meaningful, type TextKeeper } from "./text-keeper.js";

/** What to do next and where that comes from. */
export interface NextAction {
  readonly text: string;
  readonly source: NextActionSource;
  /** The action is recorded, findings block, and it names none of them (P26). */
  readonly ignores_verdict: boolean;
}

/** Programs that are in nearly every sentence about code: their name alone names no finding. */
const COMMON_PROGRAMS = new Set([
  "git",
  "npm",
  "npx",
  "node",
  "python",
  "python3",
  "make",
  "bash",
  "sh",
  "run",
  "test",
]);

/**
 * What a finding can be recognised by in prose: its code, quoted commands, path-like words, and the program its detail
 * begins with. Shapes and places only, so that it works in any language (P7).
 */
function namesOf(finding: Finding): string[] {
  const detail = finding.detail.trim();
  const quoted = [...detail.matchAll(/(["'`])(?<text>[^"'`\n]{2,200})\1/gu)].map(
    (match) => match.groups?.["text"] ?? "",
  );
  const words = detail.match(/[\p{L}\p{N}_@.:/\\-]+/gu) ?? [];
  const paths = words.filter((word) => /[./\\_:]/u.test(word.slice(0, -1)));
  const first = words[0] ?? "";
  const program = first.length < 3 || COMMON_PROGRAMS.has(first.toLowerCase()) ? [] : [first];
  return [finding.code, ...quoted, ...paths, ...program]
    .map((name) =>
      cleanLine(name)
        .replace(/[.:]+$/u, "")
        .toLowerCase(),
    )
    .filter((name) => name.length > 1);
}

/** True when `name` stands in `text` as a word of its own, not inside another. */
function hasWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const around = [text.slice(0, at), text.slice(at + name.length)];
    if (!/[\p{L}\p{N}_]$/u.test(around[0] ?? "") && !/^[\p{L}\p{N}_]/u.test(around[1] ?? "")) return true;
  }
  return false;
}

function ignoresVerdict(action: string, findings: readonly Finding[]): boolean {
  const text = cleanLine(action).toLowerCase();
  return findings.length > 0 && !findings.flatMap(namesOf).some((name) => hasWord(text, name));
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

function fromFailure(failed: readonly FailedAttempt[]): Derived {
  const newest = failed.find(({ kind, resolved }) => kind === "command" && !resolved);
  if (newest === undefined) return null;
  const exit = newest.exit_code === null ? "it ended without an exit status" : `exit ${newest.exit_code}`;
  return {
    text: `Make "${newest.what}" pass (${exit})${newest.why === null ? "" : `: ${newest.why}`}`,
    source: { derived: true, rule: "failure", source: newest.source },
  };
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
  const { verification, task } = snapshot;
  const isVerified = verification.status === "present" && verification.value.passed;
  const what = task.id ?? "the session";
  return {
    text: isVerified
      ? `Wrap up ${what}, which is verified: ${goal.text}`
      : `Work towards the goal of ${what}: ${goal.text}`,
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
    fromFailure(failed) ??
    fromReview(snapshot) ??
    fromAcceptance(snapshot) ??
    fromOperation(snapshot) ??
    fromPredecessor(snapshot) ??
    fromGoal(snapshot);
  return derived === null
    ? null
    : { text: keep.line(derived.text, "next_action"), source: derived.source, ignores_verdict: false };
}
