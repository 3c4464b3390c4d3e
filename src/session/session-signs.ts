// Signs of life of a session: when it last wrote into its folder, and nothing else.
import { stat } from "node:fs/promises";
import path from "node:path";

/** What work leaves in a session's folder. */
export const WORK_FILES = ["feedback.jsonl", "touched_files.jsonl", "agent_state.json"] as const;
/** What a session leaves there, work or not. */
export const ALL_FILES = ["session.json", ...WORK_FILES] as const;
/** A session that has shown no sign of life for so long is not at work, where nothing else says whether it is. */
export const SILENT_MS = 24 * 60 * 60 * 1000;

/** When one of `names` in the folder was last written, in ms since the epoch; 0: none is there. Never rejects. */
export async function lastSign(folder: string, names: readonly string[]): Promise<number> {
  const times = await Promise.all(
    names.map((name) =>
      stat(path.join(folder, name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return Math.max(...times);
}
