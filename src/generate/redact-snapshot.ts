// The gate in front of the packet (S13): every string of a snapshot passes it before a packet is built from it, so that not
// even an id or a digest is ever made of a secret.
import type { FeedbackRecord } from "../model/feedback.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { UsageError } from "../model/errors.js";
import type { Redactor } from "../redact/create-redactor.js";
import { gateBranch } from "./gate-branch.js";

/** Names of fields that we made ourselves, or that can only hold what their loader checked. */
const OURS = new Set(["sha", "sha256", "packet_id", "supersedes", "superseded_by", "carried_from"]);

/** Ids and the branch: packets are found by them and folders named after them, so they cannot hold a mark. */
const NAMES: readonly (readonly string[])[] = [
  ["session", "id"],
  ["task", "id"],
  ["topic"],
  ["git", "branch"],
  ...["session_id", "task_id", "topic", "branch", "carried_forward"].map((name) => ["predecessor", name]),
];

function isName(path: readonly string[]): boolean {
  // Asked of everything in a snapshot.
  if (path.length > 2) return false;
  return NAMES.some((name) => name.length === path.length && name.every((part, i) => part === path[i]));
}

/** An id that is a secret can neither be written nor be replaced: whoever generates has to name another. */
function refuseSecretIds({ session, task, topic }: WorkbenchSnapshot, redactor: Redactor): void {
  const ids = { session: session.id, task: task.id, topic };
  for (const [kind, id] of Object.entries(ids))
    if (id !== null && redactor.redactText(id).text !== id)
      throw new UsageError(
        "id.secret",
        `the ${kind} id holds a secret, and ids stand in packets and file names`,
        `name another with --${kind}`,
      );
}

/** Twice what an excerpt ever shows of a tail, so that a secret cut in two at the start stays out of sight. */
const TAIL_CHARACTERS = 16_384;

function shortTails(record: FeedbackRecord): FeedbackRecord {
  return {
    ...record,
    stdout_tail: record.stdout_tail.slice(-TAIL_CHARACTERS),
    stderr_tail: record.stderr_tail.slice(-TAIL_CHARACTERS),
  };
}

/** Successes are shown as one line, so their output need not be searched. */
function withoutOutput(record: FeedbackRecord): FeedbackRecord {
  return { ...record, stdout_tail: "", stderr_tail: "" };
}

export interface RedactedSnapshot {
  readonly snapshot: WorkbenchSnapshot;
  /** How many marks of each kind were put in. */
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * The snapshot without its secrets. A field that could not be checked is dropped and named in its diagnostics (S16).
 * Throws UsageError `id.secret` (exit 2) for a session, task or topic whose id is a secret itself.
 */
export function redactSnapshot(snapshot: WorkbenchSnapshot, redactor: Redactor): RedactedSnapshot {
  refuseSecretIds(snapshot, redactor);
  const { feedback, git } = snapshot;
  const bounded: WorkbenchSnapshot = {
    ...snapshot,
    git: { ...git, branch: gateBranch(git.branch, redactor) },
    feedback: {
      ...feedback,
      tail: feedback.tail.map(withoutOutput),
      failures: feedback.failures.map((group) => ({ ...group, last: shortTails(group.last) })),
    },
  };
  const { value, counts, failed } = redactor.redactStrings(bounded, {
    skip: (path) => OURS.has(path.at(-1) ?? "") || isName(path),
  });
  const dropped = failed.map((pointer) => ({
    code: "redaction.failed" as const,
    severity: "error" as const,
    artifact: "packet" as const,
    source: null,
    args: { pointer },
  }));
  return { snapshot: { ...value, diagnostics: [...value.diagnostics, ...dropped] }, counts };
}
