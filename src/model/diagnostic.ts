// What went wrong while reading input. Bad input is data: a diagnostic never throws, it travels to the packet's gaps.
// The core emits codes and args; one place (text/diagnostic-text.ts) turns them into sentences.

/** How much a diagnostic matters: `error` an input is unusable, `warn` part of it was, `info` worth knowing. */
export type DiagnosticSeverity = "error" | "warn" | "info";

/** Every diagnostic code the core may emit. A new code needs a sentence and a hint in `text/diagnostic-text.ts`. */
export type DiagnosticCode =
  | "artifact.missing" // nothing at any of the places searched
  | "artifact.unreadable" // open/read failed; args.reason is the system's code (EACCES …)
  | "artifact.not_regular" // a FIFO, socket, device or folder at an artifact's path
  | "artifact.outside_root" // a symlink that leads outside the workbench; not followed
  | "artifact.too_large" // args.bytes, args.limit
  | "artifact.not_json" // args.reason
  | "artifact.unrecognized" // valid JSON, but not this artifact's content
  | "artifact.field_invalid" // one field left out; args.pointer, args.expected
  | "artifact.encoding" // invalid UTF-8 replaced; args.count
  | "artifact.shadowed" // a second file for the same artifact, not used; args.used
  | "artifact.other_task" // a report names another task than the active one; args.task_id
  | "artifact.other_session" // a state names another session than the one that was asked for; args.session_id
  | "artifact.contradictory" // e.g. passed: true beside status: "fail"; args.detail
  | "feedback.skipped_line" // one unreadable JSONL line; args.reason; source.line
  | "feedback.skipped_lines" // all further skipped lines of one file; args.count
  | "transcript.skipped_lines" // lines of a transcript that could not be used; args.count, args.detail
  | "feedback.encoding" // invalid UTF-8 inside a log line, replaced
  | "id.invalid" // a session/task/topic id found in a file is not allowed; args.kind, args.value
  | "git.unavailable" // no git executable; args.reason
  | "git.no_repository"
  | "git.unsafe_ownership" // safe.directory
  | "git.unborn"
  | "git.bare"
  | "git.shallow"
  | "git.base_unknown" // no base commit could be determined
  | "git.base_unresolved" // a base that was asked for or noted does not resolve; args.rev
  | "git.commit_unresolved" // a commit named by an artifact does not resolve; args.rev
  | "git.timeout"
  | "git.failed" // args.command, args.reason
  | "git.path_encoding" // a file name that is not UTF-8
  | "git.truncated" // a list was cut; args.list, args.omitted
  | "cursor.unusable" // cache could not be read or written; never changes the packet
  | "redaction.failed" // a field could not be checked for secrets and was dropped; args.pointer
  | "packet.invalid" // an earlier packet does not validate
  | "packet.diverged" // Markdown and JSON disagree
  | "packet.edited" // a packet file was changed by hand; args.kept is where the changed file is kept
  | "store.index_rebuilt" // the index was missing or no use; args.reason, args.packets
  | "store.index_kept" // an index that is no use was set aside; args.kept
  | "store.repaired" // what a writer that died had left was mended; args.detail
  | "store.unsettled" // published, but a file could not be brought up to date; args.packet_id, args.reason
  | "session.not_noted" // published, but the session's published.json could not be written; args.reason
  | "packet.edits_unusable" // edits.json beside a packet cannot be used; args.reason
  | "edit.taken_over" // changes made by hand in handoff.json became edits; args.fields
  | "edit.not_taken_over" // changes made by hand that could not be told from what changed meanwhile; args.fields, args.kept
  | "edit.outdated" // an edit stands in front of something recorded after it; args.fields
  | "drift.branch" // another branch is checked out; args.packet_branch, args.branch
  | "drift.superseded" // args.by
  | "drift.archived"
  | "drift.head_unreachable" // the packet's commit is no longer part of HEAD; args.commit, args.exists (yes, no, shallow), args.tree
  | "drift.base_merged" // the default branch has the packet's commits; args.into
  | "drift.commits" // args.count, args.newest; args.tree: what they did to the content the packet saw (same, changed, unknown)
  | "drift.tree" // args.count, args.first
  | "drift.artifact_changed" // a file the packet vouches for has other bytes now
  | "drift.artifact_gone"
  | "drift.verdict_stale" // the verdict was about an earlier state; args.report
  | "drift.feedback_newer" // args.count
  | "drift.feedback_replaced" // the log has fewer records than the packet counted; args.count, args.total
  | "drift.packet_edited" // handoff.json was changed by hand; args.detail
  | "drift.markdown_edited" // handoff.md was changed by hand; args.detail
  | "drift.git_unavailable" // the packet speaks of git, which cannot be asked now
  | "check.unpublished" // a gate was asked about a branch that has no packet; args.branch, args.topic
  | "check.degraded" // args.reason, args.detail
  | "check.risk"; // a risk of the packet that a gate minds; args.detail

/** Where a diagnostic points. `path` is relative to the workbench root with forward slashes; `line` counts from 1. */
export interface DiagnosticSource {
  readonly path: string;
  readonly line?: number;
}

/** One problem found in input. `artifact` names the artifact it belongs to, for the packet's gaps. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: DiagnosticSeverity;
  readonly artifact: ArtifactName;
  readonly source: DiagnosticSource | null;
  readonly args: Readonly<Record<string, string | number>>;
}

/** The artifacts of a workbench, by the name that gaps and diagnostics use. */
export type ArtifactName =
  | "state"
  | "board"
  | "verification"
  | "review"
  | "feedback"
  | "scope_contract"
  | "scope_report"
  | "rule_report"
  | "last_known_good"
  | "overrides"
  | "session_record"
  | "touched_files"
  | "git"
  | "config"
  | "packet";
