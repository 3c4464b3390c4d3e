// Drift as a brief tells it: these lines stand outside the fence that frames data (S17), so no text from outside is in them:
// no commit subject, no file name, no branch. `handoff check` tells everything. At most 90 bytes each, worst first.
import type { Drift, DriftCode, DriftFinding } from "../model/drift.js";

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function shortHash(text: string): string {
  return /^[0-9a-f]{7,12}/u.exec(text)?.[0] ?? "";
}

/** Codes that are told together are counted; what no agent can act on has no line. */
const LINES: Readonly<Partial<Record<DriftCode, (found: readonly DriftFinding[]) => string>>> = {
  "drift.packet_edited": () => "handoff.json was changed by hand",
  "drift.head_unreachable": ([found]) =>
    `the packet's commit ${shortHash(String(found?.args["commit"]))} is gone from the branch (rebased or reset)`,
  "drift.base_merged": () => "the packet's commits were merged into the default branch",
  "drift.commits": ([found]) =>
    `${counted(Number(found?.args["count"]), "commit", "commits")}, newest ${shortHash(String(found?.args["newest"]))}`,
  "drift.tree": ([found]) =>
    Number(found?.args["count"]) === 0
      ? "the working tree has changes that are not committed"
      : `${counted(Number(found?.args["count"]), "path", "paths")} changed`,
  "drift.artifact_gone": (found) =>
    `${counted(found.length, "file", "files")} that the packet points to ${found.length === 1 ? "is" : "are"} gone`,
  "drift.artifact_changed": (found) =>
    `${counted(found.length, "file", "files")} that the packet points to ${found.length === 1 ? "has" : "have"} changed`,
  "drift.verdict_stale": () => "the verdict was about an earlier state",
  "drift.feedback_replaced": () => "the log of commands was cut or replaced",
  "drift.feedback_newer": ([found]) =>
    `${counted(Number(found?.args["count"]), "more command", "more commands")} on record`,
  "drift.git_unavailable": () => "git cannot be asked here: nothing is known of commits and files",
};

/** The lines, in the order of the findings; one a code. */
export function driftLines({ findings }: Drift): string[] {
  const codes = [...new Set(findings.map(({ code }) => code))];
  return codes.flatMap((code) => {
    const line = Object.entries(LINES).find(([name]) => name === code)?.[1];
    return line === undefined ? [] : [line(findings.filter((found) => found.code === code))];
  });
}
