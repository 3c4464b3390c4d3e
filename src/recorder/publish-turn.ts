// The packet of a session whose turn is over (A9). Nothing new, no packet: what somebody else took over meanwhile must not be
// superseded by a session that only talked.
import path from "node:path";
import { readArtifactFile } from "../io/read-artifact-file.js";
import { RefusalError } from "../model/errors.js";
import type { HandoffReason } from "../model/packet.js";
import { locatePacket } from "../session/locate-packet.js";
import { openWorkbench, type Workbench } from "../session/open-workbench.js";
import { publishSession } from "../session/publish-session.js";
import { hasUnpublishedWork } from "../session/session-work.js";
import type { Git } from "../workbench/git/run-git.js";
import type { Recorder } from "./recorder.js";
import { readSessionFile, updateSession } from "./session-file.js";
import { readTreeMark } from "./tree-mark.js";

const MAX_NOTE_BYTES = 4096;

/** True when the session's own packet is still the one that drives its branch, and nobody has taken it. */
async function isStillActive(workbench: Workbench, sessionId: string): Promise<boolean> {
  try {
    const { entry } = await locatePacket(workbench);
    return entry.session_id === sessionId && entry.consumed_by.length === 0;
  } catch (error) {
    if (error instanceof RefusalError) return false;
    throw error;
  }
}

/** True when the session did something that no packet knows, or its packet can still be brought up to date. */
async function hasSomethingToSay(
  workbench: Workbench,
  { root, folder, config, io }: Recorder,
): Promise<boolean> {
  const id = path.basename(folder);
  if (await hasUnpublishedWork(root, id)) return true;
  const note = await readArtifactFile(root, path.join(folder, "published.json"), MAX_NOTE_BYTES);
  if (note.status === "read" && (await isStillActive(workbench, id))) return true;
  const session = readSessionFile(folder);
  if (note.status === "read" || session === null || session.tree === null) return false;
  const mark = await readTreeMark(root, config.out, io.env);
  return mark.head !== session.base_commit || (mark.tree !== null && mark.tree !== session.tree);
}

async function publish(
  workbench: Workbench,
  recorder: Recorder,
  reason: HandoffReason,
  git: Git | null,
): Promise<void> {
  const { folder } = recorder;
  const { snapshot } = await publishSession(workbench, {
    hookSessionId: path.basename(folder),
    allowDegraded: true,
    reason,
    git,
  });
  // The branch may have changed since the session began: orphans are looked for by it.
  const { branch } = snapshot.git;
  if (snapshot.session.id === path.basename(folder) && readSessionFile(folder)?.branch !== branch)
    await updateSession(folder, { branch });
}

/**
 * Publishes, if there is something to say. Throws what publishing throws.
 * @param git as begin-git.ts gives it
 */
export async function publishTurn(recorder: Recorder, reason: HandoffReason, git: Git | null): Promise<void> {
  const { root, io } = recorder;
  const workbench = await openWorkbench({ cwd: root, root, env: io.env });
  if (await hasSomethingToSay(workbench, recorder)) await publish(workbench, recorder, reason, git);
}
