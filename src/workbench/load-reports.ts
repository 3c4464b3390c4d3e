// Everything of a workbench that is read once session and task are known, at once.
import { findFeedbackFiles } from "./artifacts/find-feedback-files.js";
import type { Bench } from "./artifacts/load-artifact.js";
import {
  loadLastKnownGood,
  loadOverrides,
  loadReview,
  loadRuleReport,
  loadScopeContract,
  loadScopeReport,
  loadSessionRecord,
  loadTouchedFiles,
  loadVerification,
} from "./artifacts/load-artifacts.js";
import type { Places } from "./artifacts/places.js";

/** Loads the artifacts and finds the logs, without opening these. Never throws for what is on disk. */
export async function loadReports(
  bench: Bench,
  places: Places,
  record: ReturnType<typeof loadSessionRecord> = loadSessionRecord(bench),
) {
  const [
    verification,
    review,
    scope_contract,
    scope_report,
    rule_report,
    last_known_good,
    overrides,
    session_record,
    touched_files,
    feedback,
  ] = await Promise.all([
    loadVerification(bench, places),
    loadReview(bench, places),
    loadScopeContract(bench, places),
    loadScopeReport(bench, places),
    loadRuleReport(bench, places),
    loadLastKnownGood(bench, places),
    loadOverrides(bench, places),
    record,
    loadTouchedFiles(bench),
    findFeedbackFiles(bench, places.feedback),
  ]);
  const artifacts = {
    verification,
    review,
    scope_contract,
    scope_report,
    rule_report,
    last_known_good,
    overrides,
    session_record,
    touched_files,
  };
  return { artifacts, feedback };
}

/** What was found. */
export type Reports = Awaited<ReturnType<typeof loadReports>>;
