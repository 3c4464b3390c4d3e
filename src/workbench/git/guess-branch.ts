// The branch as git's files name it, without starting git: right nearly always, and known at once. Only for a caller that
// compares it with git's own word later.
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { throwShortage } from "../../io/system-shortage.js";
import { readHeadName } from "./read-head-name.js";

const MAX_LINK_BYTES = 4096;

async function kindOf(file: string): Promise<"folder" | "link" | null> {
  try {
    const facts = await stat(file);
    if (facts.isDirectory()) return "folder";
    // A linked working tree or a submodule: a small file that says where its own folder is.
    return facts.isFile() && facts.size <= MAX_LINK_BYTES ? "link" : null;
  } catch (error) {
    throwShortage(error);
    return null;
  }
}

/** The branch that is checked out at `root`, a real path; null where only git can tell (detached, none, somewhere else). */
export async function guessBranch(root: string): Promise<string | null> {
  for (let folder = root; ; folder = path.dirname(folder)) {
    const dotGit = path.join(folder, ".git");
    const kind = await kindOf(dotGit);
    if (kind === "folder") return readHeadName(dotGit);
    if (kind === "link") {
      const text = await readFile(dotGit, "utf8").catch(() => "");
      const place = /^gitdir: (.+?)\r?\n?$/u.exec(text)?.[1];
      return place === undefined ? null : readHeadName(path.resolve(folder, place));
    }
    if (path.dirname(folder) === folder) return null;
  }
}
