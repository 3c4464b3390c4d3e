// overrides.jsonl: one accepted finding a line. A bad line is reported with its number and skipped (P8).
import type { Override } from "../../model/artifacts.js";
import { parseJson } from "../../text/parse-json.js";
import type { FieldNotes } from "./field-notes.js";
import { Fields, isObject, MAX_ITEMS } from "./fields.js";

function overrideOf(line: string, number: number, notes: FieldNotes): Override | null {
  notes.line = number;
  const parsed = parseJson(line);
  if (!parsed.ok || !isObject(parsed.value)) {
    const reason = parsed.ok ? "not one object" : parsed.reason;
    notes.add("artifact.not_json", "warn", { reason });
    return null;
  }
  const fields = new Fields(parsed.value, "", notes);
  const code = fields.id(["finding_code", "code"]);
  if (code === null) {
    notes.invalid("/finding_code", "a text");
    return null;
  }
  return {
    task_id: fields.id(["task_id"]),
    finding_code: code,
    reason: fields.text(["reason", "why"]),
    by: fields.id(["user_id", "by", "user", "approved_by"]),
    head_commit: fields.commit(["head_commit", "commit"]),
    at: fields.time(["ts", "timestamp", "at", "created_at"]),
    line: number,
  };
}

/** The overrides in file order; null when there are lines and none is an override. */
export function buildOverrides(text: string, notes: FieldNotes): readonly Override[] | null {
  const lines = text.split("\n").map((line, index) => ({ line, number: index + 1 }));
  const written = lines.filter(({ line }) => line.trim() !== "");
  if (written.length > MAX_ITEMS)
    notes.add("artifact.field_invalid", "warn", {
      pointer: "all but the newest lines",
      expected: `at most ${MAX_ITEMS}`,
    });
  const overrides = written
    .slice(-MAX_ITEMS)
    .flatMap(({ line, number }) => overrideOf(line, number, notes) ?? []);
  return written.length > 0 && overrides.length === 0 ? null : overrides;
}
