// Which files an edit wrote, as lines of touched_files.jsonl (A8): appended only, since hooks run side by side.
import path from "node:path";
import type { EditFact } from "../agents/agent.js";
import { isInside } from "../io/read-artifact-file.js";
import type { Redactor } from "../redact/create-redactor.js";
import { appendLine } from "./append-line.js";
import { rootOf } from "./session-folder.js";

export const TOUCHED_LOG = "touched_files.jsonl";
/** Far more than one tool call ever writes. */
const MAX_PATHS = 1000;
const MAX_PATH_LENGTH = 4096;

/** Where and when. */
export interface EditContext {
  /** Absolute folder that relative paths of the edit are meant from. */
  readonly cwd: string;
  readonly redactor: Redactor;
  readonly now: Date;
}

/** From the root with forward slashes where it lies inside, else absolute. */
function nameOf(file: string, cwd: string, root: string): string {
  const absolute = path.resolve(cwd, file);
  return isInside(absolute, root) ? path.relative(root, absolute).replaceAll(path.sep, "/") : absolute;
}

/**
 * Appends one line a path. A path that holds a secret is marked like any other text.
 * @param folder as in {@link appendRecord}
 * Throws what the system throws.
 */
export function appendEdits(folder: string, edit: EditFact, { cwd, redactor, now }: EditContext): void {
  const root = rootOf(folder);
  for (const file of edit.paths.slice(0, MAX_PATHS)) {
    const name = nameOf(file, cwd, root).toWellFormed();
    if (name === "" || name.length > MAX_PATH_LENGTH) continue;
    const line = {
      path: redactor.redactText(name).text,
      tool: edit.tool.slice(0, 256),
      at: now.toISOString(),
      ...(edit.command_id === null ? {} : { command_id: edit.command_id.slice(0, 256) }),
    };
    appendLine(path.join(folder, TOUCHED_LOG), JSON.stringify(line));
  }
}
