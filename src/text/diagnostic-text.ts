// The one place that turns diagnostic codes into sentences and hints.
import type { Diagnostic, DiagnosticCode } from "../model/diagnostic.js";

interface Wording {
  readonly what: (a: Readonly<Record<string, string | number>>) => string;
  /** What to do about it; where nothing need be done, that. */
  readonly hint: string;
}

const WORDING: Readonly<Record<DiagnosticCode, Wording>> = {
  "artifact.missing": {
    what: () => "no such artifact",
    hint: "nothing need be done, unless it lies elsewhere: then name the place in handoff.config.json",
  },
  "artifact.unreadable": {
    what: (a) => `cannot be read: ${a["reason"]}`,
    hint: "check the file's permissions",
  },
  "artifact.not_regular": {
    what: (a) => `is a ${a["kind"]}, not a file`,
    hint: "remove it or name another place in handoff.config.json",
  },
  "artifact.outside_root": {
    what: () => "is a link that leads outside the workbench and was not followed",
    hint: "copy the file into the workbench",
  },
  "artifact.too_large": {
    what: (a) => `has ${a["bytes"]} bytes, more than the ${a["limit"]} that are read`,
    hint: "shorten or remove it",
  },
  "artifact.not_json": {
    what: (a) => `is not JSON: ${a["reason"]}`,
    hint: "mend the file, then generate again",
  },
  "artifact.unrecognized": {
    what: (a) => `holds something else than ${a["expected"] ?? "a known artifact"}; left aside`,
    hint: "if it is meant for handoff, see schemas/; else name the right file in handoff.config.json",
  },
  "artifact.field_invalid": {
    what: (a) => `${a["pointer"]} was left out: expected ${a["expected"]}`,
    hint: "mend the field, then generate again",
  },
  "artifact.encoding": {
    what: (a) => `${a["count"]} invalid UTF-8 sequences were replaced`,
    hint: "save the file as UTF-8",
  },
  "artifact.shadowed": {
    what: (a) => `was not used: ${a["used"]} comes first`,
    hint: "remove the one that is out of date",
  },
  "artifact.other_task": {
    what: (a) => `speaks of task ${a["task_id"]}, not of the active task`,
    hint: "name the task with --task",
  },
  "artifact.other_session": {
    what: (a) => `is the state of session ${a["session_id"]}, not of this one; left aside`,
    hint: "handoff note records for this session; a file that is this session's should name it, or none",
  },
  "artifact.contradictory": {
    what: (a) => `contradicts itself: ${a["detail"]}; counted as failed`,
    hint: "look into it, then have the report made again",
  },
  "feedback.skipped_line": {
    what: (a) => `could not be read: ${a["reason"]}`,
    hint: "a record is one JSON object on one line; the other lines were read",
  },
  "feedback.skipped_lines": {
    what: (a) => `${a["count"]} further lines could not be read`,
    hint: "a record is one JSON object on one line; the other lines were read",
  },
  "transcript.skipped_lines": {
    what: (a) =>
      `${a["count"]} ${a["count"] === 1 ? "line" : "lines"} of the transcript could not be read (${a["detail"]}); the others were`,
    hint: "what stood in them is lost; the agent may still be writing, then run it again later",
  },
  "feedback.encoding": { what: () => "invalid UTF-8 was replaced", hint: "have the recorder write UTF-8" },
  "id.invalid": {
    what: (a) => `${a["kind"]} id ${JSON.stringify(a["value"])} is not allowed and was not used`,
    hint: "ids are 1 to 128 of A-Z a-z 0-9 . _ - and do not start with a dot",
  },
  "git.unavailable": { what: (a) => `git cannot be run: ${a["reason"]}`, hint: "install git" },
  "git.no_repository": { what: () => "not a git repository", hint: "run inside a repository, or git init" },
  "git.unsafe_ownership": {
    what: () => "git refuses this repository: it belongs to another user",
    hint: "git config --global --add safe.directory <path>, if you trust it",
  },
  "git.unborn": {
    what: () => "the branch has no commit yet",
    hint: "commit once, then there is something to compare with",
  },
  "git.bare": { what: () => "a bare repository has no working tree", hint: "run in a checkout" },
  "git.shallow": {
    what: () => "the clone is shallow: history before its edge is unknown",
    hint: "git fetch --unshallow; in CI fetch-depth: 0 (GitHub), GIT_DEPTH: 0 (GitLab), fetchDepth: 0 (Azure)",
  },
  "git.base_unknown": {
    what: () => "no base commit: neither a session start, an upstream nor a default branch is known",
    hint: "name one with --base",
  },
  "git.base_unresolved": {
    what: (a) => `base ${a["rev"]} does not name a commit here`,
    hint: "name one with --base",
  },
  "git.commit_unresolved": {
    what: (a) => `commit ${a["rev"]} is not in this repository`,
    hint: "git fetch, if it was made elsewhere; a commit that was rebased away stays unknown",
  },
  "git.timeout": {
    what: (a) => `git ${a["command"]} took longer than ${a["seconds"]} s`,
    hint: "run it by hand to see what takes so long; the packet lacks what it would have told",
  },
  "git.failed": {
    what: (a) => `git ${a["command"]} failed: ${a["reason"]}`,
    hint: "run it by hand to see why; the packet lacks what it would have told",
  },
  "git.path_encoding": {
    what: () => "a file name is not UTF-8; its bytes were replaced",
    hint: "rename the file if its exact name matters",
  },
  "git.truncated": {
    what: (a) => `${a["omitted"]} more ${a["list"]} were left out`,
    hint: "a nearer base (--base) leaves less to list",
  },
  "cursor.unusable": {
    what: (a) => `the scan cache could not be used: ${a["reason"]}`,
    hint: "nothing is lost, the log itself was read; remove .handoff/cache if this comes again",
  },
  "redaction.failed": {
    what: (a) => `${a["pointer"]} could not be checked for secrets and was dropped`,
    hint: "shorten the field, or take it out of the artifact",
  },
  "packet.invalid": { what: (a) => `packet does not validate: ${a["reason"]}`, hint: "generate it again" },
  "packet.diverged": {
    what: (a) => `${a["detail"]}`,
    hint: "handoff.json wins; generate again to re-render",
  },
  "packet.edited": {
    what: (a) => `was changed by hand; the changed file is kept as ${a["kept"]}`,
    hint: "use handoff edit to change a packet",
  },
  "store.index_rebuilt": {
    what: (a) => `the store's index cannot be used: ${a["reason"]}; made anew from ${a["packets"]} packets`,
    hint: "the next handoff generate (or handoff doctor --repair) writes it",
  },
  "store.index_kept": {
    what: (a) => `the store's index could not be used and is kept as ${a["kept"]}`,
    hint: "remove it once handoff list shows every packet",
  },
  "store.repaired": {
    what: (a) => `a process died while it wrote here; mended: ${a["detail"]}`,
    hint: "nothing need be done; handoff list shows what there is",
  },
  "store.unsettled": {
    what: (a) =>
      `published, but the files of ${a["packet_id"]} could not be brought up to date: ${a["reason"]}`,
    hint: "the index counts; handoff doctor --repair tries again",
  },
  "session.not_noted": {
    what: (a) => `published, but what the packet knows of the session could not be noted: ${a["reason"]}`,
    hint: "the packet counts; the next session start will make it once more",
  },
  "packet.edits_unusable": {
    what: (a) => `edits cannot be applied: ${a["reason"]}`,
    hint: "mend or remove the file, then generate again",
  },
  "edit.taken_over": {
    what: (a) => `changes made by hand are kept as edits: ${a["fields"]}`,
    hint: "handoff edit shows them",
  },
  "edit.not_taken_over": {
    what: (a) => `changes made by hand cannot be told from what changed meanwhile: ${a["fields"]}`,
    hint: "look into the kept copy and make them again with handoff edit",
  },
  "edit.outdated": {
    what: (a) => `an edit stands in front of what was recorded after it: ${a["fields"]}`,
    hint: "handoff edit looks at it again",
  },
  "drift.branch": {
    what: (a) => `the packet is of branch ${a["packet_branch"]}, checked out is ${a["branch"]}`,
    hint: "check that branch out",
  },
  "drift.superseded": {
    what: (a) => `the packet was superseded by ${a["by"]}`,
    hint: "only the active packet drives a session: handoff brief without an id",
  },
  "drift.archived": {
    what: () => "the packet is archived",
    hint: "an archived packet never drives a session; handoff show still shows it",
  },
  "drift.head_unreachable": {
    what: (a) =>
      a["exists"] === "yes"
        ? `commit ${a["commit"]} is no longer part of the branch (rebased, amended or reset)`
        : `commit ${a["commit"]} is not in this repository (${a["exists"] === "shallow" ? "the clone is shallow" : "rebased away, or another clone"})`,
    hint: "look at git log before trusting what it says of commits; in CI check out all of it (fetch-depth: 0)",
  },
  "drift.base_merged": {
    what: (a) => `the packet's commits are merged into ${a["into"]}`,
    hint: "the work may be done: handoff archive --merged puts such packets away",
  },
  "drift.commits": {
    what: (a) => `${a["count"]} ${a["count"] === 1 ? "commit" : "commits"}, newest ${a["newest"]}`,
    hint: "handoff generate takes them in",
  },
  "drift.tree": {
    what: (a) =>
      a["first"] === ""
        ? "the working tree has changes that are not committed"
        : `${a["count"]} ${a["count"] === 1 ? "path" : "paths"} changed: ${a["first"]}`,
    hint: "handoff generate takes them in",
  },
  "drift.artifact_changed": { what: (a) => `changed: ${a["file"]}`, hint: "read it, or generate again" },
  "drift.artifact_gone": {
    what: (a) => `no longer there: ${a["file"]}`,
    hint: "bring it back, or generate again",
  },
  "drift.verdict_stale": {
    what: (a) => `the ${a["report"]} was about an earlier state`,
    hint: "verify again",
  },
  "drift.feedback_newer": {
    what: (a) => `${a["count"]} more ${a["count"] === 1 ? "command" : "commands"} on record`,
    hint: "handoff generate takes them in",
  },
  "drift.feedback_replaced": {
    what: (a) => `the log holds ${a["total"]} commands, the packet counted ${a["count"]}`,
    hint: "it was cut or replaced: handoff generate counts again",
  },
  "drift.packet_edited": {
    what: (a) => `${a["detail"]}`,
    hint: "handoff generate keeps the changes as edits; handoff edit is the way to make them",
  },
  "drift.markdown_edited": {
    what: (a) => `${a["detail"]}`,
    hint: "handoff.json wins; use handoff edit, and generate again to re-render",
  },
  "drift.git_unavailable": {
    what: () => "git cannot be asked here, so nothing is known of commits and files",
    hint: "run inside the repository",
  },
  "check.unpublished": {
    what: () => "no packet is published for this branch; judged is what generate would write",
    hint: "handoff generate writes one; handoff check fails where there is none",
  },
  "check.degraded": {
    what: (a) => `the packet is degraded (${a["reason"]}): ${a["detail"]}`,
    hint: "have the agent say what comes next (handoff note next), then handoff generate",
  },
  "check.risk": {
    what: (a) => `${a["detail"]}`,
    hint: "settle it, have the report made again, then handoff generate",
  },
};

/** The sentence for a diagnostic, without code or place. Untrusted args are not cleaned here: clean what you show. */
export function describeDiagnostic(diagnostic: Diagnostic): string {
  return WORDING[diagnostic.code].what(diagnostic.args);
}

/** What to do about it (P41). */
export function hintFor(code: DiagnosticCode): string {
  return WORDING[code].hint;
}
