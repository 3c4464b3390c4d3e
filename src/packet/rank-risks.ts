// Open risks (P26): from every report, the state, the log, git and the gaps; blocking first, in a stable order.
import { NOT_THERE } from "../model/not-there.js";
import type { FailedAttempt, Gap, OpenRisk } from "../model/packet.js";
import type { Severity } from "../model/severity.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { stateOf } from "./collect-recorded.js";
import { weighFailure } from "./failing-work.js";
import { reviewRisks, type RiskDraft, scopeRisks, verificationRisks } from "./report-risks.js";
import { isPlaceholder, type TextKeeper } from "./text-keeper.js";

/** Unresolved failures shown one by one among the risks; the rest are one row (all are in failed_attempts). */
const FAILURES_SHOWN = 10;

/** Order of severities, blocking first. */
export const SEVERITY_RANK: Readonly<Record<Severity, number>> = { block: 0, warn: 1, info: 2 };

/** Blocking first; equal severities keep their order. */
export function bySeverity<T extends { readonly severity: Severity }>(risks: readonly T[]): T[] {
  return risks.toSorted((a, b) => SEVERITY_RANK[a.severity] - SEVERITY_RANK[b.severity]);
}

/** What the other sections already know, so that no risk is computed twice. */
export interface RiskContext {
  readonly failed_commands: readonly FailedAttempt[];
  readonly gaps: readonly Gap[];
  readonly verification_stale: boolean | null;
  readonly review_stale: boolean | null;
  readonly ignores_verdict: boolean;
}

function stateRisks(snapshot: WorkbenchSnapshot): RiskDraft[] {
  const state = stateOf(snapshot);
  if (state === null) return [];
  const { path, value } = state;
  const blockers = value.blockers
    .filter(({ text }) => !isPlaceholder(text))
    .map(({ text, waits_for, pointer }): RiskDraft => {
      const detail = waits_for === null ? text : `${text} (waits for ${waits_for})`;
      return { severity: "block", code: "state.blocker", detail, source: { path, pointer } };
    });
  const risks = value.risks
    .filter(({ detail }) => !isPlaceholder(detail))
    .map(({ severity, original_severity, detail, pointer }): RiskDraft => {
      return { severity, code: "state.risk", detail, source: { path, pointer }, original_severity };
    });
  return [...blockers, ...risks];
}

function failureRisks(failed: readonly FailedAttempt[], foldedUnresolved: number): RiskDraft[] {
  const open = failed.filter(({ kind, resolved }) => kind === "command" && !resolved);
  const drafts = open.slice(0, FAILURES_SHOWN).map((attempt): RiskDraft => {
    const { what, exit_code, count, why, source } = attempt;
    const severity = weighFailure(attempt) === "work" ? "warn" : "info";
    const exit = exit_code === null ? "no exit status" : `exit ${exit_code}`;
    const times = count === 1 ? "" : `, ${count} times`;
    const detail = `${what} (${exit}${times})${why === null ? "" : `: ${why}`}`;
    return { severity, code: "feedback.unresolved", detail, source };
  });
  const rest = open.slice(FAILURES_SHOWN);
  const first = rest[0];
  if (first !== undefined) {
    const detail = `${rest.length + foldedUnresolved} more unresolved failures, see failed_attempts`;
    drafts.push({ severity: "warn", code: "feedback.unresolved", detail, source: first.source });
  }
  return drafts;
}

function gitRisks(snapshot: WorkbenchSnapshot): RiskDraft[] {
  const { git } = snapshot;
  const source = { path: "git status" };
  const drafts: RiskDraft[] = [];
  if (git.operation !== null) {
    const conflicts = git.changes.filter(({ change }) => change === "conflicted").length;
    const detail = `a ${git.operation} is in progress${conflicts === 0 ? "" : `, ${conflicts} ${conflicts === 1 ? "path" : "paths"} in conflict`}`;
    drafts.push({ severity: conflicts === 0 ? "warn" : "block", code: "git.operation", detail, source });
  }
  if (git.dirty) {
    const open = git.changes.filter(({ committed }) => !committed).length;
    const detail = `${open} ${open === 1 ? "path is" : "paths are"} not committed`;
    drafts.push({ severity: "warn", code: "git.dirty", detail, source });
  }
  return drafts;
}

/** These have risk codes of their own. */
const OWN_CODE = new Set(["verification", "review"]);

/** One row per artifact and code for what could not be read; one for all that is not there. */
function gapRisks(gaps: readonly Gap[], diagnostics: WorkbenchSnapshot["diagnostics"]): RiskDraft[] {
  const severe = new Set(
    diagnostics.filter(({ severity }) => severity !== "info").map((d) => `${d.artifact} ${d.code}`),
  );
  const groups = new Map<string, { gap: Gap; count: number }>();
  const absent = gaps.filter(({ artifact, code }) => code === "artifact.missing" && !OWN_CODE.has(artifact));
  for (const gap of gaps) {
    if (gap.code === "artifact.missing") continue;
    if (OWN_CODE.has(gap.artifact) && gap.code !== "artifact.field_invalid") continue;
    const key = `${gap.artifact} ${gap.code}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { gap, count: 1 });
    else group.count += 1;
  }
  const unread = [...groups].map(([key, { gap, count }]): RiskDraft => {
    const more = count === 1 ? "" : ` (and ${count - 1} more)`;
    return {
      severity: severe.has(key) ? "warn" : "info",
      code: "gap",
      detail: `${gap.artifact}: ${gap.detail}${more}`,
      source: { path: gap.path ?? "." },
    };
  });
  // Every artifact is optional: what is simply not there is told in one line.
  const [first] = absent;
  if (first === undefined) return unread;
  const names = absent.map(({ artifact }) => artifact).join(", ");
  return [
    ...unread,
    { severity: "info", code: "gap", detail: `${NOT_THERE}${names}`, source: { path: first.path ?? "." } },
  ];
}

/** All risks, cleaned and sorted: severity first, then the order of the rules above. */
export function rankRisks(snapshot: WorkbenchSnapshot, context: RiskContext, keep: TextKeeper): OpenRisk[] {
  const drafts: RiskDraft[] = [
    ...verificationRisks(snapshot, context.verification_stale),
    ...reviewRisks(snapshot, context.review_stale),
    ...scopeRisks(snapshot),
    ...stateRisks(snapshot),
    ...failureRisks(context.failed_commands, snapshot.feedback.folded.unresolved_groups),
    ...gitRisks(snapshot),
    ...gapRisks(context.gaps, snapshot.diagnostics),
  ];
  if (context.ignores_verdict) {
    drafts.push({
      severity: "warn",
      code: "next_action.ignores_verdict",
      detail: "the recorded next action names none of the blocking findings",
      source: { path: snapshot.state.path ?? "agent_state.json", pointer: "/next_action" },
    });
  }
  return bySeverity(drafts).map((draft) => ({
    severity: draft.severity,
    code: draft.code,
    detail: keep.line(draft.detail, "detail"),
    original_severity:
      (draft.original_severity ?? null) === null ? null : keep.line(draft.original_severity ?? "", "word"),
    source: draft.source,
  }));
}
