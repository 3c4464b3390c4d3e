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
  const listed = fields.get("findings") ?? null;
  if (passed === undefined && status === undefined && !Array.isArray(listed) && !fields.has("passed"))
    return null;
  /** A verdict that is there and cannot be read may be the one that counts: the other alone is no pass. */
  const unclear = (["passed", "status"] as const).filter((key) => {
    const given = fields.get(key) ?? null;
    return given !== null && verdictOf(given) === undefined;
  });
  for (const key of unclear)
    notes.invalid(`/${key}`, key === "passed" ? "true or false" : "a verdict; counted as failed");
  if (passed === undefined && status === undefined && unclear.length === 0)
    notes.invalid("/passed", "a verdict; counted as failed");

  const task = fields.taskId();
  const { findings, unread } = buildFindings(fields);
  // Words in place of the list are kept as a finding, but what a list would have weighed is not known.
  const unreadAt = typeof listed === "string" && listed.trim() !== "" ? "/findings" : unread;
  const blocking = findings.find(({ severity }) => severity === "block");
  const claimed = passed === true || status === true;
  const denied = passed === false || status === false;
  const against = [
    ...(denied ? [`passed is ${passed} beside status ${status === true ? "pass" : "fail"}`] : []),
    ...(blocking === undefined ? [] : [`passed with a blocking finding at ${blocking.pointer}`]),
    ...(unreadAt === null ? [] : [`passed with something unreadable at ${unreadAt}`]),
    ...(task.unread ? ["passed, but for which task cannot be read at /task_id"] : []),
  ];
  const [reason] = against;
  if (claimed && reason !== undefined) notes.add("artifact.contradictory", "warn", { detail: reason });

  const reportPath = fields.text(["report_path"]);
  return {
    task_id: task.id,
    passed: claimed && against.length === 0 && unclear.length === 0,
    findings,
    head_commit: fields.commit(["head_commit", "commit", "head_sha"]),
    report_path: reportPath === null ? null : notes.relative(reportPath),
    stamped_at: fields.stampedAt(),
  };
}
