// A brief that is given with the session's next prompt and not at its start: the start leaves an empty file, and the first prompt
// that finds it takes it. So a prompt costs nothing more than a look (A10).
import { rmSync, unlinkSync } from "node:fs";
import path from "node:path";
import { hasCode } from "../io/has-code.js";
import { writeOwnFile } from "./own-file.js";

const FILE = "brief.due";

/** There is a packet for this session. Its folder is there. Throws what the system throws. */
export function leaveBriefDue(folder: string): void {
  writeOwnFile(path.join(folder, FILE), "");
}

/** There is none any more. */
export function dropBriefDue(folder: string): void {
  rmSync(path.join(folder, FILE), { force: true });
}

/** True for the one who gives it. Throws what the system throws. */
export function takeBriefDue(folder: string): boolean {
  try {
    unlinkSync(path.join(folder, FILE));
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return false;
    throw error;
  }
}
