// The one place that turns diagnostic codes into sentences and hints.
import type { Diagnostic, DiagnosticCode } from "../model/diagnostic.js";

interface Wording {
  readonly what: (a: Readonly<Record<string, string | number>>) => string;
  readonly hint: string | null;
}

const WORDING: Readonly<Record<DiagnosticCode, Wording>> = {
  "artifact.missing": { what: () => "no such artifact", hint: null },
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
  "artifact.encoding": { what: (a) => `${a["count"]} invalid UTF-8 sequences were replaced`, hint: null },
  "artifact.shadowed": { what: (a) => `was not used: ${a["used"]} comes first`, hint: null },
  "artifact.other_task": {
    what: (a) => `speaks of task ${a["task_id"]}, not of the active task`,
    hint: "name the task with --task",
  },
  "artifact.contradictory": {
    what: (a) => `contradicts itself: ${a["detail"]}; counted as failed`,
    hint: null,
  },
  "feedback.skipped_line": { what: (a) => `could not be read: ${a["reason"]}`, hint: null },
  "feedback.skipped_lines": { what: (a) => `${a["count"]} further lines could not be read`, hint: null },
  "feedback.encoding": { what: () => "invalid UTF-8 was replaced", hint: null },
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
  "git.unborn": { what: () => "the branch has no commit yet", hint: null },
  "git.bare": { what: () => "a bare repository has no working tree", hint: "run in a checkout" },
  "git.shallow": {
    what: () => "the clone is shallow: history before its edge is unknown",
    hint: "git fetch --unshallow (in CI: fetch-depth 0)",
  },
  "git.base_unknown": {
    what: () => "no base commit: neither a session start, an upstream nor a default branch is known",
    hint: "name one with --base",
  },
  "git.base_unresolved": {
    what: (a) => `base ${a["rev"]} does not name a commit here`,
    hint: "name one with --base",
  },
  "git.commit_unresolved": { what: (a) => `commit ${a["rev"]} is not in this repository`, hint: null },
  "git.timeout": { what: (a) => `git ${a["command"]} took longer than ${a["seconds"]} s`, hint: null },
  "git.failed": { what: (a) => `git ${a["command"]} failed: ${a["reason"]}`, hint: null },
  "git.path_encoding": { what: () => "a file name is not UTF-8; its bytes were replaced", hint: null },
  "git.truncated": { what: (a) => `${a["omitted"]} more ${a["list"]} were left out`, hint: null },
  "cursor.unusable": { what: (a) => `the scan cache could not be used: ${a["reason"]}`, hint: null },
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
    hint: null,
  },
};

/** The sentence for a diagnostic, without code or place. Untrusted args are not cleaned here: clean what you show. */
export function describeDiagnostic(diagnostic: Diagnostic): string {
  return WORDING[diagnostic.code].what(diagnostic.args);
}

/** What to do about it, or null when there is nothing to do. */
export function hintFor(code: DiagnosticCode): string | null {
  return WORDING[code].hint;
}
