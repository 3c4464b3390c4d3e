// Which state file a note goes into (A11): the one that will be read as this session's state, else a new one. A file that
// cannot be read as a state is never written over.
import path from "node:path";
import { readArtifactFile } from "../io/read-artifact-file.js";
import { UsageError } from "../model/errors.js";
import { isValidId } from "../model/valid-id.js";
import { parseJson } from "../text/parse-json.js";
import { buildState } from "../workbench/artifacts/build-state.js";
import { FieldNotes } from "../workbench/artifacts/field-notes.js";
import { findCandidates } from "../workbench/artifacts/find-candidates.js";

/** A state file. */
export interface StatePlace {
  /** From the root, with forward slashes. */
  readonly path: string;
  /** Its JSON; null: it is still to be made. */
  readonly text: string | null;
  /** It begins with a byte order mark, which `text` is without. */
  readonly hasMark: boolean;
}

function unusable(file: string, reason: string, line?: number): UsageError {
  const place = line === undefined ? { path: file } : { path: file, line };
  const hint = "mend the file or move it away, then note it again; nothing was written";
  return new UsageError("note.unusable_state", `the state ${reason}`, hint, place);
}

type Looked =
  | { readonly is: "missing" | "foreign" }
  | { readonly is: "state"; place: StatePlace; session: string | null };

/** Throws UsageError for what is there and cannot be read: it may well be this session's. */
async function look(root: string, file: string): Promise<Looked> {
  const read = await readArtifactFile(root, file);
  if (read.status === "missing") return { is: "missing" };
  if (read.status !== "read") throw unusable(file, `cannot be read: ${read.status.replaceAll("_", " ")}`);
  const parsed = parseJson(read.text);
  if (!parsed.ok) throw unusable(file, `is not JSON: ${parsed.reason}`, parsed.line);
  const state = buildState(parsed.value, new FieldNotes("state", file));
  if (state === null) return { is: "foreign" };
  const markBytes = read.bytes - Buffer.byteLength(read.text);
  // Written back, it would be another file.
  if (read.invalid_sequences > 0 || (markBytes !== 0 && markBytes !== 3))
    throw unusable(file, "is not UTF-8");
  const session = state.session_id !== null && isValidId(state.session_id) ? state.session_id : null;
  return { is: "state", place: { path: file, text: read.text, hasMark: markBytes === 3 }, session };
}

/**
 * The place by the order in which states are looked for; another session's is passed by, as it is when a packet is made.
 * @param root real path of the workbench
 * @param patterns where states are looked for
 * @param session the session at work, if it is known
 * Throws UsageError `note.unusable_state` for a file that is no JSON or cannot be read, `note.no_place` where a
 * configuration names none.
 */
export async function findStatePlace(
  root: string,
  patterns: readonly string[],
  session: string | null,
): Promise<StatePlace> {
  const { paths } = await findCandidates(root, patterns, { task_id: null, session_id: session });
  let fresh: string | null = null;
  for (const file of paths) {
    const looked = await look(root, file);
    if (looked.is === "missing") fresh ??= file;
    if (looked.is !== "state") continue;
    if (session !== null && looked.session !== null && looked.session !== session) continue;
    // Whose state it is was known by the file alone: that session may have a state of its own, which comes first.
    if (session === null && looked.session !== null) return findStatePlace(root, patterns, looked.session);
    return looked.place;
  }
  if (fresh !== null) return { path: path.posix.normalize(fresh), text: null, hasMark: false };
  throw new UsageError(
    "note.no_place",
    "none of the places for a state is free",
    "name a plain path under artifacts.state in handoff.config.json",
  );
}
