// Is a packet still about the workbench as it is (S7)? Pure: facts in, verdict out. What only the log or the tree can
// say is compared by what the packet itself recorded: counts, digests, rows of changed files.
import {
  vouchedFiles,
  type Drift,
  type DriftCode,
  type DriftFacts,
  type DriftFinding,
} from "../model/drift.js";
import type { ChangedFile, HandoffPacket } from "../model/packet.js";
import type { GitChange } from "../model/snapshot.js";
import { showControls } from "../text/clean.js";

const MOST_ITEMS = 20;

/** Worst first: the order in which a brief tells them. */
const ORDER: readonly DriftCode[] = [
  "drift.branch",
  "drift.archived",
  "drift.superseded",
  "drift.packet_edited",
  "drift.head_unreachable",
  "drift.base_merged",
  "drift.commits",
  "drift.tree",
  "drift.artifact_gone",
  "drift.artifact_changed",
  "drift.verdict_stale",
  "drift.feedback_replaced",
  "drift.feedback_newer",
  "drift.git_unavailable",
  "drift.markdown_edited",
];
/** What keeps a packet from driving a session at all. */
const REFUSING: ReadonlySet<string> = new Set<DriftCode>([
  "drift.branch",
  "drift.superseded",
  "drift.archived",
]);

function isDriftCode(code: string): code is DriftCode {
  return code.startsWith("drift.");
}

function finding(
  code: DriftCode,
  path: string | null,
  args: DriftFinding["args"] = {},
  items: readonly string[] = [],
): DriftFinding {
  return {
    code,
    severity: REFUSING.has(code) ? "error" : "warn",
    artifact: path === null ? "git" : "packet",
    source: path === null ? null : { path },
    args,
    items: items.slice(0, MOST_ITEMS),
  };
}

function short(sha: string): string {
  return sha.slice(0, 12);
}

/** `untracked` and `added` are one thing before and after a commit. */
function kindOf(change: string): string {
  return change === "untracked" ? "added" : change;
}

/** A row of the packet against the row of now: other content, or committed then and touched again since. */
function rowChanged(then: ChangedFile, now: GitChange): boolean {
  return (
    kindOf(then.change) !== kindOf(now.change) ||
    then.insertions !== now.insertions ||
    then.deletions !== now.deletions ||
    (then.committed && !now.committed)
  );
}

/** Paths whose row differs. Paths the packet left out or redacted cannot be compared. */
function changedPaths(packet: HandoffPacket, changes: readonly GitChange[]): string[] {
  const rows = packet.changed_files.filter(({ seen_by }) => seen_by.includes("git"));
  const then = new Map(rows.map((row) => [row.path, row]));
  const now = new Map(changes.map((row) => [row.path.toWellFormed(), row]));
  const complete =
    (packet.omitted["changed_files"] ?? 0) === 0 && !rows.some(({ path }) => path.includes("[redacted:"));
  const appeared = complete ? [...now.keys()].filter((path) => !then.has(path)) : [];
  const differing = rows
    .filter(({ path }) => !path.includes("[redacted:"))
    .filter((row) => {
      const row_now = now.get(row.path);
      return row_now === undefined || rowChanged(row, row_now);
    })
    .map(({ path }) => path);
  return [...differing, ...appeared].toSorted();
}

function gitFindings(packet: HandoffPacket, facts: DriftFacts): DriftFinding[] {
  if (!packet.git.available && !facts.git_available) return [];
  if (!facts.git_available) return [finding("drift.git_unavailable", null)];
  if (packet.branch !== (facts.branch === null ? null : showControls(facts.branch.trim()))) {
    const args = { packet_branch: packet.branch ?? "none", branch: facts.branch ?? "none" };
    // What differs on another branch says nothing about this packet.
    return [finding("drift.branch", null, args)];
  }
  if (!packet.git.available) return [];
  const found: DriftFinding[] = [];
  const { head_commit } = packet;
  const paths = facts.changes === null ? [] : changedPaths(packet, facts.changes);
  // Commits may hold nothing but what the packet had seen: that they came says less than what they did.
  const tree = facts.changes === null ? "unknown" : paths.length === 0 ? "same" : "changed";
  if (head_commit !== null && (facts.head === "unreachable" || facts.head === "gone")) {
    const exists = facts.head === "unreachable" ? "yes" : facts.shallow ? "shallow" : "no";
    found.push(finding("drift.head_unreachable", null, { commit: short(head_commit), exists, tree }));
  }
  if (facts.merged_into !== null) found.push(finding("drift.base_merged", null, { into: facts.merged_into }));
  const count = facts.commits.length + facts.commits_omitted;
  const lines = facts.commits.map(({ sha, subject }) => `${short(sha)} ${subject}`);
  if (count > 0) found.push(finding("drift.commits", null, { count, newest: lines[0] ?? "", tree }, lines));
  if (paths.length > 0)
    found.push(finding("drift.tree", null, { count: paths.length, first: paths[0] ?? "" }, paths));
  else if (facts.changes === null && packet.git.available && facts.dirty && !packet.git.dirty)
    found.push(finding("drift.tree", null, { count: 0, first: "" }));
  return found;
}

function artifactFindings(packet: HandoffPacket, facts: DriftFacts): DriftFinding[] {
  const then = vouchedFiles(packet);
  return facts.files.flatMap(({ path, sha256 }) => {
    if (sha256 === then.get(path)) return [];
    return [
      finding(sha256 === null ? "drift.artifact_gone" : "drift.artifact_changed", path, { file: path }),
    ];
  });
}

/** A verdict that was not stale in the packet is stale now when the work it speaks of went on. */
function verdictFindings(packet: HandoffPacket, workWentOn: boolean): DriftFinding[] {
  if (!workWentOn) return [];
  const { verification, review } = packet.verdict_pointer;
  const rows = [
    { report: "verification", ...verification },
    { report: "review", ...review },
  ];
  return rows
    .filter(
      ({ path, outcome, stale }) =>
        path !== null && outcome !== "missing" && outcome !== "invalid" && stale !== true,
    )
    .map(({ report, path }) => finding("drift.verdict_stale", path, { report }));
}

function feedbackFindings(packet: HandoffPacket, { feedback }: DriftFacts): DriftFinding[] {
  const { total, files } = packet.feedback;
  const path = files.at(-1) ?? null;
  if (feedback.total > total)
    return [finding("drift.feedback_newer", path, { count: feedback.total - total })];
  if (feedback.total < total)
    return [finding("drift.feedback_replaced", path, { count: total, total: feedback.total })];
  return [];
}

function storeFindings(facts: DriftFacts): DriftFinding[] {
  const life: DriftFinding[] = [];
  if (facts.status === "archived") life.push(finding("drift.archived", null));
  if (facts.status === "superseded")
    life.push(finding("drift.superseded", null, { by: facts.superseded_by ?? "another packet" }));
  // Whatever does not fit between the two files makes the packet drift, whoever found it.
  const files = facts.file_findings.map((found): DriftFinding => ({ ...found, items: [] }));
  return [...life, ...files];
}

/**
 * The verdict on a packet and every difference found, worst first. `refused`: another branch, superseded or archived;
 * `drifted`: anything else; `fresh`: nothing at all.
 */
export function decideDrift(packet: HandoffPacket, facts: DriftFacts): Drift {
  const git = gitFindings(packet, facts);
  const workWentOn = git.some(({ code }) => code === "drift.commits" || code === "drift.tree");
  const found = [
    ...storeFindings(facts),
    ...git,
    ...artifactFindings(packet, facts),
    ...verdictFindings(packet, workWentOn),
    ...feedbackFindings(packet, facts),
  ];
  const rank = ({ code }: DriftFinding): number => (isDriftCode(code) ? ORDER.indexOf(code) : -1);
  const findings = found.toSorted((a, b) => rank(a) - rank(b));
  const refused = findings.some(({ code }) => REFUSING.has(code));
  return { verdict: refused ? "refused" : findings.length === 0 ? "fresh" : "drifted", findings };
}
