// handoff note: what only the agent knows, in its own words, into the session's state (A11). Nothing of the packet is loaded:
// agents call this often.
import path from "node:path";
import { HANDOFF_FOLDER, ignoreOwnFiles } from "../../io/handoff-folder.js";
import { findArtifactFile } from "../../io/read-artifact-file.js";
import { ensureFolder, writeAtomic } from "../../io/write-atomic.js";
import { EXIT, UsageError, type ExitCode } from "../../model/errors.js";
import { isValidId } from "../../model/valid-id.js";
import { isPlaceholder } from "../../packet/text-keeper.js";
import { findCurrentSession } from "../../recorder/current-session.js";
import { makeSessionFolder } from "../../recorder/session-folder.js";
import { createRedactor } from "../../redact/create-redactor.js";
import { withStoreLock } from "../../store/store-lock.js";
import { cleanLine, cleanText } from "../../text/clean.js";
import { byteLength, cutText } from "../../text/cut.js";
import { placesOf } from "../../workbench/artifacts/places.js";
import { findRoot } from "../../workbench/find-root.js";
import { loadConfig } from "../../workbench/load-config.js";
import { choiceOption, flagOption, idOption, restOf, textOption, type Arguments } from "../arguments.js";
import { editState } from "../note/edit-state.js";
import { type Note, NOTE_KINDS, type NoteWord, wholeText } from "../note/note-kinds.js";
import { findStatePlace } from "../note/state-place.js";
import { refuseSecretId } from "../refuse-secret-id.js";
import { printDiagnostics, printJson, shown, shownPath } from "../report.js";
import type { Terminal } from "../terminal.js";

/** Of what was noted, so much is told back. */
const TOLD_BYTES = 160;
const SEVERITIES = ["block", "warn", "info"] as const;

function isWord(word: unknown): word is NoteWord {
  return typeof word === "string" && Object.hasOwn(NOTE_KINDS, word);
}

/** The words behind the kind: a text need not be quoted. */
function textOf(args: Arguments): string {
  const words: unknown[] = [args["text"], restOf(args)].flat();
  return words.filter((word) => typeof word === "string").join(" ");
}

function refuse(what: string, hint: string): never {
  throw new UsageError("usage.value", what, hint);
}

/** The note as it may be written. Throws UsageError for one that says nothing, or more than a packet would tell. */
function readNote(args: Arguments, { redactor }: Terminal): Note {
  const word = args["kind"];
  const words = Object.keys(NOTE_KINDS).join(", ");
  if (!isWord(word))
    refuse(
      word === undefined ? "what kind of note is missing" : `nothing is noted as ${JSON.stringify(word)}`,
      `handoff note KIND TEXT; kinds are ${words}`,
    );
  const waitsFor = textOption(args, "waits-for");
  if (waitsFor !== null && word !== "blocker") refuse("--waits-for is a blocker's", "handoff note blocker");
  const severity = choiceOption(args, "severity", SEVERITIES);
  if (severity !== null && word !== "risk") refuse("--severity is a risk's", "handoff note risk");
  const said = { text: textOf(args), why: textOption(args, "why"), waits_for: waitsFor };
  // Together: a secret that one text gives away is taken out of the others too.
  const { value } = redactor.redactStrings(said);
  const clean = (text: string | null): string | null => (text === null ? null : cleanText(text).trim());
  const note: Note = {
    word,
    text: clean(value.text) ?? "",
    why: clean(value.why),
    waits_for: clean(value.waits_for),
    severity,
  };
  if (note.text === "") refuse("a text is missing", `handoff note ${word} TEXT`);
  if (isPlaceholder(note.text))
    refuse(`${JSON.stringify(shown(note.text))} says nothing`, "say it in a sentence");
  const { maxBytes, title } = NOTE_KINDS[word];
  const bytes = byteLength(cleanLine(wholeText(note)));
  if (bytes > maxBytes)
    refuse(
      `a ${title} of ${bytes} bytes is more than the ${maxBytes} that a packet tells of one`,
      "say it shorter, and name the file that holds the rest",
    );
  return note;
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

/** Writes it. A link to a file inside the workbench stays one. */
async function write(root: string, file: string, text: string): Promise<void> {
  const folder = path.dirname(path.join(root, file));
  await ensureFolder(folder, { base: root });
  if (/^\.handoff\/sessions\/[^/]+\/[^/]+$/u.test(file)) makeSessionFolder(folder);
  const found = await findArtifactFile(root, file);
  await writeAtomic(found.status === "found" ? found.real_path : path.join(root, file), text, { base: root });
}

/** Runs it. Exit 0 noted, or noted before; 2 see README. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { root, places } = await open(args, terminal);
  refuseSecretId("session", idOption(args, "session"), terminal);
  const note = readNote(args, terminal);
  const session = await sessionOf(root, args, terminal);
  // Notes of one workbench are written one after the other; each takes a few milliseconds.
  const locked = path.join(root, HANDOFF_FOLDER);
  await ensureFolder(locked, { base: root });
  ignoreOwnFiles(locked);
  const { file, changed } = await withStoreLock(locked, {}, async () => {
    const place = await findStatePlace(root, places, session);
    const text = editState(place.text, note, session, new Date());
    const isNew = text !== place.text;
    if (isNew) await write(root, place.path, `${place.hasMark ? "\ufeff" : ""}${text}`);
    return { file: place.path, changed: isNew };
  });
  const { title, key } = NOTE_KINDS[note.word];
  if (flagOption(args, "json")) {
    const own = {
      file: path.join(root, file),
      session_id: session,
      field: key,
      text: wholeText(note),
      changed,
    };
    printJson(terminal, { ok: true }, own);
    return EXIT.ok;
  }
  const told = cutText(cleanLine(wholeText(note)), TOLD_BYTES);
  const where = shownPath(path.join(root, file), terminal.cwd);
  terminal.out(
    `${changed ? "noted" : "already noted"} ${title}: ${told} ${terminal.colors.dim(`(${where})`)}\n`,
  );
  return EXIT.ok;
}
