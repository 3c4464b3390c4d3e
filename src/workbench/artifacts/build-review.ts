// A review report (P5). What is not a number out of ten is unknown, never a full mark.
import type { ReviewReport } from "../../model/artifacts.js";
import { buildFindings } from "./build-findings.js";
import { type FieldNotes, pointerTo } from "./field-notes.js";
import { Fields, isObject, type Item, objectItems } from "./fields.js";

type Verdict = NonNullable<ReviewReport["verdict"]>;

/** A mark from 0 to `best`: a number, a numeric text, or "n/<best>"; undefined for anything else. */
function markOf(value: unknown, best: number): number | undefined {
  const text =
    typeof value === "string" ? /^\s*(\d+(?:\.\d+)?)\s*(?:\/\s*(\d+(?:\.\d+)?)\s*)?$/u.exec(value) : null;
  if (text?.[2] !== undefined && Number(text[2]) !== best) return undefined;
  const mark = text === null ? value : Number(text[1]);
  return typeof mark === "number" && mark >= 0 && mark <= best ? mark : undefined;
}

function verdictOf(value: unknown): Verdict | undefined {
  if (typeof value !== "string") return undefined;
  const word = value
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/gu, "_");
  return word === "pass" || word === "soft_fail" || word === "hard_fail" ? word : undefined;
}

/** The entries of a list of objects, or of an object that maps names to values. */
function entriesOf(fields: Fields, key: string): (Item & { readonly name: string | null })[] {
  const value = fields.get(key);
  if (!isObject(value)) return fields.items([key]).map((item) => ({ ...item, name: null }));
  return objectItems(value, pointerTo(fields.base, key), fields.notes);
}

function buildDimensions(fields: Fields): ReviewReport["dimensions"] {
  return entriesOf(fields, "dimensions").flatMap((entry) => {
    const inner = new Fields(
      isObject(entry.value) ? entry.value : { score: entry.value },
      isObject(entry.value) ? entry.pointer : "",
      fields.notes,
    );
    const name = entry.name ?? inner.id(["name", "dimension"]);
    if (name === null || (entry.name === null && !isObject(entry.value))) {
      fields.notes.invalid(entry.pointer, "a dimension with name and score");
      return [];
    }
    const raw = inner.get("score");
    const score = markOf(raw, 2) ?? null;
    if (score === null && raw !== undefined && raw !== null)
      fields.notes.invalid(
        isObject(entry.value) ? pointerTo(entry.pointer, "score") : entry.pointer,
        "a score from 0 to 2",
      );
    return [{ name, score, note: inner.text(["note", "detail"]), pointer: entry.pointer }];
  });
}

function buildAssumptionScores(fields: Fields): ReviewReport["assumption_scores"] {
  return entriesOf(fields, "assumption_scores").flatMap((entry) => {
    const inner = isObject(entry.value) ? new Fields(entry.value, entry.pointer, fields.notes) : null;
    const assumption = entry.name ?? inner?.text(["assumption", "text"]) ?? null;
    const score = markOf(inner === null ? entry.value : inner.get("score"), 2);
    if (assumption !== null && score !== undefined) return [{ assumption, score }];
    fields.notes.invalid(entry.pointer, "an assumption and a score from 0 to 2");
    return [];
  });
}

/** The report, or null when the JSON is something else. */
export function buildReview(value: unknown, notes: FieldNotes): ReviewReport | null {
  if (!isObject(value)) return null;
  const fields = new Fields(value, "", notes);
  const dimensions = fields.get("dimensions");
  const marked = fields.has("total") && !isObject(fields.get("total"));
  const recognised =
    (fields.has("verdict") && (marked || typeof fields.get("verdict") === "string")) ||
    Array.isArray(dimensions) ||
    (isObject(dimensions) && marked) ||
    (marked && (fields.has("task_id") || fields.has("findings")));
  if (!recognised) return null;
  const task = fields.taskId();
  const verdict = fields.pick(["verdict"], "pass, soft_fail or hard_fail", verdictOf);
  return {
    task_id: task.id,
    total: fields.pick(["total"], "a number from 0 to 10", (total) => markOf(total, 10)),
    // A pass for nobody knows which task is no pass of this one (P27).
    verdict: task.unread && verdict === "pass" ? null : verdict,
    dimensions: buildDimensions(fields),
    findings: buildFindings(fields).findings,
    assumption_scores: buildAssumptionScores(fields),
    head_commit: fields.commit(["head_commit", "commit", "head_sha"]),
    stamped_at: fields.stampedAt(),
  };
}
