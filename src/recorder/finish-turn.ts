// A turn, a context or a session ends (A9): the packet is made now, so that a session that is killed later still has one.
import path from "node:path";
import { readLiveness, readOwnIdentity } from "../io/process-identity.js";
import { isSameProcess } from "../session/session-process.js";
import { hasUnpublishedWork } from "../session/session-work.js";
import type { Git } from "../workbench/git/run-git.js";
import { findAgentProcess } from "./agent-process.js";
import { beginGit } from "./begin-git.js";
import type { Recorder } from "./recorder.js";
import { keptText, readSessionFile, updateSession } from "./session-file.js";
import { sweepTranscript } from "./sweep-transcript.js";

/** True when the session goes on in another process by now: what the one before says of its end comes too late. */
async function goesOnElsewhere({ folder, speech, io }: Recorder): Promise<boolean> {
  const noted = readSessionFile(folder)?.process ?? null;
  const own = noted === null ? null : await findAgentProcess(speech.program, io.parent, io.env);
  if (noted === null || own === null || isSameProcess(noted, own)) return false;
  return (await readLiveness(noted, await readOwnIdentity())) === "alive";
}

/**
 * Runs it. Throws what publishing throws.
 * @param git as begin-git.ts gives it; null: it has not begun
 */
export async function finishTurn(recorder: Recorder, git: Promise<Git | null> | null): Promise<void> {
  const { event, folder, root, io, speech, config, isNested } = recorder;
  await sweepTranscript(recorder, event.transcript_path);
  const { model, transcript_path } = event;
  const said =
    event.kind === "stop" && event.last_message !== null
      ? keptText(event.last_message, config.redactor)
      : null;
  const isOver = event.kind === "session_end" && !(await goesOnElsewhere(recorder));
  await updateSession(folder, {
    agent: speech.name,
    model: model ?? readSessionFile(folder)?.model ?? null,
    transcript_path,
    ...(said === null ? {} : { last_message: said }),
    ...(isOver ? { ended_at: io.now().toISOString(), end_reason: event.reason } : {}),
  });
  if (isNested) return;
  // The fast way out: what a turn left to say was said at its end.
  if (event.kind === "session_end" && !(await hasUnpublishedWork(root, path.basename(folder)))) return;
  const { publishTurn } = await import("./publish-turn.js");
  const reason = event.kind === "pre_compact" ? "context_threshold" : "session_end";
  await publishTurn(recorder, reason, await (git ?? beginGit(recorder)));
}
