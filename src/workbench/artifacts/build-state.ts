// agent_state.json (P1), normalised. Recognised by content: the name alone is used by many unrelated tools.
import type { AgentState } from "../../model/artifacts.js";
import { severityOf } from "./build-findings.js";
import type { FieldNotes } from "./field-notes.js";
import { Fields, isObject, textOf } from "./fields.js";

const isList = (value: unknown): boolean => Array.isArray(value) || typeof value === "string";
const isIdOrNull = (value: unknown): boolean =>
  value === null || typeof value === "string" || Number.isSafeInteger(value);
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === "string";
const isAction = (value: unknown): boolean =>
  isTextOrNull(value) ||
  (isObject(value) && ACTION_KEYS.some((key) => Object.hasOwn(value, key) && typeof value[key] === "string"));

const ACTION_KEYS = ["objective", "action", "text", "what", "detail", "description"] as const;

/** One of these, with a fitting value, is enough. */
const STRONG: Readonly<Record<string, (value: unknown) => boolean>> = {
  active_task_id: isIdOrNull,
  next_action: isAction,
  touched_files: isList,
  blockers: isList,
  assumptions: isList,
  dead_ends: isList,
  doing: isTextOrNull,
};
/** Common words: two of these are needed. */
const WEAK: Readonly<Record<string, (value: unknown) => boolean>> = {
  schema_version: (value) => typeof value === "string" || typeof value === "number",
  active_task: (value) => isIdOrNull(value) || isObject(value),
  task_id: isIdOrNull,
  session_id: isIdOrNull,
  summary: isTextOrNull,
  decisions: isList,
  questions: isList,
  risks: isList,
  scene: isList,
  resolved: isList,
};

function countFitting(fields: Fields, marks: Readonly<Record<string, (value: unknown) => boolean>>): number {
  return Object.entries(marks).filter(([key, fits]) => fields.has(key) && fits(fields.get(key))).length;
}

/** The state, or null when the JSON is something else. */
export function buildState(value: unknown, notes: FieldNotes): AgentState | null {
  if (!isObject(value)) return null;
  const fields = new Fields(value, "", notes);
  if (countFitting(fields, STRONG) === 0 && countFitting(fields, WEAK) < 2) return null;
  return {
    active_task_id: fields.id(["active_task_id", "active_task", "task_id"]),
    session_id: fields.id(["session_id"]),
    touched_files: fields.paths(["touched_files"]),
    assumptions: fields.texts(["assumptions"], ["assumption"]),
    blockers: fields.items(["blockers"]).flatMap((item) => {
      const text = textOf(
        item,
        ["text", "detail", "blocker", "what", "description", "message", "title"],
        notes,
      );
      if (text === null) return [];
      const inner = isObject(item.value) ? new Fields(item.value, item.pointer, notes) : null;
      return [{ ...text, waits_for: inner?.text(["waits_for"]) ?? null }];
    }),
    next_action: fields.pointedText(["next_action"], ACTION_KEYS),
    summary: fields.pointedText(["summary"]),
    doing: fields.pointedText(["doing"], ACTION_KEYS),
    decisions: fields.whys(["decisions"], ["what", "text", "decision"]),
    dead_ends: fields.whys(["dead_ends"], ["what", "text", "tried", "approach"]),
    questions: fields.texts(["questions"], ["question"]),
    risks: fields.items(["risks"]).flatMap((item) => {
      const text = textOf(item, ["detail", "text", "risk", "description", "message", "what"], notes);
      if (text === null) return [];
      const graded = isObject(item.value)
        ? severityOf(new Fields(item.value, item.pointer, notes))
        : { severity: "warn" as const, original_severity: null };
      return [{ ...graded, detail: text.text, pointer: item.pointer }];
    }),
    scene: fields.paths(["scene"]),
    resolved: fields.texts(["resolved"], ["id"]).map(({ text }) => text.trim()),
    stamped_at: fields.stampedAt(),
  };
}
