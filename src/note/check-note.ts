// What was said, as it may be noted (A11): secrets out, fit to show, not empty, not longer than a packet tells.
import { UsageError } from "../model/errors.js";
import { isPlaceholder } from "../packet/text-keeper.js";
import type { Redactor } from "../redact/create-redactor.js";
import { cleanLine, cleanText } from "../text/clean.js";
import { byteLength, cutText } from "../text/cut.js";
import { type Note, NOTE_KINDS, type NoteWord, wholeText } from "./note-kinds.js";

/** Longest text that is told back in a refusal, in bytes. */
const TOLD_BYTES = 2000;

/** How somebody says a note: what its fields are called there, and where to read on. */
export interface NoteSpelling {
  readonly waits_for: string;
  readonly severity: string;
  /** The call for a note of this kind, for hints. */
  readonly call: (word: NoteWord) => string;
}

function refuse(what: string, hint: string): never {
  throw new UsageError("usage.value", what, hint);
}

/** True for a kind of note. */
export function isNoteWord(word: unknown): word is NoteWord {
  return typeof word === "string" && Object.hasOwn(NOTE_KINDS, word);
}

/** Throws UsageError for a field that this kind of note does not have. */
export function checkNoteFields(
  { word, waits_for, severity }: Pick<Note, "word" | "waits_for" | "severity">,
  spelling: NoteSpelling,
): void {
  if (waits_for !== null && word !== "blocker")
    refuse(`${spelling.waits_for} is a blocker's`, spelling.call("blocker"));
  if (severity !== null && word !== "risk") refuse(`${spelling.severity} is a risk's`, spelling.call("risk"));
}

/** The note as it may be written. Throws UsageError for one that says nothing, or more than a packet would tell. */
export function checkNote(said: Note, redactor: Redactor, spelling: NoteSpelling): Note {
  const { word, severity } = said;
  const texts = { text: said.text, why: said.why, waits_for: said.waits_for };
  // Together: a secret that one text gives away is taken out of the others too.
  const { value } = redactor.redactStrings(texts);
  const clean = (text: string | null): string | null => (text === null ? null : cleanText(text).trim());
  const note: Note = {
    word,
    text: clean(value.text) ?? "",
    why: clean(value.why),
    waits_for: clean(value.waits_for),
    severity,
  };
  if (note.text === "") refuse("a text is missing", `${spelling.call(word)} TEXT`);
  if (isPlaceholder(note.text))
    refuse(
      `${JSON.stringify(cutText(cleanLine(note.text), TOLD_BYTES))} says nothing`,
      "say it in a sentence",
    );
  const { maxBytes, title } = NOTE_KINDS[word];
  const bytes = byteLength(cleanLine(wholeText(note)));
  if (bytes > maxBytes)
    refuse(
      `${title}: ${bytes} bytes is more than the ${maxBytes} that a packet tells of one`,
      "say it shorter, and name the file that holds the rest",
    );
  return note;
}
