// What an event says of the pane that the session is in (L7): a turn goes on, waits for an answer, is over. Only for the one
// agent of a pane; never for its helpers, an agent that it started, or one whose process serves many sessions. Never throws.
import type { HookEvent } from "../agents/agent.js";
import { readAncestry } from "../io/process-ancestry.js";
import { identityOf, readOwnIdentity } from "../io/process-identity.js";
import { isSameProcess, type SessionProcess } from "../session/session-process.js";
import { sha256Hex } from "../text/digest.js";
import { agentsIn } from "./agent-process.js";
import { changePaneFile, type PaneFile, type PaneHelper, type PaneState } from "./pane-file.js";
import { type NamedPane, namedPane, startOf } from "./pane-key.js";
import { faultText } from "./recorder-log.js";
import type { Recorder } from "./recorder.js";

/** More helpers than this at once are not told apart. */
const MOST_HELPERS = 200;

/** A prompt as it is compared: terminals wrap lines, and some agents trim them. */
export function promptDigest(prompt: string): string {
  return sha256Hex(prompt.replaceAll(/\s+/gu, ""));
}

/**
 * The process of the pane's one agent; null: this is a hook of somebody else's. What an agent left behind keeps the pane's
 * variables, but stands below its server no more.
 */
async function ownProcess({ io, speech }: Recorder, server: number): Promise<SessionProcess | null> {
  const above = await readAncestry(io.parent);
  if (!above.some(({ pid }) => pid === server)) return null;
  const agents = agentsIn(above);
  const [agent] = agents;
  if (agent === undefined || agents.length > 1 || agent.agent !== speech.name || agent.serves_many)
    return null;
  return { ...identityOf(agent.pid, await readOwnIdentity()), serves_many: false };
}

const STATES: Readonly<Partial<Record<HookEvent["kind"], PaneState>>> = {
  prompt: "BUSY",
  busy: "BUSY",
  command_end: "BUSY",
  command: "BUSY",
  edit: "BUSY",
  blocked: "BLOCKED",
  stop: "IDLE",
  session_end: "DONE",
};

/** The state after an event. What a helper ran or wrote says nothing of the session's own turn. */
function stateAfter({ kind, subagent }: HookEvent, before: PaneState): PaneState {
  const isHelpers = subagent !== null && kind !== "blocked";
  return isHelpers ? before : (STATES[kind] ?? before);
}

function helpersAfter(event: HookEvent, before: readonly PaneHelper[], at: string): readonly PaneHelper[] {
  const id = event.subagent?.id ?? null;
  if (id === null) return before;
  const others = before.filter((one) => one.id !== id);
  if (event.kind === "helper") return event.running ? [...others, { id, at }].slice(-MOST_HELPERS) : others;
  // One that ended is not begun again by what is told late.
  return others.length === before.length ? before : [...others, { id, at }];
}

/** The pane's file after an event; null: nothing changes. @param sequence of the next one */
function fileAfter(
  event: HookEvent,
  before: PaneFile | null,
  sequence: number,
  facts: Pick<PaneFile, "pane" | "server" | "agent" | "process" | "at">,
): PaneFile | null {
  const { kind, session_id } = event;
  const isSession = before?.session_id === session_id;
  // Late words of a session that is in the pane no more.
  if (before !== null && !isSession && kind !== "session_start" && kind !== "prompt") return null;
  const same = { ...facts, schema_version: 1, session_id, event: kind, sequence } as const;
  if (kind === "session_start") {
    const goesOn = isSession && event.source === "compact";
    return {
      ...same,
      state: goesOn ? (before?.state ?? "IDLE") : "IDLE",
      began: goesOn
        ? (before?.began ?? null)
        : {
            session_id,
            source: event.source,
            previous: isSession ? (before?.began?.previous ?? null) : (before?.session_id ?? null),
            sequence,
          },
      prompt: before?.prompt ?? null,
      helpers: goesOn ? (before?.helpers ?? []) : [],
    };
  }
  return {
    ...same,
    state: stateAfter(event, before?.state ?? "BUSY"),
    began: before?.began ?? null,
    prompt:
      kind === "prompt"
        ? { session_id, sha256: promptDigest(event.prompt), sequence }
        : (before?.prompt ?? null),
    helpers: helpersAfter(event, before?.helpers ?? [], facts.at),
  };
}

async function note(recorder: Recorder, named: NamedPane): Promise<void> {
  const { root, event, speech, io } = recorder;
  const { key, pane, socket, server_pid } = named;
  const process = await ownProcess(recorder, server_pid);
  if (process === null) return;
  changePaneFile(root, key, (found) => {
    // What another process left there says nothing of this one.
    const before =
      found !== null && found.process !== null && isSameProcess(found.process, process) ? found : null;
    // Whoever told the last one: a roll counts from what it saw.
    return fileAfter(event, before, (found?.sequence ?? 0) + 1, {
      pane,
      server: { socket, pid: server_pid, started: startOf(server_pid) },
      agent: speech.name,
      process,
      at: io.now().toISOString(),
    });
  });
}

/** Notes it, in a pane. Never rejects. */
export async function notePane(recorder: Recorder): Promise<void> {
  const { io, isNested, tell } = recorder;
  const named = isNested ? null : namedPane(io.env);
  if (named === null) return;
  try {
    await note(recorder, named);
  } catch (error) {
    tell(`the pane's state is not noted: ${faultText(error)}`);
  }
}
