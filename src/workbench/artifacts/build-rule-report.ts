// rule_report.json (P6): a list of rules, bare or under a key, or an object that maps rules to outcomes.
import type { RuleReport } from "../../model/artifacts.js";
import { type FieldNotes, pointerTo } from "./field-notes.js";
import { Fields, isObject, type Item, listItems, objectItems } from "./fields.js";

const LIST_KEYS = ["rules", "results", "checks"] as const;
const NAME_KEYS = ["slug", "rule", "name", "id", "code"] as const;

interface Rule {
  readonly text: string;
  readonly passed: boolean;
}

function ruleOf({ value, pointer }: Item, notes: FieldNotes, named: string | null): Rule | null {
  if (named !== null && typeof value === "boolean") return { text: named, passed: value };
  if (!isObject(value) || typeof value["passed"] !== "boolean") return null;
  const fields = new Fields(value, pointer, notes);
  const name = fields.id(NAME_KEYS) ?? named;
  if (name === null) return null;
  const detail = fields.text(["detail", "message"]);
  return { text: detail === null ? name : `${name}: ${detail}`, passed: value["passed"] };
}

function entriesOf(value: unknown, notes: FieldNotes): (Item & { readonly named: string | null })[] | null {
  if (Array.isArray(value)) return listItems(value, "", notes).map((item) => ({ ...item, named: null }));
  if (!isObject(value)) return null;
  const key = LIST_KEYS.find((name) => Array.isArray(value[name]));
  const list = key === undefined ? null : value[key];
  if (key !== undefined && Array.isArray(list))
    return listItems(list, pointerTo("", key), notes).map((item) => ({ ...item, named: null }));
  const all = objectItems(value, "", notes);
  // Bare booleans only where there is nothing else: in a larger object they are settings, not rules.
  const outcomes = all.every((item) => typeof item.value === "boolean")
    ? all.filter(({ name }) => name !== "passed" && name !== "ok")
    : all.filter((item) => isObject(item.value) && typeof item.value["passed"] === "boolean");
  return outcomes.length === 0 ? null : outcomes.map(({ name, ...item }) => ({ ...item, named: name }));
}

/** The report, or null when the JSON holds no list of rules. */
export function buildRuleReport(value: unknown, notes: FieldNotes): RuleReport | null {
  const entries = entriesOf(value, notes);
  if (entries === null) return null;
  const rules = entries.flatMap((entry) => {
    const rule = ruleOf(entry, notes, entry.named);
    if (rule === null) notes.invalid(entry.pointer, "a rule with a name and passed");
    return rule === null ? [] : [{ ...rule, pointer: entry.pointer }];
  });
  if (entries.length > 0 && rules.length === 0) return null;
  return {
    failed: rules.filter(({ passed }) => !passed).map(({ text, pointer }) => ({ text, pointer })),
    passed_count: rules.filter(({ passed }) => passed).length,
    stamped_at: isObject(value) ? new Fields(value, "", notes).stampedAt() : null,
  };
}
