// handoff note: what only the agent knows, in its own words, into the session's state (A11). Nothing of the packet is loaded:
// agents call this often.
import path from "node:path";
import { EXIT, UsageError, type ExitCode } from "../../model/errors.js";
import { isValidId } from "../../model/valid-id.js";
import { checkNote, checkNoteFields, isNoteWord, type NoteSpelling } from "../../note/check-note.js";
import { type Note, NOTE_KINDS, wholeText } from "../../note/note-kinds.js";
import { writeNote } from "../../note/write-note.js";
import { findCurrentSession } from "../../recorder/current-session.js";
import { createRedactor } from "../../redact/create-redactor.js";
import { cleanLine } from "../../text/clean.js";
import { cutText } from "../../text/cut.js";
import { placesOf } from "../../workbench/artifacts/places.js";
import { findRoot } from "../../workbench/find-root.js";
import { loadConfig } from "../../workbench/load-config.js";
import { choiceOption, flagOption, idOption, restOf, textOption, type Arguments } from "../arguments.js";
import { refuseSecretId } from "../refuse-secret-id.js";
import { printDiagnostics, printJson, shownPath } from "../report.js";
import type { Terminal } from "../terminal.js";

/** Of what was noted, so much is told back. */
const TOLD_BYTES = 160;
const SEVERITIES = ["block", "warn", "info"] as const;
const SPELLING: NoteSpelling = {
  waits_for: "--waits-for",
  severity: "--severity",
  call: (word) => `handoff note ${word}`,
};

/** The words behind the kind: a text need not be quoted. */
function textOf(args: Arguments): string {
  const words: unknown[] = [args["text"], restOf(args)].flat();
  return words.filter((word) => typeof word === "string").join(" ");
}

/** The note as it may be written. Throws UsageError for one that says nothing, or more than a packet would tell. */
function readNote(args: Arguments, { redactor }: Terminal): Note {
  const word = args["kind"];
  if (!isNoteWord(word))
    throw new UsageError(
      "usage.value",
      word === undefined ? "what kind of note is missing" : `nothing is noted as ${JSON.stringify(word)}`,
      `handoff note KIND TEXT; kinds are ${Object.keys(NOTE_KINDS).join(", ")}`,
    );
  const waits_for = textOption(args, "waits-for");
  const severity = choiceOption(args, "severity", SEVERITIES);
  checkNoteFields({ word, waits_for, severity }, SPELLING);
  const said = { word, text: textOf(args), why: textOption(args, "why"), waits_for, severity };
  return checkNote(said, redactor, SPELLING);
}

/** Root, places and gate; the configuration's schema is only loaded where there is a configuration. */
async function open(args: Arguments, terminal: Terminal) {
  const root = await findRoot(terminal.cwd, textOption(args, "root"));
  const option = textOption(args, "config");
  const config = await loadConfig(root, option === null ? null : path.resolve(terminal.cwd, option));
  const { patterns, allow } = config.redaction ?? {};
  if (config.redaction !== undefined)
    terminal.redactor = createRedactor({
      env: terminal.env,
      ...(patterns === undefined ? {} : { patterns }),
      ...(allow === undefined ? {} : { allow }),
    });
  return { root, places: placesOf(config.artifacts).state };
}

async function sessionOf(root: string, args: Arguments, terminal: Terminal): Promise<string | null> {
  const option = idOption(args, "session");
  const isAllowed = (id: string): boolean => isValidId(id) && terminal.redactor.redactText(id).text === id;
  const found = await findCurrentSession({ root, env: terminal.env, option, isAllowed, now: new Date() });
  terminal.diagnostics.push(...found.diagnostics);
  printDiagnostics(terminal, found.diagnostics, false);
  return found.session?.id ?? null;
}

/** Runs it. Exit 0 noted, or noted before; 2 see README. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { root, places } = await open(args, terminal);
  refuseSecretId("session", idOption(args, "session"), terminal);
  const note = readNote(args, terminal);
  const session = await sessionOf(root, args, terminal);
  const { file, changed } = await writeNote({ root, places, session }, note);
  const { title, key } = NOTE_KINDS[note.word];
  if (flagOption(args, "json")) {
    printJson(
      terminal,
      { ok: true },
      { file, session_id: session, field: key, text: wholeText(note), changed },
    );
    return EXIT.ok;
  }
  const told = cutText(cleanLine(wholeText(note)), TOLD_BYTES);
  const where = shownPath(file, terminal.cwd);
  terminal.out(
    `${changed ? "noted" : "already noted"} ${title}: ${told} ${terminal.colors.dim(`(${where})`)}\n`,
  );
  return EXIT.ok;
}
