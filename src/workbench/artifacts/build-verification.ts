// A verification report (P4). It fails closed: only a report that plainly says so, and nothing against it, has passed.
import type { VerificationReport } from "../../model/artifacts.js";
import { buildFindings } from "./build-findings.js";
import type { FieldNotes } from "./field-notes.js";
import { Fields, isObject } from "./fields.js";

/** The words of report writers, not prose: compared whole, in any case. */
const VERDICTS: Readonly<Record<string, boolean>> = {
  pass: true,
  passed: true,
  passing: true,
  ok: true,
  success: true,
  true: true,
  fail: false,
  failed: false,
  failing: false,
  failure: false,
  error: false,
  false: false,
};

function verdictOf(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return undefined;
  const word = value.trim().toLowerCase();
  return Object.hasOwn(VERDICTS, word) ? VERDICTS[word] : undefined;
}

/** The report, or null when the JSON is something else. */
export function buildVerification(value: unknown, notes: FieldNotes): VerificationReport | null {
  if (!isObject(value)) return null;
  const fields = new Fields(value, "", notes);
  const passed = verdictOf(fields.get("passed"));
  const status = verdictOf(fields.get("status"));
  const hasFindings = Array.isArray(fields.get("findings"));
  if (passed === undefined && status === undefined && !hasFindings && !fields.has("passed")) return null;
  const unclear = passed === undefined && (fields.get("passed") ?? null) !== null;
  if (unclear) notes.invalid("/passed", "true or false");
  else if (passed === undefined && status === undefined)
    notes.invalid(fields.has("status") ? "/status" : "/passed", "a verdict; counted as failed");

  const findings = buildFindings(fields);
  const blocking = findings.find(({ severity }) => severity === "block");
  const claimed = passed === true || status === true;
  const denied = passed === false || status === false;
  if (claimed && denied)
    notes.add("artifact.contradictory", "warn", {
      detail: `passed is ${passed} beside status ${status ? "pass" : "fail"}`,
    });
  else if (claimed && blocking !== undefined)
    notes.add("artifact.contradictory", "warn", {
      detail: `passed with a blocking finding at ${blocking.pointer}`,
    });

  const reportPath = fields.text(["report_path"]);
  return {
    task_id: fields.id(["task_id"]),
    passed: claimed && !denied && !unclear && blocking === undefined,
    findings,
    head_commit: fields.commit(["head_commit", "commit", "head_sha"]),
    report_path: reportPath === null ? null : notes.relative(reportPath),
    stamped_at: fields.stampedAt(),
  };
}
