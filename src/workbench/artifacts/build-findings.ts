// Findings of verification, review and scope reports (P4): objects or plain texts, severity words of any tool (P26).
// Nothing listed is lost: an entry that says nothing is a finding too, and what cannot be read is named.
import type { Finding } from "../../model/artifacts.js";
import { mapSeverity } from "../../model/map-severity.js";
import type { Severity } from "../../model/severity.js";
import { pointerTo } from "./field-notes.js";
import { Fields, isObject, type Item, MAX_ITEMS } from "./fields.js";

const CODE_KEYS = ["code", "rule", "slug", "id", "name"] as const;
const DETAIL_KEYS = ["detail", "message", "text", "description", "summary", "title"] as const;
const SEVERITY_KEYS = ["severity", "level"] as const;
/** The code of a finding that has none. */
const NO_CODE = "finding";
const NO_WORDS = "a finding without words";

/** What a report lists, and what of it could not be read. */
interface Findings {
  readonly findings: Finding[];
  /** Pointer of the first thing whose weight nobody can tell; it may be a blocking finding. Null: all was read. */
  readonly unread: string | null;
}

const isWord = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";

/**
 * A severity under `severity` or `level`, the first that says something. Without one it is `warn`: a report that says how
 * bad some findings are leaves the others open. A word (or number) nobody knows is `warn` too, and kept as
 * `original_severity`.
 */
export function severityOf(fields: Fields): { severity: Severity; original_severity: string | null } {
  for (const key of SEVERITY_KEYS) {
    const found = fields.pick([key], "a severity word", (value) =>
      isWord(value) ? String(value) : undefined,
    );
    if (found === null || found.trim() === "") continue;
    const { severity, original } = mapSeverity(found);
    return { severity, original_severity: original };
  }
  return { severity: "warn", original_severity: null };
}

/** True when a severity is there, in a form that holds no word: a list, an object, true. */
function hidesSeverity(fields: Fields): boolean {
  const values = SEVERITY_KEYS.map((key) => fields.get(key) ?? "");
  return values.some((value) => !isWord(value)) && values.every((value) => !isWord(value) || value === "");
}

interface Built {
  readonly finding: Finding;
  /** False: nobody can tell how much it weighs. */
  readonly read: boolean;
}

function buildFinding({ value, pointer }: Item, { notes }: Fields): Built {
  const plain = { code: NO_CODE, severity: "warn", original_severity: null, pointer } as const;
  if (typeof value === "string" && value.trim() !== "")
    return { finding: { ...plain, detail: value }, read: true };
  if (!isObject(value)) {
    notes.invalid(pointer, "a finding with code and detail");
    // An empty text says nothing; a number or a nested list may say anything.
    return { finding: { ...plain, detail: NO_WORDS }, read: typeof value === "string" };
  }
  const fields = new Fields(value, pointer, notes);
  const code = fields.id(CODE_KEYS);
  const detail = fields.text(DETAIL_KEYS) ?? code;
  if (detail === null) notes.invalid(pointer, "a finding with code and detail");
  return {
    finding: { ...plain, code: code ?? NO_CODE, ...severityOf(fields), detail: detail ?? NO_WORDS },
    read: !hidesSeverity(fields),
  };
}

/** The findings listed under `findings`. An entry without words is noted and kept, with its severity. */
export function buildFindings(fields: Fields): Findings {
  const value = fields.get("findings") ?? [];
  const own = pointerTo(fields.base, "findings");
  const built = fields.items(["findings"]).map((item) => buildFinding(item, fields));
  const lost = Array.isArray(value) ? null : own;
  const cut = Array.isArray(value) && value.length > MAX_ITEMS ? pointerTo(own, MAX_ITEMS) : null;
  const first = built.find(({ read }) => !read)?.finding.pointer ?? null;
  return { findings: built.map(({ finding }) => finding), unread: lost ?? first ?? cut };
}
