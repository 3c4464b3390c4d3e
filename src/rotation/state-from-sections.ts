// What the session said in its writing turn, in the form agent_state.json has for it (R17). Its words fill its own fields;
// the facts come from the workbench. Pure.
import { isPlaceholder } from "../packet/text-keeper.js";
import type { Sections } from "./parse-sections.js";

/** Something with a reason. */
export interface Reasoned {
  readonly what: string;
  readonly why: string | null;
}

/** The fields of agent_state.json a writing turn fills. */
export interface WrittenState {
  readonly doing: string | null;
  readonly next_action: string | null;
  readonly decisions: readonly Reasoned[];
  readonly dead_ends: readonly Reasoned[];
  /** Paths, as the session wrote them. */
  readonly scene: readonly string[];
}

/** Most entries of a list that are taken over, and how far into one a reason is looked for. */
const MOST = 100;
const REASON_WITHIN = 2_000;

const ITEM = /^(?<indent>\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?<text>\S.*)$/u;

/** A section's entries: its list items, each with its indented lines, or its paragraphs where it has no list. */
function entries(section: string): readonly string[] {
  const items: string[] = [];
  let paragraphEnded = true;
  const hasList = section.split("\n").some((line) => ITEM.test(line));
  for (const line of section.split("\n")) {
    const item = ITEM.exec(line)?.groups;
    const text = (item?.["text"] ?? line).trim();
    const begins = hasList ? item !== undefined && (item["indent"] ?? "").length < 2 : paragraphEnded;
    paragraphEnded = text === "";
    if (text === "") continue;
    if (begins || items.length === 0) items.push(text);
    else items[items.length - 1] = `${items.at(-1) ?? ""} ${text}`;
  }
  return items.filter((item) => !isPlaceholder(item)).slice(0, MOST);
}

/** Where a reason begins, in the languages of the headings. */
const REASON =
  /\s+(?:—|–|--)\s+|[.;,]?\s+[([]?(?:because|why|reason|since|weil|denn|grund|parce que|car|porque|perché|omdat|ponieważ|потому что|так как|бо|тому що|çünkü)\b[:,]?\s+|[，,；;]?\s*[（(]?(?:因为|原因[:：]|理由[:：]|なぜなら|왜냐하면|이유[:：])\s*/iu;

function reasoned(entry: string): Reasoned {
  const plain = entry.replace(/\*\*|__/gu, "").replace(/\s+/gu, " ");
  const at = REASON.exec(plain.slice(0, REASON_WITHIN));
  if (at === null || at.index === 0) return { what: plain, why: null };
  const what = plain.slice(0, at.index).replace(/[\s:,;(—–-]+$/u, "");
  const why = plain
    .slice(at.index + at[0].length)
    .replace(/^(?:why|because|weil)[:\s]+/iu, "")
    .trim();
  const opened = /[([（]/u.test(at[0]);
  const reason = opened ? why.replace(/[)\]）]\.?$/u, "") : why;
  return what === "" || reason === "" ? { what: plain, why: null } : { what, why: reason };
}

/** Paths of a scene: one an item, or several on a line with commas between them. */
function paths(section: string): readonly string[] {
  return entries(section)
    .flatMap((entry) => {
      const parts = entry.split(/[,，、]\s*/u).map((part) => part.trim());
      return parts.length > 1 && parts.every((part) => part !== "" && !/\s/u.test(part)) ? parts : [entry];
    })
    .map((entry) => entry.replace(/^`(?<path>[^`]+)`$/u, "$<path>"))
    .slice(0, MOST);
}

const said = (text: string | null): string | null => (text === null || isPlaceholder(text) ? null : text);

/** The fields of agent_state.json that the sections say (R17). "None" under dead ends is an empty list. */
export function stateFromSections(sections: Sections): WrittenState {
  return {
    doing: said(sections.doing),
    next_action: said(sections.next),
    decisions: entries(sections.decided ?? "").map(reasoned),
    dead_ends: entries(sections.dead_ends ?? "").map(reasoned),
    scene: paths(sections.scene ?? ""),
  };
}
