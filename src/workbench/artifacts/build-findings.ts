// Findings of verification, review and scope reports (P4): objects or plain texts, severity words of any tool (P26).
import type { Finding } from "../../model/artifacts.js";
import { mapSeverity } from "../../model/map-severity.js";
import type { Severity } from "../../model/severity.js";
import { Fields, isObject, textOf } from "./fields.js";

const CODE_KEYS = ["code", "rule", "slug", "id", "name"] as const;
const DETAIL_KEYS = ["detail", "message", "text", "description", "summary", "title"] as const;
/** The code of a finding that has none. */
const NO_CODE = "finding";

/**
 * A severity under `severity` or `level`. Without one it is `warn`: a report that says how bad some findings are leaves
 * the others open. A word (or number) nobody knows is `warn` too, and kept as `original_severity`.
 */
export function severityOf(fields: Fields): { severity: Severity; original_severity: string | null } {
  const found = fields.pick(["severity", "level"], "a severity word", (value) =>
    typeof value === "string" || typeof value === "number" ? String(value) : undefined,
  );
  if (found === null || found.trim() === "") return { severity: "warn", original_severity: null };
  const { severity, original } = mapSeverity(found);
  return { severity, original_severity: original };
}

/** The findings listed under `keys`; an item without code and detail is noted and left out. */
export function buildFindings(fields: Fields, keys: readonly string[] = ["findings"]): Finding[] {
  return fields.items(keys).flatMap((item): Finding[] => {
    if (!isObject(item.value)) {
      const text = textOf(item, [], fields.notes);
      if (text === null) return [];
      return [
        {
          code: NO_CODE,
          severity: "warn",
          original_severity: null,
          detail: text.text,
          pointer: text.pointer,
        },
      ];
    }
    const inner = new Fields(item.value, item.pointer, fields.notes);
    const code = inner.id(CODE_KEYS);
    const detail = inner.text(DETAIL_KEYS) ?? code;
    if (detail === null) {
      fields.notes.invalid(item.pointer, "a finding with code and detail");
      return [];
    }
    return [{ code: code ?? NO_CODE, ...severityOf(inner), detail, pointer: item.pointer }];
  });
}
