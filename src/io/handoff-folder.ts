// The workbench's own folder: what handoff keeps in it for itself stays out of the project's git, what a person may want to
// share there (a state, a board) does not. Synchronous: hooks do one thing and end.
import { writeFileSync } from "node:fs";
import path from "node:path";

/** Its name, below the root. */
export const HANDOFF_FOLDER = ".handoff";

/** Text of its `.gitignore`; a file that reads so is ours to remove, any other is somebody's. */
export const OWN_IGNORE_TEXT = `# Written by handoff, which keeps these for itself.
/.gitignore
/.lock/
/cache/
/recorder.log*
/sessions/
`;

/**
 * Puts {@link OWN_IGNORE_TEXT} into the folder, unless it has a `.gitignore` already: called by whoever leaves something
 * in it that git should not see. A courtesy, so it never throws.
 * @param folder `.handoff` of a workbench, absolute; it exists and lies where it should
 */
export function ignoreOwnFiles(folder: string): void {
  try {
    writeFileSync(path.join(folder, ".gitignore"), OWN_IGNORE_TEXT, { flag: "wx" });
  } catch {
    // It is there, or nothing can be written here: then whoever called finds out by itself.
  }
}
