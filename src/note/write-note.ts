// A note into the session's state on disk (A11). Nothing of the packet is loaded: agents call this often.
import path from "node:path";
import { HANDOFF_FOLDER, ignoreOwnFiles } from "../io/handoff-folder.js";
import { findArtifactFile } from "../io/read-artifact-file.js";
import { ensureFolder, writeAtomic } from "../io/write-atomic.js";
import { makeSessionFolder } from "../recorder/session-folder.js";
import { withStoreLock } from "../store/store-lock.js";
import { editState } from "./edit-state.js";
import type { Note } from "./note-kinds.js";
import { findStatePlace } from "./state-place.js";

/** Where a note goes. */
export interface NotePlace {
  /** Real path of the workbench. */
  readonly root: string;
  /** Where states are looked for, in order. */
  readonly places: readonly string[];
  /** The session at work; null: not known. */
  readonly session: string | null;
}

/** What became of it. */
export interface WrittenNote {
  /** The state's file, absolute. */
  readonly file: string;
  /** False: it was noted before. */
  readonly changed: boolean;
}

/** Writes it. A link to a file inside the workbench stays one. */
async function write(root: string, file: string, text: string): Promise<void> {
  const folder = path.dirname(path.join(root, file));
  await ensureFolder(folder, { base: root });
  if (/^\.handoff\/sessions\/[^/]+\/[^/]+$/u.test(file)) makeSessionFolder(folder);
  const found = await findArtifactFile(root, file);
  await writeAtomic(found.status === "found" ? found.real_path : path.join(root, file), text, { base: root });
}

/** Notes it. Throws UsageError for a state that cannot be read, changed or written: it is as it was then. */
export async function writeNote({ root, places, session }: NotePlace, note: Note): Promise<WrittenNote> {
  // Notes of one workbench are written one after the other; each takes a few milliseconds.
  const locked = path.join(root, HANDOFF_FOLDER);
  await ensureFolder(locked, { base: root });
  ignoreOwnFiles(locked);
  return withStoreLock(locked, {}, async () => {
    const place = await findStatePlace(root, places, session);
    const text = editState(place.text, note, session, new Date());
    const changed = text !== place.text;
    if (changed) await write(root, place.path, `${place.hasMark ? "\ufeff" : ""}${text}`);
    return { file: path.join(root, place.path), changed };
  });
}
