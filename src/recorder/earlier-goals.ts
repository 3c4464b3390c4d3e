// What was asked for in the sessions whose work a session takes over (A8): its own first prompt may be no more than "go on".
import { cutText } from "../text/cut.js";
import type { SessionFile } from "./session-file.js";

/** Bounds what a chain of sessions drags along. */
const MOST_GOALS = 3;
const MOST_BYTES = 300;

/** The goals that come along with the packet of session `from`, newest first, each once; short. */
export function earlierGoals({ goal, earlier_goals }: Pick<SessionFile, "goal" | "earlier_goals">): string[] {
  const goals = [...(goal === null ? [] : [goal]), ...earlier_goals].map((one) => cutText(one, MOST_BYTES));
  return [...new Set(goals)].slice(0, MOST_GOALS);
}
