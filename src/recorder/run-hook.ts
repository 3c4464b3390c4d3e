// `handoff hook <agent> [<event>]`: what an agent's hooks call (A6). Whatever happens, it ends with exit 0, prints nothing but a
// whole brief, takes a bounded time, and tells a fault in one line of .handoff/recorder.log.
import type { HookEvent, HookSpeech } from "../agents/agent.js";
import { ANY_AGENT, claimPayload, hookSpeechOf } from "../agents/registry.js";
import { isValidId } from "../model/valid-id.js";
import { takeBriefDue } from "./due-brief.js";
import { findSessionRoot } from "./find-session-root.js";
import { readHookConfig } from "./hook-config.js";
import type { HookIo } from "./hook-io.js";
import { readPayload } from "./read-payload.js";
import { notePane } from "./note-pane.js";
import { isRecordOnly, recordEvent } from "./record-event.js";
import { faultText, logFault } from "./recorder-log.js";
import { RUN_VARIABLE, type Recorder } from "./recorder.js";
import { sessionFolderOf } from "./session-folder.js";

const PAYLOAD = { maxBytes: 16 * 1024 * 1024, silenceMs: 2000, waitMs: 6000 };
/** Below the time-outs of our settings (60 s, 10 s for what only records); a person waits for all of it. */
const LIMIT_MS: Readonly<Partial<Record<HookEvent["kind"], number>>> = {
  session_start: 20_000,
  stop: 45_000,
  pre_compact: 45_000,
};
const RECORD_LIMIT_MS = 8000;
/** Of the time after which the agent kills its session-end hook. */
const SHARE = 0.8;

/** A fault that we can name: it is told, and nothing else happens. */
class HookFault extends Error {}

/** How long this event may take, from the start of the process. */
function limitOf({ kind }: HookEvent, { sessionEndSeconds }: HookSpeech): number {
  return kind === "session_end" ? sessionEndSeconds * 1000 * SHARE : (LIMIT_MS[kind] ?? RECORD_LIMIT_MS);
}

async function parsePayload(io: HookIo): Promise<unknown> {
  const read = await readPayload(io.stdin, PAYLOAD);
  if (read.status === "too_large")
    throw new HookFault(`the payload is larger than ${PAYLOAD.maxBytes} bytes`);
  const late = read.status === "timeout" ? "; standard input was not closed" : "";
  try {
    const value: unknown = JSON.parse(read.text.replace(/^\ufeff/u, ""));
    return value;
  } catch {
    throw new HookFault(
      read.text.trim() === "" ? `there is no payload${late}` : `the payload is not JSON${late}`,
    );
  }
}

function chooseSpeech(agent: string, payload: unknown): HookSpeech {
  const speech = agent === ANY_AGENT ? claimPayload(payload) : hookSpeechOf(agent);
  if (speech !== null) return speech;
  throw new HookFault(agent === ANY_AGENT ? "no agent knows this payload" : "there is no such agent");
}

/** Runs `step`, but not for longer than until `limitMs` after the start of the process. */
async function within(limitMs: number, io: HookIo, tell: (what: string) => void, step: () => Promise<void>) {
  const timer = setTimeout(
    () => {
      tell(`gave up after ${limitMs / 1000} s`);
      io.exit();
    },
    Math.max(1, limitMs - io.elapsed()),
  );
  try {
    await step();
  } finally {
    clearTimeout(timer);
  }
}

/** Events that end what was under way: their own work is part of it. The others are told before anything is done. */
const ENDS: ReadonlySet<HookEvent["kind"]> = new Set(["session_start", "stop", "session_end"]);
/** Events of a helper that are the session's business. */
const OF_HELPERS: ReadonlySet<HookEvent["kind"]> = new Set(["command", "edit", "blocked", "helper"]);
/** Events that say how the session stands, and nothing else. */
const STANDING: ReadonlySet<HookEvent["kind"]> = new Set(["blocked", "busy", "helper"]);

async function handle(recorder: Recorder): Promise<void> {
  const { kind } = recorder.event;
  if (!ENDS.has(kind)) await notePane(recorder);
  if (STANDING.has(kind)) return;
  try {
    await handleEvent(recorder);
  } finally {
    if (ENDS.has(kind)) await notePane(recorder);
  }
}

async function handleEvent(recorder: Recorder): Promise<void> {
  const { event } = recorder;
  if (isRecordOnly(event.kind)) {
    await recordEvent(recorder);
    if (event.kind === "prompt" && !recorder.isNested && takeBriefDue(recorder.folder)) {
      const { giveDueBrief } = await import("./start-session.js");
      await giveDueBrief(recorder);
    }
    return;
  }
  // What publishes and briefs is loaded where it is needed: it is most of the program.
  if (event.kind === "session_start") {
    const { startSession } = await import("./start-session.js");
    await startSession(recorder, event.source);
    return;
  }
  // What a session's end has to say is often said already. Of all the others git is asked while code is loaded (A10).
  const mayPublish = event.kind !== "session_end" && !recorder.isNested;
  const git = mayPublish ? (await import("./begin-git.js")).beginGit(recorder) : null;
  const { finishTurn } = await import("./finish-turn.js");
  await finishTurn(recorder, git);
}

/**
 * Runs one hook. Never throws and never rejects.
 * @param args the agent's name (or `auto`: told by the payload) and the event's, in any spelling; without an event the
 *   payload's own counts
 */
export async function runHook(args: readonly string[], io: HookIo): Promise<void> {
  const [agent = "", eventName = ""] = args;
  const told = [agent, eventName];
  let root: string | null = null;
  let place = io.cwd;
  const tell = (what: string): void => {
    if (root !== null) logFault(root, { at: io.now(), hook: told, what }, io.env);
  };
  try {
    const payload = await parsePayload(io);
    const speech = chooseSpeech(agent, payload);
    const event = speech.parseHook(eventName, payload);
    if (event === null) throw new HookFault("neither the event nor the payload is known");
    told.push(event.session_id.slice(0, 128));
    if (event.kind === "ignored") return;
    // A subagent's own turns are none of the session's.
    if (event.subagent !== null && !OF_HELPERS.has(event.kind)) return;
    place = speech.sessionFolder(event, io);
    root = await findSessionRoot(place);
    if (root === null) return;
    if (!isValidId(event.session_id)) throw new HookFault("the session's id cannot name a folder");
    const config = await readHookConfig(root, io.env);
    if (config.problem !== null) tell(config.problem);
    const folder = sessionFolderOf(root, event.session_id);
    const isNested = (io.env[RUN_VARIABLE] ?? "") !== "";
    const recorder: Recorder = { io, speech, event, root, folder, config, isNested, tell };
    await within(limitOf(event, speech), io, tell, () => handle(recorder));
  } catch (error) {
    root ??= await findSessionRoot(place)
      .catch(() => findSessionRoot(io.cwd))
      .catch(() => null);
    tell(faultText(error));
  }
}
