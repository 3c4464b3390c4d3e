// Risks that reports speak of (P26): verification, rules, review, scope. Accepted findings stay visible as information.
import type { Finding, Override } from "../model/artifacts.js";
import type { RiskCode, Source } from "../model/packet.js";
import type { Severity } from "../model/severity.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";

/** A review below this total (of 10) is a risk. */
const REVIEW_FLOOR = 7;

/** A risk before its texts are cleaned and cut. */
export interface RiskDraft {
  readonly severity: Severity;
  readonly code: RiskCode;
  readonly detail: string;
  readonly source: Source;
  readonly original_severity?: string | null;
}

/** As people read it; the pointer has the whole. */
function shortCommit(commit: string | null): string {
  return commit === null ? "another commit" : commit.slice(0, 12);
}

/** The override that accepts this finding, if somebody with the right to do so recorded one for this very report. */
function overrideFor(snapshot: WorkbenchSnapshot, finding: Finding, head: string | null): Override | null {
  if (snapshot.overrides.status !== "present") return null;
  return (
    snapshot.overrides.value.find(
      (row) =>
        row.finding_code === finding.code &&
        (row.task_id === null || row.task_id === snapshot.task.id) &&
        (row.head_commit === null || row.head_commit === head),
    ) ?? null
  );
}

function findingRisk(code: RiskCode, finding: Finding, path: string, override: Override | null): RiskDraft {
  const named = finding.detail.includes(finding.code)
    ? finding.detail
    : `${finding.detail} (${finding.code})`;
  const detail = finding.detail.trim() === "" ? finding.code : named;
  const source = { path, pointer: finding.pointer };
  if (override === null) {
    return { severity: finding.severity, code, detail, source, original_severity: finding.original_severity };
  }
  const reason = override.reason === null ? "" : `: ${override.reason}`;
  return {
    severity: "info",
    code,
    detail: `${detail}, accepted${override.by === null ? "" : ` by ${override.by}`}${reason}`,
    source,
    original_severity: finding.original_severity ?? finding.severity,
  };
}

/** Findings of the active verification that block and that nobody accepted. */
export function blockingFindings(snapshot: WorkbenchSnapshot): readonly Finding[] {
  const { verification } = snapshot;
  if (verification.status !== "present") return [];
  const { findings, head_commit } = verification.value;
  return findings.filter(
    (finding) => finding.severity === "block" && overrideFor(snapshot, finding, head_commit) === null,
  );
}

export function verificationRisks(snapshot: WorkbenchSnapshot, staleness: boolean | null): RiskDraft[] {
  const { verification, rule_report } = snapshot;
  const drafts: RiskDraft[] = [];
  const source = { path: verification.path ?? "outputs/verification" };
  if (verification.status === "missing") {
    const task = snapshot.task.id === null ? "no task is active" : `for ${snapshot.task.id}`;
    drafts.push({
      severity: "warn",
      code: "verification.missing",
      detail: `no verification report (${task})`,
      source,
    });
  } else if (verification.status === "invalid") {
    const detail = "the verification report cannot be used; nothing counts as verified";
    drafts.push({ severity: "block", code: "verification.invalid", detail, source });
  } else {
    const { value, path } = verification;
    for (const finding of value.findings) {
      const override = overrideFor(snapshot, finding, value.head_commit);
      drafts.push(findingRisk("verification.finding", finding, path, override));
    }
    if (!value.passed && value.findings.length === 0) {
      const detail = "verification failed without saying why";
      drafts.push({ severity: "block", code: "verification.finding", detail, source });
    }
    if (staleness === true) {
      const detail = `the verification speaks of ${shortCommit(value.head_commit)}, not of what is in the working tree now`;
      drafts.push({
        severity: "warn",
        code: "verification.stale",
        detail,
        source: { ...source, pointer: "/head_commit" },
      });
    }
  }
  if (rule_report.status === "present") {
    for (const rule of rule_report.value.failed) {
      const ruleSource = { path: rule_report.path, pointer: rule.pointer };
      drafts.push({
        severity: "warn",
        code: "verification.finding",
        detail: `rule failed: ${rule.text}`,
        source: ruleSource,
      });
    }
  }
  return drafts;
}

export function reviewRisks(snapshot: WorkbenchSnapshot, staleness: boolean | null): RiskDraft[] {
  const { review } = snapshot;
  const source = { path: review.path ?? "outputs/review" };
  if (review.status === "missing") {
    return [{ severity: "info", code: "review.missing", detail: "no review report", source }];
  }
  if (review.status === "invalid") {
    return [{ severity: "warn", code: "review.invalid", detail: "the review report cannot be used", source }];
  }
  const { value, path } = review;
  const drafts: RiskDraft[] = [];
  const add = (severity: Severity, code: RiskCode, detail: string, pointer: string): void => {
    drafts.push({ severity, code, detail, source: { path, pointer } });
  };
  if (value.verdict === "hard_fail")
    add("block", "review.verdict", "the review's verdict is hard_fail", "/verdict");
  if (value.verdict === "soft_fail")
    add("warn", "review.verdict", "the review's verdict is soft_fail", "/verdict");
  if (value.verdict === null) add("warn", "review.invalid", "the review names no verdict", "/verdict");
  if (value.total === null) add("warn", "review.total", "the review's total is unknown", "/total");
  else if (value.total < REVIEW_FLOOR)
    add("warn", "review.total", `review total ${value.total} below ${REVIEW_FLOOR}`, "/total");
  for (const { name, score, note, pointer } of value.dimensions) {
    if (score === 0)
      add("warn", "review.dimension", `review scores ${name} 0${note === null ? "" : `: ${note}`}`, pointer);
  }
  for (const finding of value.findings) drafts.push(findingRisk("review.verdict", finding, path, null));
  if (staleness === true) {
    add(
      "warn",
      "review.stale",
      `the review speaks of ${shortCommit(value.head_commit)}, not of what is in the working tree now`,
      "/head_commit",
    );
  }
  return drafts;
}

export function scopeRisks(snapshot: WorkbenchSnapshot): RiskDraft[] {
  const { scope_report } = snapshot;
  if (scope_report.status !== "present") return [];
  const { path, value } = scope_report;
  const fromFindings = value.findings.map((finding) => findingRisk("scope.violation", finding, path, null));
  const lists = [
    { items: value.forbidden, severity: "block", words: "forbidden write" },
    { items: value.off_scope, severity: "warn", words: "write outside the scope" },
    { items: value.soft_off_scope, severity: "info", words: "write beside the scope" },
  ] as const;
  const fromLists = lists.flatMap(({ items, severity, words }) =>
    items
      .filter(({ text }) => !value.findings.some(({ detail }) => detail.includes(text)))
      .map(({ text, pointer }): RiskDraft => {
        return { severity, code: "scope.violation", detail: `${words}: ${text}`, source: { path, pointer } };
      }),
  );
  return [...fromFindings, ...fromLists];
}
