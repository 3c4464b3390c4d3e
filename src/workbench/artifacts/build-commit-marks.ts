// Two small files that name a commit: last_known_good.json (P12) and the recorder's session.json (P10).
import type { LastKnownGood, SessionRecord } from "../../model/artifacts.js";
import type { FieldNotes } from "./field-notes.js";
import { Fields, isObject } from "./fields.js";

/** No session of ours notes more. */
const MOST_EARLIER_GOALS = 3;

/** The last known good commit, or null when the JSON names none. */
export function buildLastKnownGood(value: unknown, notes: FieldNotes): LastKnownGood | null {
  if (!isObject(value)) return null;
  const fields = new Fields(value, "", notes);
  const commit = fields.commit(["last_known_good_commit", "commit", "sha", "head_commit"]);
  return commit === null ? null : { commit, stamped_at: fields.stampedAt() };
}

/** What was noted when the session started, or null when the JSON is something else. */
export function buildSessionRecord(value: unknown, notes: FieldNotes): SessionRecord | null {
  if (!isObject(value)) return null;
  const known = ["base_commit", "goal", "agent", "session_id", "schema_version"];
  if (!known.some((key) => Object.hasOwn(value, key))) return null;
  const fields = new Fields(value, "", notes);
  const { earlier_goals: earlier } = value;
  const goals = Array.isArray(earlier) ? earlier.filter((one) => typeof one === "string") : [];
  return {
    base_commit: fields.commit(["base_commit"]),
    goal: fields.text(["goal"]),
    ...(goals.length === 0 ? {} : { earlier_goals: goals.slice(0, MOST_EARLIER_GOALS) }),
    agent: fields.text(["agent"]),
    model: fields.text(["model"]),
    branch: fields.text(["branch"]),
    started_at: fields.time(["started_at"]),
    ended_at: fields.time(["ended_at"]),
    end_reason: fields.text(["end_reason"]),
    last_message: fields.pointedText(["last_message"]),
    stamped_at: fields.stampedAt(["started_at"]),
  };
}
