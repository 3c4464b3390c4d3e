// The context of every template: the packet's own fields, plus `view` with what would be awkward to say in a template
// (lists by kind, counts, words for enumerations). Pure.
import { isCarriedAction } from "../model/carried-action.js";
import { unresolvedFailures } from "../model/count-unresolved.js";
import type { ChangedFile, FailedAttempt, HandoffPacket, NextActionSource } from "../model/packet.js";

const NEXT_ACTION_FROM: Readonly<Record<NextActionSource["rule"], string>> = {
  recorded: "Recorded by the session",
  finding: "Derived from a blocking finding",
  failure: "Derived from the newest unresolved failure",
  review: "Derived from the review's verdict",
  acceptance: "Derived from the first unmet acceptance criterion",
  operation: "Derived from a git operation in progress",
  goal: "Derived from the task's goal",
  degraded: "Nothing on record says what comes next",
};
/** Where the action comes from, in words. An edit is a person's word (P39), whatever else is recorded. */
function nextActionFrom(from: NextActionSource): string {
  const { rule, source } = from;
  if (isCarriedAction(from)) return "Recorded by an earlier session and carried over";
  if (isFirstPrompt(from)) return "Derived from what the session was asked to do";
  return source?.path.endsWith("edits.json") === true ? "Edited by a person" : NEXT_ACTION_FROM[rule];
}

/** True for the goal that stands for a task where no board has one: the session's first prompt (A8). */
function isFirstPrompt({ rule, source }: NextActionSource): boolean {
  return rule === "goal" && source?.path.endsWith("/session.json") === true;
}

/** True when its words come from a log or report, and from no session or person. */
function quotesInputs(from: NextActionSource): boolean {
  return from.derived && from.source !== null && !isCarriedAction(from) && !isFirstPrompt(from);
}

const REASON: Readonly<Record<HandoffPacket["handoff_reason"], string>> = {
  session_end: "the session ended",
  context_threshold: "the context was filling up",
  overflow: "the context overflowed",
  operator_request: "an operator asked for it",
  ci: "written in CI",
  manual: "asked for by hand",
};

/** The template context: `{...packet, view}`. `view` is ours; the fields keep the names of handoff.json. */
export function packetView(packet: HandoffPacket): Readonly<Record<string, unknown>> {
  const attempts = packet.failed_attempts;
  const commands = attempts.filter((a) => a.kind === "command");
  const unresolved = commands.filter((a) => !a.resolved);
  const blocking = packet.open_risks.filter((r) => r.severity === "block");
  const severalLogs = packet.feedback.files.length > 1;
  return {
    ...packet,
    changed_files: packet.changed_files.map((file) => ({ ...file, lines: changedLines(file) })),
    view: {
      subject: packet.task_id ?? packet.branch ?? packet.session_id,
      branch_too: packet.task_id !== null && packet.branch !== null,
      other_topic: packet.topic === "main" ? null : packet.topic,
      reason: REASON[packet.handoff_reason],
      next_action_from: nextActionFrom(packet.next_action_source),
      next_action_quotes: quotesInputs(packet.next_action_source),
      blocking,
      other_risks: packet.open_risks.filter((r) => r.severity !== "block"),
      unresolved: unresolved.map((a) => attemptRow(a, severalLogs)),
      resolved: commands.filter((a) => a.resolved).map((a) => attemptRow(a, severalLogs)),
      remainders: attempts.filter((a) => a.kind === "remainder"),
      dead_ends: attempts.filter((a) => a.kind === "dead_end"),
      glance: glance(packet, blocking.length),
      receipts: receipts(packet),
      omitted: omittedWords(packet.omitted),
      other_omitted: otherOmitted(packet.omitted),
      redactions: Object.entries(packet.redactions)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([kind, count]) => ({ kind, count })),
    },
  };
}

/** Every file the packet vouches for, once, with its digest. */
function receipts(packet: HandoffPacket): readonly { path: string; sha256: string }[] {
  const { verification, review } = packet.verdict_pointer;
  const files = new Map<string, string>();
  for (const { path, sha256 } of [verification, review, ...packet.prerequisites]) {
    if (path !== null && sha256 !== null) files.set(path, sha256);
  }
  return [...files].map(([path, sha256]) => ({ path, sha256 }));
}

/** True for a one-line excerpt that the reason says already: not worth a fence. */
export function saidByReason({ excerpt, why }: FailedAttempt): boolean {
  const line = excerpt?.trim() ?? "";
  return why !== null && !line.includes("\n") && why.includes(line);
}

function attemptRow(attempt: FailedAttempt, severalLogs: boolean): Readonly<Record<string, unknown>> {
  const { excerpt, lines } = attempt;
  return {
    ...attempt,
    line_word: lines !== null && /^\d+$/u.test(lines) ? "line" : "lines",
    // With several logs the ranges name theirs; with one, the source does.
    log: severalLogs ? null : attempt.source.path,
    excerpt: saidByReason(attempt) ? null : excerpt,
  };
}

/** `+41 −3`; empty for binary files and files git does not see. */
function changedLines({ insertions, deletions }: ChangedFile): string {
  return insertions === null || deletions === null ? "" : `+${insertions} −${deletions}`;
}

/** One line that says whether anything stands in the way. */
function glance(packet: HandoffPacket, blocking: number): readonly string[] {
  const unresolved = unresolvedFailures(packet);
  const said = (n: number, one: string, many: string): string[] =>
    n === 0 ? [] : [`${n} ${n === 1 ? one : many}`];
  // What is simply not there is in nobody's way.
  const unread = packet.gaps.filter(
    ({ code }) => code !== "artifact.missing" && !code.startsWith("git."),
  ).length;
  return [
    ...(packet.degraded === null ? [] : ["a degraded packet"]),
    ...said(blocking, "blocking risk", "blocking risks"),
    ...said(unresolved, "unresolved failure", "unresolved failures"),
    ...said(packet.questions_for_human.length, "question for you", "questions for you"),
    ...said(unread, "input that could not be read", "inputs that could not be read"),
    ...(packet.verdict_pointer.verification.outcome === "missing" ? ["nothing is verified"] : []),
  ];
}

/** What did not fit, in words per list, for the place where it is missing; null where all fits. */
function omittedWords(omitted: HandoffPacket["omitted"]): Readonly<Record<string, string | null>> {
  const words = LISTS.map((list): [string, string | null] => {
    const n = omitted[list];
    const unit = list === "commands_run" ? (n === 1 ? " record" : " records") : "";
    return [list.replace(".", "_"), n === undefined ? null : `… and ${n} more${unit}`];
  });
  return Object.fromEntries(words);
}

/** Cuts that are not rows of a list with a section of its own, told at the end. */
function otherOmitted(omitted: HandoffPacket["omitted"]): readonly { what: string; count: number }[] {
  const known = new Set<string>(LISTS);
  return Object.entries(omitted)
    .filter(([what]) => !known.has(what))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([what, count]) => ({ what, count }));
}

/** The lists whose cut is told in their own section. */
const LISTS = [
  "changed_files",
  "commands_run",
  "failed_attempts",
  "open_risks",
  "decisions",
  "assumptions_to_validate",
  "questions_for_human",
  "prerequisites",
  "scene",
  "commits",
  "gaps",
  "feedback.tail",
] as const;
