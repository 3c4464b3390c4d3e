// The budget (P35): lists shrink in a declared order until handoff.json fits; what goes is counted in `omitted`.
// Identity and next_action never go, blocking risks and the newest unresolved failures last, failures only into a counted
// row. First every list shrinks to a floor, so that a thousand failures do not crowd out decisions, gaps and what to load.
import type { FeedbackScan } from "../model/feedback.js";
import type { FailedAttempt, HandoffPacket } from "../model/packet.js";
import { FOLDED_UNRESOLVED } from "../model/count-unresolved.js";
import { byteLength, cutText } from "../text/cut.js";
import { packetBytes, rowBytes } from "./packet-bytes.js";
import { remainderAttempt } from "./reduce-feedback.js";

type Draft = Omit<HandoffPacket, "packet_id">;

/** Which rows of `list` to keep so that about `excess` bytes go; rows are given up in the order of `give`. */
function keepRows<T>(list: readonly T[], give: readonly T[], excess: number): { kept: T[]; dropped: T[] } {
  const dropped = new Set<T>();
  let saved = 0;
  for (const row of give) {
    if (saved >= excess) break;
    dropped.add(row);
    saved += rowBytes(row);
  }
  return { kept: list.filter((row) => !dropped.has(row)), dropped: [...dropped] };
}

/** The packet so far and the failure groups that are counted in its remainder row. */
interface Fitting {
  readonly packet: Draft;
  readonly folded: FeedbackScan["folded"];
}

/** Gives up about `excess` bytes of what it may give up; returns its argument when it has nothing to give. */
type Step = (fitting: Fitting, excess: number) => Fitting;

/** A step that only touches the packet: `change` returns the changed fields, or null when there is nothing to give. */
function packetStep(
  change: (
    packet: Draft,
    excess: number,
  ) => { fields: Partial<Draft>; omitted: string; count: number } | null,
): Step {
  return (fitting, excess) => {
    const { packet } = fitting;
    const changed = change(packet, excess);
    if (changed === null) return fitting;
    const { fields, omitted: name, count } = changed;
    const omitted = { ...packet.omitted, [name]: (packet.omitted[name] ?? 0) + count };
    return { ...fitting, packet: { ...packet, ...fields, omitted } };
  };
}

type ListName =
  | "changed_files"
  | "open_risks"
  | "decisions"
  | "assumptions_to_validate"
  | "questions_for_human"
  | "prerequisites"
  | "scene"
  | "commits"
  | "gaps";

/** Gives up rows of one list from its end (or only those that `which` allows), all but the first `floor`. */
function shrink<K extends ListName>(
  name: K,
  floor = 0,
  which: (row: Draft[K][number]) => boolean = () => true,
): Step {
  return packetStep((packet, excess) => {
    const list: readonly Draft[K][number][] = packet[name];
    const { kept, dropped } = keepRows(list, list.filter(which).slice(floor).toReversed(), excess);
    return dropped.length === 0 ? null : { fields: { [name]: kept }, omitted: name, count: dropped.length };
  });
}

/** Gives up command rows, oldest first, all but the newest `floor`; `omitted.commands_run` counts records. */
function shrinkCommands(floor: number, which: (row: Draft["commands_run"][number]) => boolean): Step {
  return packetStep((packet, excess) => {
    const give = packet.commands_run.filter(which);
    const { kept, dropped } = keepRows(
      packet.commands_run,
      give.slice(0, Math.max(0, give.length - floor)),
      excess,
    );
    const records = dropped.reduce((sum, { count }) => sum + count, 0);
    return records === 0 ? null : { fields: { commands_run: kept }, omitted: "commands_run", count: records };
  });
}

const shrinkTail = packetStep((packet, excess) => {
  const { kept, dropped } = keepRows(packet.feedback.tail, packet.feedback.tail, excess);
  const feedback = { ...packet.feedback, tail: kept };
  return dropped.length === 0
    ? null
    : { fields: { feedback }, omitted: "feedback.tail", count: dropped.length };
});

/** Shortens or drops excerpts, the last rows first, all but the first `floor` rows': detail goes before groups. */
function trimExcerpts(
  maxBytes: number,
  floor: number,
  which: (row: FailedAttempt) => boolean = () => true,
): Step {
  return packetStep((packet, excess) => {
    let saved = 0;
    let count = 0;
    const safe = new Set(packet.failed_attempts.slice(0, floor));
    const rows = packet.failed_attempts.toReversed().map((row) => {
      if (row.excerpt === null || saved >= excess || safe.has(row) || !which(row)) return row;
      const excerpt = maxBytes === 0 ? null : cutText(row.excerpt, maxBytes);
      if (excerpt === row.excerpt) return row;
      saved += byteLength(row.excerpt) - byteLength(excerpt ?? "");
      count += 1;
      return { ...row, excerpt };
    });
    const fields = { failed_attempts: rows.toReversed() };
    return count === 0 ? null : { fields, omitted: "failed_attempts.excerpt", count };
  });
}

/** Shortens the texts of rows that are about to be all there is. */
function trimTexts(maxBytes: number): Step {
  return packetStep((packet) => {
    let count = 0;
    const short = <T extends string | null>(text: T): T | string => {
      const kept = text === null ? text : cutText(text, maxBytes);
      if (kept !== text) count += 1;
      return kept;
    };
    const failed_attempts = packet.failed_attempts.map((row) => ({
      ...row,
      what: short(row.what),
      why: short(row.why),
      lines: short(row.lines),
    }));
    const open_risks = packet.open_risks.map((row) => ({ ...row, detail: short(row.detail) }));
    const fields = {
      failed_attempts,
      open_risks,
      doing: short(packet.doing),
      summary: cutText(packet.summary, 1200),
    };
    return count === 0 ? null : { fields, omitted: "texts", count };
  });
}

/** Gives up dead ends and carried failures: they are outside the log's sums, so they are counted as omitted. */
const shrinkDeadEnds = packetStep((packet, excess) => {
  const give = packet.failed_attempts.filter(
    ({ kind, carried_from }) => kind === "dead_end" || carried_from !== null,
  );
  const { kept, dropped } = keepRows(packet.failed_attempts, give.toReversed(), excess);
  const fields = { failed_attempts: kept };
  return dropped.length === 0 ? null : { fields, omitted: "failed_attempts", count: dropped.length };
});

/** Folds command groups, the last of the list (oldest, resolved) first, all but `floor`, into the one counted row (P15). */
function foldFailures(floor: number, which: (row: FailedAttempt) => boolean): Step {
  return (fitting, excess) => {
    const { packet, folded } = fitting;
    const give = packet.failed_attempts.filter(
      (row) => row.kind === "command" && row.carried_from === null && which(row),
    );
    const { kept, dropped } = keepRows(packet.failed_attempts, give.slice(floor).toReversed(), excess);
    if (dropped.length === 0) return fitting;
    const more = {
      groups: folded.groups + dropped.length,
      records: dropped.reduce((sum, { count }) => sum + count, folded.records),
      unresolved_groups: folded.unresolved_groups + dropped.filter(({ resolved }) => !resolved).length,
    };
    const rows = kept.filter(({ kind }) => kind !== "remainder");
    const source = { path: packet.feedback.files[0] ?? "feedback.jsonl" };
    const omitted =
      more.unresolved_groups === 0
        ? packet.omitted
        : { ...packet.omitted, [FOLDED_UNRESOLVED]: more.unresolved_groups };
    return {
      packet: { ...packet, failed_attempts: [...rows, remainderAttempt(more, source)], omitted },
      folded: more,
    };
  };
}

const always = (): boolean => true;
const isResolved = ({ resolved }: FailedAttempt): boolean => resolved;
const isInfo = ({ severity }: Draft["open_risks"][number]): boolean => severity === "info";
/** Each of these failures has a row of its own under failed_attempts. */
const isFailureRisk = ({ code }: Draft["open_risks"][number]): boolean => code === "feedback.unresolved";
const isUnchanged = ({ change }: Draft["changed_files"][number]): boolean => change === "unchanged";
const isSuccess = ({ exit_code }: Draft["commands_run"][number]): boolean => exit_code === 0;

/**
 * Declared priority: what a reader can best do without goes first. The first half leaves every list its most telling
 * rows; only where that is not enough does the second half take those too.
 */
const STEPS: readonly Step[] = [
  trimExcerpts(0, 0, isResolved),
  shrinkCommands(20, isSuccess),
  foldFailures(10, isResolved),
  shrink("commits", 20),
  shrink("changed_files", 0, isUnchanged),
  shrink("gaps", 20),
  trimExcerpts(400, 10),
  shrink("changed_files", 60),
  trimExcerpts(0, 10),
  shrink("scene", 20),
  shrinkCommands(20, always),
  shrink("open_risks", 3, isFailureRisk),
  foldFailures(40, always),

  shrinkCommands(0, isSuccess),
  shrinkTail,
  shrink("commits"),
  foldFailures(0, isResolved),
  shrink("open_risks", 0, isInfo),
  shrink("gaps"),
  trimExcerpts(400, 0),
  shrink("changed_files"),
  shrink("scene"),
  trimExcerpts(0, 0),
  shrinkCommands(0, always),
  shrink("assumptions_to_validate"),
  shrink("decisions"),
  shrinkDeadEnds,
  shrink("questions_for_human"),
  shrink("prerequisites"),
  trimTexts(160),
  shrink("open_risks", 0, ({ severity }) => severity === "warn"),
  foldFailures(0, always),
  shrink("open_risks"),
];

/**
 * The packet within `maxBytes`, fields given up in the order of STEPS. `folded` is what the scan itself folded.
 * With a budget too small even for identity and next_action: the smallest packet there is.
 */
export function fitBudget(packet: Draft, folded: FeedbackScan["folded"], maxBytes: number): Draft {
  let fitting: Fitting = { packet, folded };
  let bytes = packetBytes(packet);
  for (const step of STEPS) {
    // Row sizes are estimates and a new `omitted` entry takes room itself, so a step may need a second look.
    for (let round = 0; round < 4 && bytes > maxBytes; round += 1) {
      const next = step(fitting, bytes - maxBytes);
      if (next === fitting) break;
      fitting = next;
      bytes = packetBytes(fitting.packet);
    }
  }
  return fitting.packet;
}
