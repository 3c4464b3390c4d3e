// Git begins to answer while the code that publishes is still being loaded (A10).
import { beginGitFacts } from "../workbench/git/begin-git-facts.js";
import type { Git } from "../workbench/git/run-git.js";
import type { Recorder } from "./recorder.js";
import { readSessionFile } from "./session-file.js";

/** Asks what a packet of this session will want to know first. Never rejects: whoever asks in the end tells the fault. */
export async function beginGit({ root, folder, io }: Recorder): Promise<Git | null> {
  const base = readSessionFile(folder)?.base_commit ?? null;
  return beginGitFacts(root, base, { ...io.env }).catch(() => null);
}
