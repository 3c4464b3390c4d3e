// A session begins (A8, A9, A14): what it starts from is noted, what killed sessions left behind is published, and the packet
// of another session is handed to it as a brief, with a note in the store of who took it.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { hasCode } from "../io/has-code.js";
import { RefusalError } from "../model/errors.js";
import type { HandoffPacket } from "../model/packet.js";
import { isValidId } from "../model/valid-id.js";
import { locatePacket, type PacketName } from "../session/locate-packet.js";
import { openWorkbench, type Workbench } from "../session/open-workbench.js";
import { prepareBrief } from "../session/prepare-brief.js";
import { findAgentProcess } from "./agent-process.js";
import { dropBriefDue, leaveBriefDue } from "./due-brief.js";
import { earlierGoals } from "./earlier-goals.js";
import { readHandover, readPaneFile } from "./pane-file.js";
import { namedPane } from "./pane-key.js";
import { faultText } from "./recorder-log.js";
import { reconcileOrphans } from "./reconcile-orphans.js";
import type { Recorder } from "./recorder.js";
import { readSessionFile, updateSession, type SessionFile } from "./session-file.js";
import { sessionFolderOf } from "./session-folder.js";
import { transcriptBytes } from "./sweep-transcript.js";
import { takeOverNotice } from "./take-over-notice.js";
import { readTreeMark } from "./tree-mark.js";

/** The context goes on, and with it what the session knows: only news from elsewhere is worth a brief. */
const GOES_ON: ReadonlySet<string> = new Set(["compact", "fork"]);
/** For another writer in the store: the brief must be there before the agent's patience, and so ours, is over. */
const WAIT_MS = 4000;

/** Notes what the session starts from. Of one that goes on, the beginning stays. */
async function noteStart(
  { folder, root, event, speech, config, io }: Recorder,
  source: string,
): Promise<SessionFile> {
  const before = readSessionFile(folder);
  const [mark, agentProcess] = await Promise.all([
    readTreeMark(root, config.out, io.env),
    findAgentProcess(speech.program, io.parent, io.env),
  ]);
  const { transcript_path } = event;
  const isNew = before === null || before.started_at === null;
  return updateSession(folder, {
    agent: speech.name,
    model: event.model ?? before?.model ?? null,
    branch: mark.branch,
    source,
    ended_at: null,
    end_reason: null,
    process: agentProcess,
    transcript_path,
    // What a transcript holds already is another session's, or was told by hooks.
    transcript_bytes:
      before !== null && before.transcript_path === transcript_path
        ? before.transcript_bytes
        : transcriptBytes(transcript_path),
    ...(isNew ? { started_at: io.now().toISOString(), base_commit: mark.head, tree: mark.tree } : {}),
  });
}

/** True when there is a packet for this session; where there is one on another branch only, the log says so. */
async function hasPacketToTake(
  workbench: Workbench,
  { event, tell }: Recorder,
  session: SessionFile,
  { source, name }: { readonly source: string; readonly name: PacketName },
): Promise<boolean> {
  try {
    const { entry } = await locatePacket(workbench, name);
    const { session_id } = event;
    if (entry.session_id === session_id || entry.consumed_by.some(({ by }) => by === session_id))
      return false;
    return !GOES_ON.has(source) || (entry.generated_at ?? "") > (session.started_at ?? "");
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    if (error.hint.startsWith("there are packets")) tell(`${error.message}: ${error.hint}`);
    return false;
  }
}

/** True for the first who asks: a project's hooks and a plugin's may both be called for one start. */
function claimBrief({ folder, tell }: Recorder, packetId: string): boolean {
  try {
    writeFileSync(path.join(folder, `brief.${packetId}`), "", { flag: "wx" });
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    tell(faultText(error));
    return true;
  }
}

/** In a pane that is being rolled over, the session that begins gets the packet that was left for it (L5). */
function leftPacket({ root, io, event }: Recorder, source: string): PacketName {
  const pane = source === "clear" ? namedPane(io.env) : null;
  const left = pane === null ? null : readHandover(root, pane.key);
  if (pane === null || left === null || left.from_session === event.session_id) return {};
  // It is for whoever comes right after the session that wrote it, by whichever of its hooks asks first.
  const told = readPaneFile(root, pane.key);
  const isNext =
    told?.session_id === left.from_session ||
    (told?.began?.session_id === event.session_id && told.began.previous === left.from_session);
  return isNext ? { ref: left.packet_id } : {};
}

/**
 * Whoever takes a pane's packet goes on with its session's work: that session's packet of the branch says so, too, and a session
 * that begins elsewhere is told that it is taken.
 */
async function takeSessionsOwn(
  workbench: Workbench,
  { io, event, tell }: Recorder,
  { packet_id, session_id }: Pick<HandoffPacket, "packet_id" | "session_id">,
): Promise<void> {
  try {
    const { entry } = await locatePacket(workbench);
    if (entry.session_id !== session_id || entry.packet_id === packet_id) return;
    const taken = {
      ref: entry.packet_id,
      consumeBy: event.session_id,
      at: io.now().toISOString(),
      waitMs: WAIT_MS,
    };
    const { unrecorded } = await prepareBrief(workbench, taken);
    if (unrecorded !== null) throw unrecorded;
  } catch (error) {
    if (!(error instanceof RefusalError)) tell(`nobody will know who went on: ${faultText(error)}`);
  }
}

async function printBrief(workbench: Workbench, recorder: Recorder, name: PacketName): Promise<void> {
  const { root, event, speech, io, tell } = recorder;
  const { session_id } = event;
  const prepared = await prepareBrief(workbench, {
    ...name,
    consumeBy: session_id,
    refuseOwn: true,
    at: io.now().toISOString(),
    waitMs: WAIT_MS,
  });
  if (!claimBrief(recorder, prepared.packet.packet_id)) return;
  if (prepared.unrecorded !== null)
    tell(`nobody will know who took the packet: ${faultText(prepared.unrecorded)}`);
  const { brief, packet, living } = prepared;
  const from = isValidId(packet.session_id)
    ? readSessionFile(sessionFolderOf(root, packet.session_id))
    : null;
  await io.print(speech.briefOutput(brief, takeOverNotice(packet, from?.agent ?? "", living)));
  if (name.ref !== undefined) await takeSessionsOwn(workbench, recorder, packet);
  if (from !== null) await updateSession(recorder.folder, { earlier_goals: earlierGoals(from) });
}

/** Runs it. Throws what the session's calls throw. */
export async function startSession(recorder: Recorder, source: string): Promise<void> {
  const { root, folder, io, isNested, speech } = recorder;
  const session = await noteStart(recorder, source);
  if (isNested) return;
  const workbench = await openWorkbench({ cwd: root, root, env: io.env });
  await reconcileOrphans(workbench, recorder);
  const name = leftPacket(recorder, source);
  const hasPacket = await hasPacketToTake(workbench, recorder, session, { source, name });
  if (speech.briefWith !== "prompt") {
    if (hasPacket) await printBrief(workbench, recorder, name);
  } else if (hasPacket) leaveBriefDue(folder);
  else dropBriefDue(folder);
}

/** The brief that the start left for this prompt, unless the packet is gone or taken meanwhile. Throws as {@link startSession}. */
export async function giveDueBrief(recorder: Recorder): Promise<void> {
  const { root, folder, io } = recorder;
  const session = readSessionFile(folder);
  const workbench = await openWorkbench({ cwd: root, root, env: io.env });
  const source = session?.source ?? "startup";
  const name = leftPacket(recorder, source);
  if (session !== null && (await hasPacketToTake(workbench, recorder, session, { source, name })))
    await printBrief(workbench, recorder, name);
}
