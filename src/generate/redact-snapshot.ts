// The gate in front of the packet (S13): every string of a snapshot passes it before a packet is built from it, so that not
// even an id or a digest is ever made of a secret.
import type { FeedbackRecord } from "../model/feedback.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import type { Redactor } from "../redact/create-redactor.js";

/** Names of fields that we made ourselves, or that can only hold what their loader checked. */
const OURS = new Set(["sha", "sha256", "packet_id"]);

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

/** The snapshot without its secrets. A field that could not be checked is dropped and named in its diagnostics (S16). */
export function redactSnapshot(snapshot: WorkbenchSnapshot, redactor: Redactor): RedactedSnapshot {
  const { feedback } = snapshot;
  const bounded: WorkbenchSnapshot = {
    ...snapshot,
    feedback: {
      ...feedback,
      tail: feedback.tail.map(withoutOutput),
      failures: feedback.failures.map((group) => ({ ...group, last: shortTails(group.last) })),
    },
  };
  const { value, counts, failed } = redactor.redactStrings(bounded, {
    skip: (path) => OURS.has(path.at(-1) ?? ""),
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
