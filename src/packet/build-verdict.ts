// The verdict pointer (P27, P29) and the last known good commit (P12). Fail closed: no report is never a pass.
import type { ReviewPointer, VerificationPointer } from "../model/packet.js";
import type { GitFacts, WorkbenchSnapshot } from "../model/snapshot.js";
import type { TextKeeper } from "./text-keeper.js";

const NOTHING = { path: null, sha256: null } as const;

/**
 * Whether a verdict given for `commit` still speaks for what is there now: false only for HEAD with a clean tree.
 * null: unknown, because the report names no commit or git cannot be asked.
 */
function isStale(git: GitFacts, commit: string | null): boolean | null {
  if (commit === null || git.head === null) return null;
  return git.resolved[commit]?.sha !== git.head.sha || git.dirty;
}

/** The 40-hex form where it resolves, else as written. */
function commitName(git: GitFacts, commit: string | null, keep: TextKeeper): string | null {
  return commit === null ? null : (git.resolved[commit]?.sha ?? keep.exact(commit, "word"));
}

export function buildVerification(snapshot: WorkbenchSnapshot, keep: TextKeeper): VerificationPointer {
  const report = snapshot.verification;
  if (report.status === "missing") return { ...NOTHING, outcome: "missing", head_commit: null, stale: null };
  if (report.status === "invalid") {
    return { ...NOTHING, path: report.path, outcome: "invalid", head_commit: null, stale: null };
  }
  const { value } = report;
  return {
    path: report.path,
    sha256: report.sha256,
    outcome: value.passed ? "passed" : "failed",
    head_commit: commitName(snapshot.git, value.head_commit, keep),
    stale: isStale(snapshot.git, value.head_commit),
  };
}

export function buildReview(snapshot: WorkbenchSnapshot): ReviewPointer {
  const report = snapshot.review;
  if (report.status === "missing") return { ...NOTHING, outcome: "missing", total: null, stale: null };
  if (report.status === "invalid") {
    return { ...NOTHING, path: report.path, outcome: "invalid", total: null, stale: null };
  }
  const { value } = report;
  return {
    path: report.path,
    sha256: report.sha256,
    outcome: value.verdict ?? "invalid",
    total: value.total,
    stale: isStale(snapshot.git, value.head_commit),
  };
}

/** The newest commit reachable from HEAD with a passing verdict on record, else null. Never simply HEAD. */
export function chooseLastKnownGood(snapshot: WorkbenchSnapshot): string | null {
  const { git, last_known_good, verification, predecessor } = snapshot;
  const names = [
    last_known_good.status === "present" ? last_known_good.value.commit : null,
    verification.status === "present" && verification.value.passed ? verification.value.head_commit : null,
    predecessor?.last_known_good_commit ?? null,
  ];
  const candidates = names.flatMap((name) => {
    const commit = name === null ? null : (git.resolved[name] ?? null);
    return commit !== null && commit.reachable_from_head && commit.distance !== null
      ? [{ sha: commit.sha, distance: commit.distance }]
      : [];
  });
  return candidates.toSorted((a, b) => a.distance - b.distance || (a.sha < b.sha ? -1 : 1))[0]?.sha ?? null;
}
