// The reduction (P14-P17): last K records plus every nonzero exit. Counts always add up to the log's own.
import type { FailureGroup, FeedbackRecord, FeedbackScan, RecordPlace } from "../model/feedback.js";
import type { CommandRun, FailedAttempt, HandoffPacket, Source } from "../model/packet.js";
import { itemId } from "../text/digest.js";
import { formatLineRanges } from "../text/line-ranges.js";
import { explainFailure } from "./excerpt.js";
import type { TextKeeper } from "./text-keeper.js";
import { isoTime } from "./times.js";

/** What the packet says about the feedback log before the budget is applied. */
export interface ReducedFeedback {
  readonly feedback: HandoffPacket["feedback"];
  readonly commands_run: CommandRun[];
  /** Records in no row of `commands_run`. */
  readonly omitted_commands: number;
  /** Unresolved first, newest first; then resolved, newest first; then the remainder the scan folded. */
  readonly failed_commands: FailedAttempt[];
}

/** Position of a record in the whole log: file order first, then line. */
function comparePlaces(order: ReadonlyMap<string, number>, a: RecordPlace, b: RecordPlace): number {
  return (order.get(a.path) ?? 0) - (order.get(b.path) ?? 0) || a.line - b.line;
}

function sourceOf(place: RecordPlace): Source {
  return { path: place.path, line: place.line };
}

/** File names for line ranges: the base name where that is unambiguous. null with one log file. */
function rangeNames(scan: FeedbackScan): ((path: string) => string) | null {
  if (scan.files.length < 2) return null;
  const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
  const unique = new Set(scan.files.map(({ path }) => baseName(path))).size === scan.files.length;
  return unique ? baseName : (path) => path;
}

function failedAttempt(
  group: FailureGroup,
  nameOf: ((path: string) => string) | null,
  keep: TextKeeper,
): FailedAttempt {
  const { last } = group;
  const { why, excerpt } = explainFailure(last);
  return {
    id: itemId("failure", `${group.key}\n${group.exit_code}`),
    kind: "command",
    what: keep.exact(group.command, "command"),
    why: why === null ? null : keep.line(why, "detail"),
    exit_code: group.exit_code,
    count: group.count,
    lines: formatLineRanges(group.lines, nameOf),
    resolved: group.resolved_at !== null,
    resolved_at_line: group.resolved_at?.line ?? null,
    excerpt: excerpt === null ? null : keep.block(excerpt, "excerpt"),
    carried_from: null,
    source: sourceOf(last.source),
  };
}

/** The one row that stands for failure groups that are counted but not shown. */
export function remainderAttempt(folded: FeedbackScan["folded"], source: Source): FailedAttempt {
  const { groups, records, unresolved_groups } = folded;
  const commands = groups === 1 ? "command" : "commands";
  const what = `${groups} more failing ${commands}, not listed (${unresolved_groups} unresolved)`;
  return {
    id: itemId("remainder", "failures"),
    kind: "remainder",
    what,
    why: null,
    exit_code: null,
    count: records,
    lines: null,
    resolved: unresolved_groups === 0,
    resolved_at_line: null,
    excerpt: null,
    carried_from: null,
    source,
  };
}

interface SuccessGroup {
  count: number;
  last: FeedbackRecord;
}

function commandRows(scan: FeedbackScan, order: ReadonlyMap<string, number>, keep: TextKeeper): CommandRun[] {
  const successes = new Map<string, SuccessGroup>();
  for (const record of scan.tail) {
    if (record.exit_code !== 0) continue;
    const group = successes.get(record.key);
    if (group === undefined) successes.set(record.key, { count: 1, last: record });
    else {
      group.count += 1;
      group.last = record;
    }
  }
  const rows = [...scan.failures.map(({ count, last }) => ({ count, last })), ...successes.values()].toSorted(
    (a, b) => comparePlaces(order, a.last.source, b.last.source),
  );
  return rows.map(({ count, last }) => ({
    command: keep.exact(last.command, "command"),
    exit_code: last.exit_code,
    count,
    last_at: isoTime(last.at),
    source: sourceOf(last.source),
  }));
}

/** Reduces a scan to the packet's feedback sections. `last` is K, 0..30. */
export function reduceFeedback(scan: FeedbackScan, last: number, keep: TextKeeper): ReducedFeedback {
  const order = new Map(scan.files.map(({ path }, index) => [path, index]));
  const nameOf = rangeNames(scan);
  const commands_run = commandRows(scan, order, keep);
  const newestFirst = scan.failures.toSorted((a, b) => comparePlaces(order, b.last.source, a.last.source));
  const failed_commands = [
    ...newestFirst.filter((group) => group.resolved_at === null),
    ...newestFirst.filter((group) => group.resolved_at !== null),
  ].map((group) => failedAttempt(group, nameOf, keep));
  if (scan.folded.records > 0) {
    const source = { path: scan.files[0]?.path ?? "feedback.jsonl" };
    failed_commands.push(remainderAttempt(scan.folded, source));
  }
  return {
    feedback: {
      files: scan.files.map(({ path }) => path),
      total: scan.total,
      nonzero: scan.nonzero,
      skipped_lines: scan.skipped_lines,
      tail: (last === 0 ? [] : scan.tail.slice(-last)).map((record) => ({
        command: keep.exact(record.command, "command"),
        exit_code: record.exit_code,
        at: isoTime(record.at),
        source: sourceOf(record.source),
      })),
    },
    commands_run,
    omitted_commands: scan.total - commands_run.reduce((sum, row) => sum + row.count, 0),
    failed_commands,
  };
}
