// Scope contracts and scope reports (P6), which share a place and are told apart by content: a contract has allowed_files.
import type { ScopeContract, ScopeReport } from "../../model/artifacts.js";
import { buildAcceptance } from "./build-board.js";
import { buildFindings } from "./build-findings.js";
import type { FieldNotes } from "./field-notes.js";
import { Fields, isObject } from "./fields.js";

const REPORT_KEYS = [
  "in_scope",
  "off_scope",
  "soft_off_scope",
  "off_scope_writes",
  "forbidden_writes",
] as const;

/** True for the content of a scope contract. */
export function isContract(value: unknown): boolean {
  return isObject(value) && Object.hasOwn(value, "allowed_files");
}

/** True for the content of a scope report. */
export function isScopeReport(value: unknown): boolean {
  if (!isObject(value) || isContract(value)) return false;
  return (
    REPORT_KEYS.some((key) => Object.hasOwn(value, key)) ||
    (Array.isArray(value["findings"]) && (Object.hasOwn(value, "passed") || Object.hasOwn(value, "task_id")))
  );
}

/** The contract, or null when the JSON is something else. Patterns stay as written. */
export function buildScopeContract(value: unknown, notes: FieldNotes): ScopeContract | null {
  if (!isObject(value) || !isContract(value)) return null;
  const fields = new Fields(value, "", notes);
  return {
    task_id: fields.id(["task_id"]),
    goal: fields.text(["goal", "title"]),
    allowed_files: fields.texts(["allowed_files"], ["path", "pattern"]).map(({ text }) => text),
    forbidden_files: fields.texts(["forbidden_files"], ["path", "pattern"]).map(({ text }) => text),
    acceptance: buildAcceptance(fields),
    stamped_at: fields.stampedAt(),
  };
}

/** The report, or null when the JSON is something else. */
export function buildScopeReport(value: unknown, notes: FieldNotes): ScopeReport | null {
  if (!isObject(value) || !isScopeReport(value)) return null;
  const fields = new Fields(value, "", notes);
  const writes = (keys: readonly string[]): ScopeReport["off_scope"] =>
    keys.flatMap((key) => fields.texts([key], ["path", "file"]));
  return {
    task_id: fields.id(["task_id"]),
    passed: fields.pick(["passed"], "true or false", (passed) =>
      typeof passed === "boolean" ? passed : undefined,
    ),
    off_scope: writes(["off_scope", "off_scope_writes"]),
    forbidden: writes(["forbidden", "forbidden_writes"]),
    soft_off_scope: writes(["soft_off_scope"]),
    findings: buildFindings(fields).findings,
    stamped_at: fields.stampedAt(),
  };
}
