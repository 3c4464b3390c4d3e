// What the agent and the board recorded in their own words: doing, decisions, dead ends, assumptions, questions, scene.
import type {
  AgentState,
  BoardTask,
  PointedText,
  PointedWhy,
  ReviewReport,
  SessionRecord,
} from "../model/artifacts.js";
import type { FailedAttempt, Source, TextItem, WhyItem } from "../model/packet.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { cleanLine } from "../text/clean.js";
import { itemId } from "../text/digest.js";
import { isPlaceholder, meaningful, type TextKeeper } from "./text-keeper.js";

/** The state with where it is, or null. */
export function stateOf(snapshot: WorkbenchSnapshot): { path: string; value: AgentState } | null {
  return snapshot.state.status === "present" ? snapshot.state : null;
}

/** The active task on the board, or null. */
export function activeTask(snapshot: WorkbenchSnapshot): { path: string; task: BoardTask } | null {
  if (snapshot.board.status !== "present" || snapshot.task.id === null) return null;
  const task = snapshot.board.value.tasks.find(({ id }) => id === snapshot.task.id);
  return task === undefined ? null : { path: snapshot.board.path, task };
}

/** The task's goal in words, wherever it is on record. */
export function goalOf(snapshot: WorkbenchSnapshot): { text: string; source: Source } | null {
  const active = activeTask(snapshot);
  if (active?.task.goal !== undefined && active.task.goal !== null && !isPlaceholder(active.task.goal)) {
    return { text: active.task.goal, source: { path: active.path, pointer: `${active.task.pointer}/goal` } };
  }
  const { scope_contract, session_record } = snapshot;
  if (scope_contract.status === "present" && scope_contract.value.goal !== null) {
    return { text: scope_contract.value.goal, source: { path: scope_contract.path, pointer: "/goal" } };
  }
  return session_record.status === "present" ? askedGoal(session_record) : null;
}

/** What the session was asked to do, and what the ones before it were: a first prompt may be no more than "go on". */
function askedGoal({ path, value }: { readonly path: string; readonly value: SessionRecord }) {
  const { goal, earlier_goals: earlier = [] } = value;
  const [text, ...before] = [...new Set([...(goal === null ? [] : [goal]), ...earlier])];
  if (text === undefined) return null;
  const pointer = goal === null ? "/earlier_goals/0" : "/goal";
  const taken = before.length === 0 ? "" : ` (before that: ${before.map(cleanLine).join("; before that: ")})`;
  return { text: `${text.trimEnd()}${taken}`, source: { path, pointer } };
}

/** In front of a message that stands for what was under way. */
export const LAST_SAID = "last said: ";

/** What agents say is Markdown: without its headings, fences and bold, which mean nothing on one line. */
function withoutMarkdown(text: string): string {
  return text
    .replace(/^[ \t]*(?:#{1,6}[ \t]+|(?:```|~~~).*$)/gmu, "")
    .replace(/(\*\*|__)(?=\S)([^\n]{1,400}?)(?<=\S)\1/gu, "$2");
}

/** A text that was cut ends with its last whole sentence, if that is most of it. */
function endAtSentence(text: string): string {
  if (!text.endsWith("…")) return text;
  const ends = [...text.matchAll(/[.!?](?=\s)|[。！？]/gu)].map(({ index }) => index + 1);
  const end = ends.at(-1) ?? 0;
  return end < text.length / 2 ? text : `${text.slice(0, end)} …`;
}

/**
 * What was under way: the state's word, else the last thing the agent said, marked as that (A8). A message is no plan: it
 * never becomes the next action.
 */
export function collectDoing(snapshot: WorkbenchSnapshot, keep: TextKeeper): string | null {
  const doing = meaningful(stateOf(snapshot)?.value.doing ?? null);
  if (doing !== null) return keep.line(doing.text, "prose");
  const { session_record } = snapshot;
  const message = session_record.status === "present" ? session_record.value.last_message : null;
  const said = meaningful(message);
  return said === null
    ? null
    : `${LAST_SAID}${endAtSentence(keep.line(withoutMarkdown(said.text), "last_message"))}`;
}

function textItem(kind: string, item: PointedText, path: string, keep: TextKeeper): TextItem {
  const text = keep.line(item.text, "detail");
  return { id: itemId(kind, text), text, carried_from: null, source: { path, pointer: item.pointer } };
}

function whyOf({ why }: PointedWhy, keep: TextKeeper): string | null {
  return why === null || isPlaceholder(why) ? null : keep.line(why, "detail");
}

export function collectDecisions(snapshot: WorkbenchSnapshot, keep: TextKeeper): WhyItem[] {
  const state = stateOf(snapshot);
  return (state?.value.decisions ?? [])
    .filter(({ what }) => !isPlaceholder(what))
    .map((item) => {
      const what = keep.line(item.what, "detail");
      return {
        id: itemId("decision", what),
        what,
        why: whyOf(item, keep),
        carried_from: null,
        source: { path: state?.path ?? "", pointer: item.pointer },
      };
    });
}

export function collectDeadEnds(snapshot: WorkbenchSnapshot, keep: TextKeeper): FailedAttempt[] {
  const state = stateOf(snapshot);
  return (state?.value.dead_ends ?? [])
    .filter(({ what }) => !isPlaceholder(what))
    .map((item) => {
      const what = keep.line(item.what, "detail");
      return {
        id: itemId("dead_end", what),
        kind: "dead_end",
        what,
        why: whyOf(item, keep),
        exit_code: null,
        count: 1,
        lines: null,
        resolved: false,
        resolved_at_line: null,
        excerpt: null,
        carried_from: null,
        source: { path: state?.path ?? "", pointer: item.pointer },
      };
    });
}

/** True when the review scored this assumption, or assumptions as a whole, above 1 of 2 (P30). */
export function isValidated(review: ReviewReport | null, assumption: string): boolean {
  if (review === null) return false;
  if (review.assumption_scores.length > 0) {
    const wanted = cleanLine(assumption);
    const score = review.assumption_scores.find((row) => cleanLine(row.assumption) === wanted)?.score;
    return score !== undefined && score > 1;
  }
  const score = review.dimensions.find(({ name }) => name === "assumptions")?.score ?? null;
  return score !== null && score > 1;
}

/** Recorded assumptions that nobody validated yet. */
export function collectAssumptions(snapshot: WorkbenchSnapshot, keep: TextKeeper): TextItem[] {
  const state = stateOf(snapshot);
  const review = snapshot.review.status === "present" ? snapshot.review.value : null;
  return (state?.value.assumptions ?? [])
    .filter(({ text }) => !isPlaceholder(text) && !isValidated(review, text))
    .map((item) => textItem("assumption", item, state?.path ?? "", keep));
}

const CLOSED = new Set([
  "done",
  "closed",
  "complete",
  "completed",
  "cancelled",
  "canceled",
  "dropped",
  "merged",
]);

/** True for a task nobody needs to work on any more. */
export function isClosed(task: BoardTask): boolean {
  return task.status !== null && CLOSED.has(task.status.trim().toLowerCase());
}

/** Recorded questions, blockers that wait for a human, and open tasks a human owns (P31). */
export function collectQuestions(snapshot: WorkbenchSnapshot, keep: TextKeeper): TextItem[] {
  const state = stateOf(snapshot);
  const path = state?.path ?? "";
  const recorded = state?.value.questions ?? [];
  const blockers = (state?.value.blockers ?? []).filter(
    ({ waits_for }) => waits_for?.toLowerCase() === "human",
  );
  const fromState = [...recorded, ...blockers].map((item) => textItem("question", item, path, keep));
  const { board } = snapshot;
  const tasks = board.status === "present" ? board.value.tasks : [];
  const fromBoard = tasks
    .filter((task) => task.owner?.trim().toLowerCase() === "human" && !isClosed(task))
    .map((task) => {
      const text = `${task.id}: ${task.goal ?? "a task that a human owns"}`;
      const boardPath = board.status === "present" ? board.path : "";
      return textItem("question", { text, pointer: task.pointer }, boardPath, keep);
    });
  const all = [...fromState, ...fromBoard].filter(({ text }) => !isPlaceholder(text));
  return [...new Map(all.map((item) => [item.id, item])).values()];
}

export function collectScene(snapshot: WorkbenchSnapshot, keep: TextKeeper): string[] {
  const scene = (stateOf(snapshot)?.value.scene ?? []).map((path) => keep.exact(path, "path"));
  return [...new Set(scene.filter((path) => path !== ""))];
}
