// Carry-forward (P33): what an earlier session left open comes along until this one drops it. A dead end of three sessions
// ago is still a dead end.
import type { AgentState } from "../model/artifacts.js";
import type { FeedbackScan } from "../model/feedback.js";
import type { FailedAttempt, HandoffPacket, TextItem, WhyItem } from "../model/packet.js";
import { cleanLine } from "../text/clean.js";
import { commandKey } from "../text/shell-words.js";

/** The sections that carry items from packet to packet. */
export interface CarriedSections {
  readonly decisions: readonly WhyItem[];
  readonly assumptions_to_validate: readonly TextItem[];
  readonly questions_for_human: readonly TextItem[];
  /** Dead ends and commands that fail; of the predecessor's, only the unresolved ones are carried. */
  readonly failed_attempts: readonly FailedAttempt[];
}

interface Item {
  readonly id: string;
  readonly carried_from: string | null;
}

/** True when the state lists the item, by id or by its text, as done with. */
export function createResolvedCheck(state: AgentState | null): (id: string, text: string) => boolean {
  const resolved = new Set((state?.resolved ?? []).map(cleanLine));
  return (id, text) => resolved.has(id) || resolved.has(text);
}

/** This session's items, then the predecessor's that it does not have itself, marked with where they first appeared. */
function join<T extends Item>(own: readonly T[], earlier: readonly T[], from: string): T[] {
  const known = new Set(own.map(({ id }) => id));
  const carried = earlier.filter(({ id }) => !known.has(id));
  return [...own, ...carried.map((item) => ({ ...item, carried_from: item.carried_from ?? from }))];
}

/**
 * Joins this session's open items with those of the superseded packet. A failure is dropped when its command exited 0
 * since; any item when the state lists its id or text under `resolved[]`; an assumption when the review validated it. Rows with `carried_from` are outside the
 * sums of the log (P15).
 */
export function carryForward(
  own: CarriedSections,
  predecessor: HandoffPacket | null,
  state: AgentState | null,
  feedback: FeedbackScan,
  isValidated: (assumption: string) => boolean,
): { [K in keyof CarriedSections]: CarriedSections[K][number][] } {
  const isResolved = createResolvedCheck(state);
  const openTexts = <T extends TextItem>(rows: readonly T[]): T[] =>
    rows.filter(({ id, text }) => !isResolved(id, text));
  const openDecisions = (rows: readonly WhyItem[]): WhyItem[] =>
    rows.filter(({ id, what }) => !isResolved(id, what));
  const mine = {
    decisions: openDecisions(own.decisions),
    assumptions_to_validate: openTexts(own.assumptions_to_validate),
    questions_for_human: openTexts(own.questions_for_human),
    // A failure of this log stays whatever the state says: the log's sums must hold.
    failed_attempts: own.failed_attempts.filter(
      (row) => row.kind !== "dead_end" || !isResolved(row.id, row.what),
    ),
  };
  if (predecessor === null) return mine;
  const passed = new Set(feedback.passed_watched);
  const earlierFailures = predecessor.failed_attempts.filter(
    ({ kind, id, what, resolved }) =>
      kind !== "remainder" &&
      !resolved &&
      !isResolved(id, what) &&
      !(kind === "command" && passed.has(commandKey(what))),
  );
  const from = predecessor.packet_id;
  return {
    decisions: join(mine.decisions, openDecisions(predecessor.decisions), from),
    assumptions_to_validate: join(
      mine.assumptions_to_validate,
      openTexts(predecessor.assumptions_to_validate).filter(({ text }) => !isValidated(text)),
      from,
    ),
    questions_for_human: join(mine.questions_for_human, openTexts(predecessor.questions_for_human), from),
    failed_attempts: join(mine.failed_attempts, earlierFailures, from),
  };
}
