// The hooks that only record (A7, A8): a command, an edit, the first prompt. They load nothing they do not need (A10).
import type { CommandFact, HookEvent } from "../agents/agent.js";
import { appendEdits } from "./append-edits.js";
import { appendRecord } from "./append-record.js";
import { goalOf } from "./goal-of.js";
import { keepPending, settleBackground, withEnd } from "./pending-commands.js";
import type { Recorder } from "./recorder.js";
import { readSessionFile, updateSession } from "./session-file.js";

/** The transcript is written by another thread of the agent: a moment later it may say more. */
const LOOKS = 3;
const BETWEEN_LOOKS_MS = 20;

/** The fact with its end, once the transcript tells it; null: it does not. */
async function findEnd({ speech, event }: Recorder, fact: CommandFact): Promise<CommandFact | null> {
  const { transcript_path } = event;
  if (speech.findEnd === undefined || transcript_path === null || fact.command_id === null) return null;
  for (let look = 1; ; look += 1) {
    const end = speech.findEnd(transcript_path, fact.command_id);
    if (end !== null) return withEnd(fact, end);
    if (look === LOOKS) return null;
    await new Promise((resolve) => {
      setTimeout(resolve, BETWEEN_LOOKS_MS);
    });
  }
}

async function recordCommand(recorder: Recorder, fact: CommandFact): Promise<void> {
  const { folder, speech, event, config, io } = recorder;
  const ended =
    fact.awaits === undefined
      ? fact
      : fact.awaits.from === "transcript"
        ? await findEnd(recorder, fact)
        : null;
  if (ended === null) {
    keepPending(recorder, fact);
    return;
  }
  const { name: agent } = speech;
  const { session_id } = event;
  appendRecord(folder, ended, {
    agent,
    session_id,
    source: "hook",
    redactor: config.redactor,
    now: io.now(),
  });
}

/** Keeps the first prompt of a session as its goal. */
async function recordPrompt({ folder, speech, event, config }: Recorder, prompt: string): Promise<void> {
  const before = readSessionFile(folder);
  if (before !== null && before.goal !== null) return;
  const goal = goalOf(prompt, config.redactor);
  if (goal === null) return;
  const { transcript_path, model } = event;
  const known = before === null ? { agent: speech.name, model, transcript_path } : {};
  await updateSession(folder, { ...known, goal });
}

/** True for an event that only records. */
export function isRecordOnly(kind: HookEvent["kind"]): boolean {
  return kind === "command" || kind === "command_end" || kind === "edit" || kind === "prompt";
}

/** Records it. Throws what the system throws. */
export async function recordEvent(recorder: Recorder): Promise<void> {
  const { event, folder, config, io } = recorder;
  if (event.kind === "command") await recordCommand(recorder, event.command);
  else if (event.kind === "command_end") settleBackground(recorder, event.end);
  else if (event.kind === "edit")
    appendEdits(folder, event.edit, { cwd: event.cwd || io.cwd, redactor: config.redactor, now: io.now() });
  else if (event.kind === "prompt") await recordPrompt(recorder, event.prompt);
}
