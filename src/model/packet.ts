// The packet: handoff.json. Strict, snake_case, every field always present (null or empty where there is nothing).
// schemas/handoff.schema.json is generated from here and pinned by a golden test.
import { z } from "zod";
import { commitHashSchema, idSchema, isoTimeSchema, sha256Schema } from "./ids.js";
import { severitySchema } from "./severity.js";

const count = z.int().nonnegative();

/** Where a fact can be checked: a path relative to the workbench root, with a line (JSONL) or a JSON pointer. Git facts name the git command. */
export const sourceSchema = z.strictObject({
  path: z.string().min(1),
  line: z.int().positive().optional(),
  pointer: z.string().optional(),
});
export type Source = z.infer<typeof sourceSchema>;

export const packetIdSchema = z.string().regex(/^hp_[0-9a-f]{16}$/);
const carriedFrom = packetIdSchema.nullable();
/** First 8 hex of SHA-256 over kind and text: how a later session names an item under `resolved[]` (P33). */
const itemId = z.string().regex(/^[0-9a-f]{8}$/);

export const changeKindSchema = z.enum([
  "added",
  "modified",
  "deleted",
  "renamed",
  "copied",
  "type_changed",
  "untracked",
  "conflicted",
  "unchanged",
]);
export type ChangeKind = z.infer<typeof changeKindSchema>;

export const handoffReasonSchema = z.enum([
  "session_end",
  "context_threshold",
  "overflow",
  "operator_request",
  "ci",
  "manual",
]);
export type HandoffReason = z.infer<typeof handoffReasonSchema>;

export const packetStatusSchema = z.enum(["active", "superseded", "archived"]);

/** Every risk code there is (P26). */
export const riskCodeSchema = z.enum([
  "verification.finding",
  "verification.missing",
  "verification.invalid",
  "verification.stale",
  "review.verdict",
  "review.total",
  "review.dimension",
  "review.missing",
  "review.invalid",
  "review.stale",
  "state.blocker",
  "state.risk",
  "scope.violation",
  "feedback.unresolved",
  "gap",
  "git.dirty",
  "git.operation",
  "next_action.ignores_verdict",
  "suspect_text",
]);
export type RiskCode = z.infer<typeof riskCodeSchema>;

export const changedFileSchema = z.strictObject({
  path: z.string().min(1),
  change: changeKindSchema,
  renamed_from: z.string().nullable(),
  /** Lines from base to working tree; null for binary files and files git does not see. */
  insertions: count.nullable(),
  deletions: count.nullable(),
  committed: z.boolean(),
  seen_by: z.array(z.enum(["git", "state"])).min(1),
});

export const commandRunSchema = z.strictObject({
  command: z.string(),
  /** null: the command did not end by itself (timeout, missing binary, interrupt). */
  exit_code: z.int().nullable(),
  count: z.int().positive(),
  last_at: isoTimeSchema.nullable(),
  source: sourceSchema,
});

/** `command`: a group of nonzero exits; `dead_end`: what the agent recorded; `remainder`: counted groups that did not fit. */
export const failedAttemptSchema = z.strictObject({
  id: itemId,
  kind: z.enum(["command", "dead_end", "remainder"]),
  what: z.string(),
  why: z.string().nullable(),
  exit_code: z.int().nullable(),
  count: z.int().positive(),
  /** Compact line ranges, `3,7-9`; with several files each is prefixed `name:`. */
  lines: z.string().nullable(),
  resolved: z.boolean(),
  resolved_at_line: z.int().positive().nullable(),
  excerpt: z.string().nullable(),
  carried_from: carriedFrom,
  source: sourceSchema,
});

export const openRiskSchema = z.strictObject({
  severity: severitySchema,
  code: riskCodeSchema,
  detail: z.string(),
  original_severity: z.string().nullable(),
  source: sourceSchema,
});

export const nextActionRuleSchema = z.enum([
  "recorded",
  "finding",
  "failure",
  "review",
  "acceptance",
  "operation",
  "goal",
  "degraded",
]);

export const nextActionSourceSchema = z.strictObject({
  derived: z.boolean(),
  rule: nextActionRuleSchema,
  source: sourceSchema.nullable(),
});

const whyItem = z.strictObject({
  id: itemId,
  what: z.string(),
  why: z.string().nullable(),
  carried_from: carriedFrom,
  source: sourceSchema,
});

const textItem = z.strictObject({
  id: itemId,
  text: z.string(),
  carried_from: carriedFrom,
  source: sourceSchema,
});

export const verificationPointerSchema = z.strictObject({
  path: z.string().nullable(),
  sha256: sha256Schema.nullable(),
  outcome: z.enum(["passed", "failed", "missing", "invalid"]),
  head_commit: z.string().nullable(),
  stale: z.boolean().nullable(),
});

export const reviewPointerSchema = z.strictObject({
  path: z.string().nullable(),
  sha256: sha256Schema.nullable(),
  outcome: z.enum(["pass", "soft_fail", "hard_fail", "missing", "invalid"]),
  total: z.number().nullable(),
  stale: z.boolean().nullable(),
});

export const prerequisiteSchema = z.strictObject({
  path: z.string().min(1),
  why: z.string(),
  sha256: sha256Schema,
  bytes: count,
});

export const gapSchema = z.strictObject({
  artifact: z.string(),
  code: z.string(),
  detail: z.string(),
  path: z.string().nullable(),
});

export const tailRowSchema = z.strictObject({
  command: z.string(),
  exit_code: z.int().nullable(),
  at: isoTimeSchema.nullable(),
  source: sourceSchema,
});

export const gitSectionSchema = z.strictObject({
  available: z.boolean(),
  base_commit: commitHashSchema.nullable(),
  detached: z.boolean(),
  dirty: z.boolean(),
  operation: z.enum(["rebase", "merge", "cherry-pick", "revert", "bisect"]).nullable(),
  ahead: count.nullable(),
  behind: count.nullable(),
  stashes: count,
});

/** handoff.json, the packet (P21-P23). */
export const handoffPacketSchema = z.strictObject({
  schema_version: z.literal("1.0"),
  packet_id: packetIdSchema,
  session_id: idSchema,
  task_id: idSchema.nullable(),
  topic: idSchema,
  branch: z.string().nullable(),
  head_commit: commitHashSchema.nullable(),
  last_known_good_commit: commitHashSchema.nullable(),
  status: packetStatusSchema,
  supersedes: packetIdSchema.nullable(),
  superseded_by: packetIdSchema.nullable(),
  /** Newest time found in the inputs; null when no input carries one. Never the wall clock. */
  generated_at: isoTimeSchema.nullable(),
  degraded: z.strictObject({ reason: z.string(), detail: z.string() }).nullable(),
  handoff_reason: handoffReasonSchema,
  summary: z.string().min(1),
  changed_files: z.array(changedFileSchema),
  commands_run: z.array(commandRunSchema),
  failed_attempts: z.array(failedAttemptSchema),
  open_risks: z.array(openRiskSchema),
  next_action: z.string().regex(/\S/),
  next_action_source: nextActionSourceSchema,
  verdict_pointer: z.strictObject({
    verification: verificationPointerSchema,
    review: reviewPointerSchema,
  }),
  doing: z.string().nullable(),
  decisions: z.array(whyItem),
  assumptions_to_validate: z.array(textItem),
  questions_for_human: z.array(textItem),
  prerequisites: z.array(prerequisiteSchema),
  scene: z.array(z.string()),
  commits: z.array(z.strictObject({ sha: commitHashSchema, subject: z.string() })),
  feedback: z.strictObject({
    files: z.array(z.string()),
    total: count,
    nonzero: count,
    skipped_lines: count,
    tail: z.array(tailRowSchema),
  }),
  git: gitSectionSchema,
  gaps: z.array(gapSchema),
  carried_forward: z.array(packetIdSchema),
  /** What did not fit, per list; `commands_run` counts records, every other list counts rows. */
  omitted: z.record(z.string(), z.int().positive()),
  redactions: z.record(z.string(), z.int().positive()),
});

export type HandoffPacket = z.infer<typeof handoffPacketSchema>;
export type ChangedFile = z.infer<typeof changedFileSchema>;
export type CommandRun = z.infer<typeof commandRunSchema>;
export type FailedAttempt = z.infer<typeof failedAttemptSchema>;
export type OpenRisk = z.infer<typeof openRiskSchema>;
export type NextActionSource = z.infer<typeof nextActionSourceSchema>;
export type Prerequisite = z.infer<typeof prerequisiteSchema>;
export type Gap = z.infer<typeof gapSchema>;
export type WhyItem = z.infer<typeof whyItem>;
export type TextItem = z.infer<typeof textItem>;
export type VerificationPointer = z.infer<typeof verificationPointerSchema>;
export type ReviewPointer = z.infer<typeof reviewPointerSchema>;
export type GitSection = z.infer<typeof gitSectionSchema>;
export type Degraded = NonNullable<HandoffPacket["degraded"]>;
