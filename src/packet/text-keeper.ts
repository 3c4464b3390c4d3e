// Every text that enters a packet passes here: cleaned (P36), cut to its field's size, and every cut counted, so that
// nothing is shortened in silence.
import { cleanLine, cleanText, showControls } from "../text/clean.js";
import { cutText } from "../text/cut.js";

/** Largest size of one text, in UTF-8 bytes. Lists are bounded by the packet's budget, single texts here. */
export const TEXT_BYTES = {
  next_action: 4000,
  prose: 2000,
  detail: 600,
  last_message: 400,
  command: 500,
  excerpt: 1600,
  path: 4096,
  subject: 200,
  word: 120,
} as const;
export type TextField = keyof typeof TEXT_BYTES;

/** Cleans and cuts texts for one packet and counts what was cut. */
export interface TextKeeper {
  /** One line of prose. */
  readonly line: (text: string, field: TextField) => string;
  /** Several lines, newline and tab kept. */
  readonly block: (text: string, field: TextField) => string;
  /** A command: one line, inner spaces kept, controls shown as escapes. */
  readonly exact: (text: string, field: TextField) => string;
  /** A file name, exact (P9): whatever a file system allows stays, renderings show controls as escapes. */
  readonly name: (text: string) => string;
  /** How many texts were shortened so far. */
  readonly cuts: () => number;
}

export function createTextKeeper(): TextKeeper {
  let cuts = 0;
  const cut = (text: string, field: TextField): string => {
    const kept = cutText(text, TEXT_BYTES[field]);
    if (kept !== text) cuts += 1;
    return kept;
  };
  return {
    line: (text, field) => cut(cleanLine(text), field),
    block: (text, field) => cut(cleanText(text).replace(/^\n+/u, "").trimEnd(), field),
    exact: (text, field) => cut(showControls(text.trim()), field),
    name: (text) => cut(text.toWellFormed(), "path"),
    cuts: () => cuts,
  };
}

const WORDS_FOR_NOTHING = new Set([
  "tbd",
  "tba",
  "tbc",
  "n/a",
  "na",
  "none",
  "nil",
  "null",
  "undefined",
  "todo",
  "to do",
  "nothing",
  "unknown",
  "unset",
  "not set",
  "empty",
  "pending",
  "wip",
  "fixme",
  "xxx",
  "to be determined",
  "to be decided",
  "to be done",
  "no next action",
  "no next step",
  "no next_action",
  "no next_action recorded",
  "no next_action recorded; needs human",
  "next_action",
  "next action",
  "placeholder",
  "待定",
  "未定",
  "无",
  "なし",
  "未設定",
  "нет",
  "не определено",
  "ninguno",
  "ninguna",
  "pendiente",
  "por definir",
  "aucun",
  "aucune",
  "à définir",
  "keine",
  "keins",
  "offen",
  "nessuno",
  "nenhum",
  "لا يوجد",
  "null value",
  "...",
  "?",
  "-",
]);

/** True for white space, punctuation alone, and the words that stand for "not filled in" (P28). */
export function isPlaceholder(text: string): boolean {
  // Before cleaning makes invisible characters visible as escapes: a text of nothing else says nothing.
  const bare = cleanLine(text.replace(/\p{Default_Ignorable_Code_Point}/gu, ""))
    .replace(/^[\s"'`([{<*_#-]+|[\s"'`)\]}>*_.:;!?…-]+$/gu, "")
    .toLowerCase();
  const letters = bare.replace(/[^\p{L}\p{N}\s]+/gu, "");
  return (
    !/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(bare) ||
    WORDS_FOR_NOTHING.has(bare) ||
    WORDS_FOR_NOTHING.has(letters)
  );
}

/** `null` for a text that says nothing. */
export function meaningful<T extends { readonly text: string }>(item: T | null): T | null {
  return item === null || isPlaceholder(item.text) ? null : item;
}
