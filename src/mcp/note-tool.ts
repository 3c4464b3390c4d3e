// handoff_note: what only the agent knows, into the session's state. The same note as `handoff note` writes (A11).
import * as z from "zod";
import { checkNote, checkNoteFields, isNoteWord, type NoteSpelling } from "../note/check-note.js";
import { NOTE_KINDS, wholeText } from "../note/note-kinds.js";
import { writeNote } from "../note/write-note.js";
import { cleanLine } from "../text/clean.js";
import { cutText } from "../text/cut.js";
import { placesOf } from "../workbench/artifacts/places.js";
import { briefPath } from "../session/open-workbench.js";
import { callingSession, openCall } from "./call-place.js";
import { defineTool } from "./tool.js";

/** More than any note may have: what is longer is refused before it is looked at. */
const MAX_TEXT = 65_536;
/** Of what was noted, so much is told back. */
const TOLD_BYTES = 160;
const SPELLING: NoteSpelling = {
  waits_for: "waits_for",
  severity: "severity",
  call: (word) => `handoff_note with kind ${JSON.stringify(word)}, text`,
};
const KINDS = Object.keys(NOTE_KINDS).filter(isNoteWord);

export const noteTool = defineTool({
  name: "handoff_note",
  title: "Note for the next session",
  description:
    "Note what only you know, for whoever goes on after this session: the next action (say it again whenever it changes), " +
    "what is being done, a decision with its reason, a dead end nobody needs to try again, an assumption, a question for a " +
    "person, a blocker, a risk; or that one of them is resolved. Commands and edits are recorded without it.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    kind: z
      .enum(KINDS)
      .describe(
        "next: what the next session does first; doing: what you are at; decided; dead-end: what did not work; assume; question: for a person; blocker; risk; resolved: by text or id",
      ),
    text: z.string().max(MAX_TEXT).describe("in a sentence, with file names and commands"),
    why: z.string().max(MAX_TEXT).optional().describe("the reason"),
    waits_for: z
      .string()
      .max(MAX_TEXT)
      .optional()
      .describe("of a blocker: whom or what it waits for; human makes it a question"),
    severity: z.enum(["block", "warn", "info"]).optional().describe("of a risk; default: warn"),
  }),
  run: async ({ kind: word, text, why = null, waits_for = null, severity = null }, call) => {
    checkNoteFields({ word, waits_for, severity }, SPELLING);
    const workbench = await openCall(call.place, call);
    const { root, config, redactor } = workbench;
    const note = checkNote({ word, text, why, waits_for, severity }, redactor, SPELLING);
    const session = await callingSession(workbench, call.place);
    const places = placesOf(config.artifacts).state;
    const { file, changed } = await writeNote({ root, places, session }, note);
    const told = cutText(cleanLine(wholeText(note)), TOLD_BYTES);
    const { title } = NOTE_KINDS[word];
    return {
      texts: [
        `${changed ? "noted" : "already noted"} ${title}: ${told} (${briefPath(root, file, workbench)})`,
      ],
    };
  },
});
