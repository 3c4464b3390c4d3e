// Commands that no hook told of, from the agent's transcript (A7): one that outlived its turn, one that an interrupt cut off.
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import path from "node:path";
import { appendRecord, FEEDBACK_LOG } from "./append-record.js";
import { settleFromTranscripts } from "./pending-commands.js";
import type { Recorder } from "./recorder.js";
import { readSessionFile, updateSession } from "./session-file.js";

/** The newest records are enough: what is recorded twice counts once (P14). */
const LOG_TAIL_BYTES = 4 * 1024 * 1024;

const COMMAND_ID = /"command_id":("(?:[^"\\]|\\.)*")/gu;

function readLogTail(folder: string): Buffer {
  try {
    const fd = openSync(path.join(folder, FEEDBACK_LOG), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const { size } = fstatSync(fd);
      const bytes = Buffer.alloc(Math.min(size, LOG_TAIL_BYTES));
      return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, size - bytes.length));
    } finally {
      closeSync(fd);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

/** The commands in the end of the session's log, as they are spelled there: a set, since a sweep may tell of many. */
function idsInLog(folder: string): ReadonlySet<string> {
  const text = readLogTail(folder).toString("utf8");
  return new Set([...text.matchAll(COMMAND_ID)].map(([, id = ""]) => id));
}

/** How long a transcript is; 0 when there is none yet. */
export function transcriptBytes(transcript: string | null): number {
  try {
    return transcript === null ? 0 : statSync(transcript).size;
  } catch {
    return 0;
  }
}

/**
 * Records what is missing, from the place in the transcript where the last sweep ended. Throws what the system throws.
 * @param transcript the session's own
 */
export async function sweepTranscript(recorder: Recorder, transcript: string | null): Promise<void> {
  const { folder, speech, config, io } = recorder;
  settleFromTranscripts(recorder);
  // One that belongs to another session is not believed, whoever named it.
  const session_id = path.basename(folder);
  if (speech.readCommands === undefined || transcript === null) return;
  if (!path.basename(transcript).includes(session_id)) return;
  const session = readSessionFile(folder);
  const from = session?.transcript_path === transcript ? session.transcript_bytes : 0;
  const told = await speech.readCommands(transcript, from);
  const known = told.commands.length === 0 ? null : idsInLog(folder);
  for (const command of told.commands) {
    if (known?.has(JSON.stringify(command.command_id)) === true) continue;
    appendRecord(folder, command, {
      agent: speech.name,
      session_id,
      source: "transcript",
      redactor: config.redactor,
      now: io.now(),
    });
  }
  if (told.next !== from || session?.transcript_path !== transcript)
    await updateSession(folder, {
      agent: speech.name,
      transcript_path: transcript,
      transcript_bytes: told.next,
    });
}
