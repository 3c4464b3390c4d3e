// Prerequisites (P32): exactly the files the next session must load before acting. Only files that exist.
import type { Loaded } from "../model/artifacts.js";
import type { Prerequisite } from "../model/packet.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";

/** Below it each session has a folder of its own. */
const SESSIONS = ".handoff/sessions/";

/** A clean pass tells the next session nothing that the packet does not, so such reports are not listed. */
export function buildPrerequisites(snapshot: WorkbenchSnapshot): Prerequisite[] {
  const rows = new Map<string, Prerequisite>();
  const add = (file: { path: string; sha256: string; bytes: number }, why: string): void => {
    if (!rows.has(file.path)) {
      rows.set(file.path, { path: file.path, why, sha256: file.sha256, bytes: file.bytes });
    }
  };
  const addIf = <T>(artifact: Loaded<T>, needed: (value: T) => boolean, why: string): void => {
    if (artifact.status === "present" && needed(artifact.value)) add(artifact, why);
  };
  const { task, verification } = snapshot;
  addIf(snapshot.scope_contract, () => true, "what may and may not be changed");
  addIf(
    snapshot.board,
    (board) => board.tasks.some(({ id }) => id === task.id),
    "the task's goal and acceptance criteria",
  );
  // What a session noted in its own folder ends with it, and is all in the packet.
  const lasts = snapshot.state.path?.startsWith(SESSIONS) !== true;
  addIf(snapshot.state, () => lasts, "the recorded state to continue from and to keep up to date");
  addIf(verification, (report) => !report.passed || report.findings.length > 0, "the findings to resolve");
  if (verification.status === "present" && verification.value.report_path !== null) {
    const file = snapshot.files[verification.value.report_path];
    if (file !== undefined) add(file, "the report the verification points to");
  }
  addIf(
    snapshot.review,
    (review) => review.verdict !== "pass" || review.findings.length > 0,
    "the review's objections",
  );
  addIf(
    snapshot.scope_report,
    (report) => report.findings.length + report.off_scope.length + report.forbidden.length > 0,
    "what was written outside the scope",
  );
  return [...rows.values()];
}
