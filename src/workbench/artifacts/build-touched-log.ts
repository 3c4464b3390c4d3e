// touched_files.jsonl (A8): one edit a line, as the recorder appends them. Each path counts once, by its newest edit; a bad
// line is reported with its number and skipped (P8).
import type { TouchedFile, TouchedLog } from "../../model/artifacts.js";
import { parseJson } from "../../text/parse-json.js";
import type { FieldNotes } from "./field-notes.js";
import { Fields, isObject, MAX_ITEMS } from "./fields.js";

/** An edit, and when it was made, ms since the epoch. */
interface Edit {
  readonly file: TouchedFile;
  readonly at: number | null;
}

function editOf(text: string, line: number, notes: FieldNotes): Edit | null {
  notes.line = line;
  const parsed = parseJson(text);
  if (!parsed.ok || !isObject(parsed.value)) {
    notes.add("artifact.not_json", "warn", { reason: parsed.ok ? "not one object" : parsed.reason });
    return null;
  }
  const fields = new Fields(parsed.value, "", notes);
  const path = fields.text(["path"]);
  if (path === null) {
    if (!fields.has("path")) notes.invalid("/path", "a text");
    return null;
  }
  return {
    file: { path: notes.relative(path), line },
    at: fields.time(["at"]),
  };
}

/** The paths in the order of their newest edits; null when there are lines and none is an edit. */
export function buildTouchedLog(text: string, notes: FieldNotes): TouchedLog | null {
  const files = new Map<string, TouchedFile>();
  let stamped_at: number | null = null;
  let written = 0;
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    written += 1;
    const edit = editOf(line, index + 1, notes);
    if (edit === null) continue;
    // Anew, so that the newest edits stand last.
    files.delete(edit.file.path);
    files.set(edit.file.path, edit.file);
    if (edit.at !== null) stamped_at = Math.max(stamped_at ?? 0, edit.at);
  }
  if (written > 0 && files.size === 0) return null;
  notes.line = null;
  if (files.size > MAX_ITEMS)
    notes.add("artifact.field_invalid", "warn", {
      pointer: `all but the ${MAX_ITEMS} files edited last`,
      expected: `at most ${MAX_ITEMS} files`,
    });
  return { files: [...files.values()].slice(-MAX_ITEMS), stamped_at };
}
