// Two packets on which a project's own template is tried when it is loaded: one that has everything, one that has nothing.
// So a misspelled field behind an `{{#if}}` is an error now, not in the first packet that has a dead end.
import type { HandoffPacket } from "../model/packet.js";
import { planBrief } from "./brief-sections.js";
import { packetView } from "./packet-view.js";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const SHA256 = COMMIT + COMMIT.slice(0, 24);
const PACKET = "hp_0123456789abcdef";
const TIME = "2026-01-01T00:00:00.000Z";
const source = { path: "feedback.jsonl", line: 1, pointer: "/0" };
const carried = { id: "01234567", carried_from: PACKET, source };
const attempt: HandoffPacket["failed_attempts"][number] = {
  ...carried,
  kind: "command",
  what: "command",
  why: "why",
  exit_code: 1,
  count: 1,
  lines: "1",
  resolved: false,
  resolved_at_line: null,
  excerpt: "excerpt",
};
const risk: HandoffPacket["open_risks"][number] = {
  severity: "block",
  code: "gap",
  detail: "detail",
  original_severity: "high",
  source,
};

const FULL: HandoffPacket = {
  schema_version: "1.0",
  packet_id: PACKET,
  session_id: "session",
  task_id: "task",
  topic: "topic",
  branch: "branch",
  head_commit: COMMIT,
  last_known_good_commit: COMMIT,
  status: "superseded",
  supersedes: PACKET,
  superseded_by: PACKET,
  generated_at: TIME,
  degraded: { reason: "reason", detail: "detail" },
  handoff_reason: "manual",
  summary: "summary",
  changed_files: [
    {
      path: "path",
      change: "renamed",
      renamed_from: "from",
      insertions: 1,
      deletions: 1,
      committed: true,
      seen_by: ["git"],
    },
  ],
  commands_run: [{ command: "command", exit_code: 0, count: 1, last_at: TIME, source }],
  failed_attempts: [
    attempt,
    { ...attempt, resolved: true, resolved_at_line: 1 },
    { ...attempt, kind: "dead_end" },
    { ...attempt, kind: "remainder" },
  ],
  open_risks: [risk, { ...risk, severity: "warn" }, { ...risk, severity: "info" }],
  next_action: "next action",
  next_action_source: { derived: false, rule: "recorded", source },
  verdict_pointer: {
    verification: { path: "path", sha256: SHA256, outcome: "failed", head_commit: COMMIT, stale: true },
    review: { path: "path", sha256: SHA256, outcome: "pass", total: 9, stale: true },
  },
  doing: "doing",
  decisions: [{ ...carried, what: "what", why: "why" }],
  assumptions_to_validate: [{ ...carried, text: "text" }],
  questions_for_human: [{ ...carried, text: "text" }],
  prerequisites: [{ path: "path", why: "why", sha256: SHA256, bytes: 1 }],
  scene: ["path"],
  commits: [{ sha: COMMIT, subject: "subject" }],
  feedback: {
    files: ["feedback.jsonl"],
    total: 1,
    nonzero: 1,
    skipped_lines: 1,
    tail: [{ command: "command", exit_code: 0, at: TIME, source }],
  },
  git: {
    available: true,
    base_commit: COMMIT,
    detached: true,
    dirty: true,
    operation: "merge",
    ahead: 1,
    behind: 1,
    stashes: 1,
  },
  gaps: [{ artifact: "artifact", code: "code", detail: "detail", path: "path" }],
  carried_forward: [PACKET],
  omitted: {},
  redactions: { kind: 1 },
};

const EMPTY: HandoffPacket = {
  ...FULL,
  task_id: null,
  branch: null,
  head_commit: null,
  last_known_good_commit: null,
  supersedes: null,
  superseded_by: null,
  generated_at: null,
  degraded: null,
  changed_files: [],
  commands_run: [],
  failed_attempts: [],
  open_risks: [],
  next_action_source: { derived: true, rule: "degraded", source: null },
  verdict_pointer: {
    verification: { path: null, sha256: null, outcome: "missing", head_commit: null, stale: null },
    review: { path: null, sha256: null, outcome: "missing", total: null, stale: null },
  },
  doing: null,
  decisions: [],
  assumptions_to_validate: [],
  questions_for_human: [],
  prerequisites: [],
  scene: [],
  commits: [],
  feedback: { files: [], total: 0, nonzero: 0, skipped_lines: 0, tail: [] },
  git: { ...FULL.git, available: false, base_commit: null, operation: null, ahead: null, behind: null },
  gaps: [],
  carried_forward: [],
  redactions: {},
};

/** The contexts to try a template on. They have what a brief adds as well. */
export function exemplarContexts(): readonly Readonly<Record<string, unknown>>[] {
  return [
    context(FULL, {
      path: "path",
      task: "task",
      drift: ["drift"],
      more_drift: 1,
      next_action_whole: "whole",
    }),
    context(EMPTY, { path: null, task: null, drift: [], more_drift: 0, next_action_whole: null }),
  ];
}

function context(
  packet: HandoffPacket,
  extra: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const plan = planBrief(packet);
  return {
    ...packetView(packet),
    brief: { ...plan.take(plan.pieces), next_action: packet.next_action, ...extra },
  };
}
