// task_board.json (P2): a list of tasks, bare or under `tasks`.
import type { BoardTask, TaskBoard } from "../../model/artifacts.js";
import { type FieldNotes, pointerTo } from "./field-notes.js";
import { Fields, isObject, listItems } from "./fields.js";

const ACCEPTANCE_KEYS = ["text", "command", "criterion"] as const;

/** The acceptance of a task or a contract: texts, or objects with a text or a command. */
export function buildAcceptance(fields: Fields): BoardTask["acceptance"] {
  return fields.texts(["acceptance", "acceptance_criteria"], ACCEPTANCE_KEYS);
}

/** The board, or null when the JSON is something else. An empty list is an empty board. */
export function buildBoard(value: unknown, notes: FieldNotes): TaskBoard | null {
  const list = isObject(value) && Object.hasOwn(value, "tasks") ? value["tasks"] : value;
  if (!Array.isArray(list)) return null;
  const looksLikeTask = (item: unknown): boolean =>
    isObject(item) && ["id", "goal", "title", "acceptance"].some((key) => Object.hasOwn(item, key));
  if (list.length > 0 && !list.some(looksLikeTask)) return null;
  const tasks = new Map<string, BoardTask>();
  for (const item of listItems(list, list === value ? "" : "/tasks", notes)) {
    const task = isObject(item.value) ? buildTask(new Fields(item.value, item.pointer, notes)) : null;
    if (task === null) notes.invalid(item.pointer, "a task with an id");
    else if (tasks.has(task.id))
      notes.invalid(pointerTo(item.pointer, "id"), "an id that no earlier task has");
    else tasks.set(task.id, task);
  }
  const stamped_at = isObject(value) ? new Fields(value, "", notes).stampedAt() : null;
  return { tasks: [...tasks.values()], stamped_at };
}

function buildTask(fields: Fields): BoardTask | null {
  const id = fields.id(["id"]);
  if (id === null) return null;
  return {
    id,
    goal: fields.text(["goal", "title"]),
    owner: fields.text(["owner"]),
    status: fields.text(["status"]),
    acceptance: buildAcceptance(fields),
    pointer: fields.base,
  };
}
