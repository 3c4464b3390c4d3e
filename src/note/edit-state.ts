// A note as a change of agent_state.json's text (A11): spliced in, so that every byte that is not the note's stays. Pure.
import { appendChild, openJson, removeChild, setMember, treeOf, valueOf } from "../install/json-edit.js";
import { UsageError } from "../model/errors.js";
import { TEXT_BYTES } from "../packet/text-keeper.js";
import { cleanLine } from "../text/clean.js";
import { cutText } from "../text/cut.js";
import { itemId } from "../text/digest.js";
import { memberOf } from "../text/json-tree.js";
import { type Note, NOTE_KINDS, wholeText } from "./note-kinds.js";

type Source = ReturnType<typeof openJson>;
type Fields = Readonly<Record<string, string>>;
type Item = string | Fields;

/** No list gets longer by notes: nobody could read it. */
const MAX_ITEMS = 500;
/** Under these an item that is an object may hold its text. */
const TEXT_KEYS =
  "text what detail decision tried approach assumption question blocker risk description message summary title id".split(
    " ",
  );
/** Lists of what is open, and the kind that the packet makes ids of their items with (P33). */
const OPEN_LISTS = { blockers: "question", risks: null, questions: "question", assumptions: "assumption" };
const OPEN_TEXTS = { next_action: "next_action", doing: null };
const KINDS_OF_IDS = ["decision", "dead_end", "assumption", "question", "next_action"];

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An item's text as the packet has it; empty for one that has none. */
function textOf(item: unknown): string {
  const text = isFields(item)
    ? TEXT_KEYS.map((key) => item[key]).find((one) => typeof one === "string")
    : item;
  return typeof text === "string" ? cutText(cleanLine(text), TEXT_BYTES.detail) : "";
}

/** True for a text that `named` names, as a text or by its id. */
function isNamed(text: string, named: string, kinds: readonly (string | null)[]): boolean {
  return (
    text !== "" &&
    (text === cleanLine(named) ||
      text === textOf(named) ||
      kinds.some((kind) => kind !== null && itemId(kind, text) === named.trim()))
  );
}

/** The list at `key`; one text counts as a list of one. Throws UsageError for what is no list. */
function listAt(source: Source, key: string): readonly unknown[] {
  const node = memberOf(treeOf(source), key);
  const value = node === undefined ? null : valueOf(source, node);
  if (value === null) return [];
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value;
  throw new UsageError(
    "note.unusable_state",
    `/${key} of the state is no list, and was left as it is`,
    "mend the field, then note it again",
  );
}

function removeItem(source: Source, key: string, index: number): Source {
  const tree = treeOf(source);
  const node = memberOf(tree, key);
  if (node === undefined) return source;
  return node.kind === "array" ? removeChild(source, node, index, "") : setMember(source, tree, key, []);
}

function removeNamed(source: Source, key: string, isIt: (text: string) => boolean): Source {
  let left = source;
  for (let i = listAt(source, key).length - 1; i >= 0; i -= 1)
    if (isIt(textOf(listAt(left, key)[i]))) left = removeItem(left, key, i);
  return left;
}

/** The list with one item more. An item of the same text is given what it lacks, and there stays one of it. */
function addItem(source: Source, key: string, item: Item): Source {
  const tree = treeOf(source);
  const list = listAt(source, key);
  const index = list.findIndex((one) => textOf(one) === textOf(item));
  const node = memberOf(tree, key);
  if (index === -1) {
    if (list.length >= MAX_ITEMS)
      throw new UsageError(
        "note.list_full",
        `the state has ${list.length} ${key.replace("_", " ")} already`,
        "say what is done with by handoff note resolved, or take some out of the file",
      );
    if (node?.kind === "array") return appendChild(source, node, null, item);
    return setMember(source, tree, key, [...list.map((one) => String(one)), item]);
  }
  if (typeof item === "string") return source;
  const known = node?.kind === "array" ? node.children[index]?.value : undefined;
  // Of an item that is a mere text more is known now.
  if (known?.kind !== "object") {
    const isMore = Object.keys(item).length > 1;
    return isMore ? addItem(removeItem(source, key, index), key, item) : source;
  }
  const [textKey] = Object.keys(item);
  let joined = source;
  for (const [name, value] of Object.entries(item))
    if (name !== textKey) {
      const at = memberOf(treeOf(joined), key)?.children[index]?.value;
      if (at !== undefined) joined = setMember(joined, at, name, value);
    }
  return joined;
}

/** The item of a list; what says which one it is stands first, what was not said is not there. */
function itemOf(note: Note): Item {
  const { text, why, waits_for, severity } = note;
  const { form } = NOTE_KINDS[note.word];
  if (form === "reasoned") return { what: text, ...(why === null ? {} : { why }) };
  if (form === "blocker" && waits_for !== null) return { text: wholeText(note), waits_for };
  if (form === "risk") return { detail: wholeText(note), ...(severity === null ? {} : { severity }) };
  return wholeText(note);
}

/** A new risk has a severity, whoever noted it. */
function addNote(source: Source, note: Note): Source {
  const { key, form } = NOTE_KINDS[note.word];
  const item = itemOf(note);
  const isNew = !listAt(source, key).some((one) => textOf(one) === textOf(item));
  const whole = form === "risk" && isNew && typeof item !== "string" ? { severity: "warn", ...item } : item;
  return addItem(source, key, whole);
}

/** What is done with leaves the lists of open things, and is named for what earlier packets hold of it (P33). */
function resolve(source: Source, named: string): Source {
  let left = source;
  for (const [key, kind] of Object.entries(OPEN_LISTS))
    left = removeNamed(left, key, (text) => isNamed(text, named, [kind]));
  for (const [key, kind] of Object.entries(OPEN_TEXTS)) {
    const tree = treeOf(left);
    const node = memberOf(tree, key);
    const value = node === undefined ? null : valueOf(left, node);
    if (typeof value === "string" && isNamed(cleanLine(value), named, [kind]))
      left = setMember(left, tree, key, null);
  }
  return addItem(left, "resolved", named);
}

/** What is noted is open again, whatever was said before. */
function reopen(source: Source, text: string): Source {
  const same = textOf(text);
  const ids = KINDS_OF_IDS.map((kind) => itemId(kind, same));
  return removeNamed(source, "resolved", (one) => one === same || ids.includes(one));
}

function changed(source: Source, note: Note): Source {
  const { key, form } = NOTE_KINDS[note.word];
  if (form === "resolved") return resolve(source, note.text);
  const text = wholeText(note);
  const open = reopen(source, form === "reasoned" ? note.text : text);
  return form === "text" ? setMember(open, treeOf(open), key, text) : addNote(open, note);
}

/** A state of which nothing is known yet. */
function newState(sessionId: string | null): string {
  const state = { schema_version: 1, ...(sessionId === null ? {} : { session_id: sessionId }) };
  return `${JSON.stringify(state, null, 2)}\n`;
}

/**
 * The state's text with the note in it; the same text when it says so already. Where the file says when it was written, it
 * says so again.
 * @param before JSON of an object; null: there is no state yet
 * Throws UsageError for a field that is no list, or a list that is full.
 */
export function editState(before: string | null, note: Note, sessionId: string | null, now: Date): string {
  const source = openJson(before ?? newState(sessionId), false);
  const edited = changed(source, note);
  if (edited.text === before) return before;
  const tree = treeOf(edited);
  const isStamped = before === null || memberOf(tree, "updated_at") !== undefined;
  return isStamped ? setMember(edited, tree, "updated_at", now.toISOString()).text : edited.text;
}
