// What a handoff says when the session could not say it itself (R18). Pure texts: the packet is generated from the
// artifacts as always, and these fields admit what is missing.

/** Why the session's own words are missing. */
export type DegradedReason =
  | "overflow"
  | "no_reply"
  | "section_missing"
  | "timeout"
  | "agent_failed"
  | "interrupted";

const BECAUSE: Readonly<Record<DegradedReason, string>> = {
  overflow: "its context was full and took no further turn",
  no_reply: "its reply had nothing that could be used",
  section_missing: "its reply did not say what it was doing or what comes next",
  timeout: "it did not answer in time",
  agent_failed: "its last turn failed",
  interrupted: "it was interrupted",
};

/** What a degraded handoff adds to the packet. */
export interface DegradedHandoff {
  readonly degraded: { readonly reason: DegradedReason; readonly detail: string };
  /** Says what is missing, and where to look instead. */
  readonly doing: string;
  /** The beginning of the original task; empty when there is none on record. */
  readonly scene: readonly string[];
}

/** How much of the original task goes along, in characters. */
const TASK_CHARACTERS = 1_200;

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The first `most` characters (code points), without half of what a reader sees as one; `…` where something was cut. */
function beginning(text: string, most: number): string {
  let units = 0;
  let points = 0;
  for (const point of text) {
    if (points === most) break;
    points += 1;
    units += point.length;
  }
  if (units >= text.length) return text;
  // What follows decides whether the last character ends here.
  const window = text.slice(0, units + 64);
  let end = 0;
  for (const { index, segment } of segmenter.segment(window)) {
    if (index + segment.length > units) break;
    end = index + segment.length;
  }
  return `${text.slice(0, end === 0 ? units : end)}…`;
}

/**
 * The fields of a degraded handoff (R18). `detail` is what the reason was exactly, when there is more to say: an error's
 * text, the sections that were missing.
 */
export function degradedHandoff(facts: {
  readonly reason: DegradedReason;
  readonly detail?: string | null;
  /** The original task, or null. */
  readonly task: string | null;
}): DegradedHandoff {
  const because = BECAUSE[facts.reason];
  const more = facts.detail?.trim() ?? "";
  const detail = more === "" ? because : `${because}: ${more}`;
  const task = facts.task?.trim() ?? "";
  return {
    degraded: { reason: facts.reason, detail },
    doing:
      `Not on record: the session before this one could not say what it was doing, because ${because}. ` +
      "Look at the scene below, at `git status` and at the log of commands first, and find out how far the task has come. " +
      "Do not assume that nothing was done.",
    scene: task === "" ? [] : [`The task as it was given: ${beginning(task, TASK_CHARACTERS)}`],
  };
}
