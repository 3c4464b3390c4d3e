// handoff brief: the text for the next agent, after a look at what changed since; notes on request who takes the packet.
import { EXIT, type ExitCode } from "../../model/errors.js";
import { isValidId } from "../../model/valid-id.js";
import { findSessionAtWork } from "../../recorder/recorded-session.js";
import { locatePacket, type PacketName } from "../../session/locate-packet.js";
import { isSecret, type Workbench } from "../../session/open-workbench.js";
import { prepareBrief } from "../../session/prepare-brief.js";
import { DriftRefusal } from "../../session/read-drift.js";
import { ciSessionId, localSession } from "../../workbench/choose-ids.js";
import { checkedId, flagOption, idOption, integerOption, textOption, type Arguments } from "../arguments.js";
import { openWorkbench } from "../open-workbench.js";
import { progressBar } from "../progress.js";
import { printJson, printNote, tellDiagnostics } from "../report.js";
import { searchSession } from "../search-session.js";
import type { Terminal } from "../terminal.js";
import { tellWait } from "../tell-wait.js";

/** No brief is ever that long. */
const MAX_BYTES = 16_777_216;

/**
 * The session at work here; null where there is none. Where the packet is its own, it is somebody beside it who takes it: a
 * session needs no brief of its own work.
 */
async function takerAtWork(workbench: Workbench, packet: PacketName): Promise<string | null> {
  const { root } = workbench;
  const isAllowed = (id: string): boolean => isValidId(id) && !isSecret(id, workbench);
  const atWork = await findSessionAtWork({ root, isAllowed, now: new Date() });
  if (atWork === null) return null;
  // Where there is no packet, that is told when it is looked for.
  const found = await locatePacket(workbench, packet).catch(() => null);
  return found?.entry.session_id === atWork.id ? null : atWork.id;
}

/**
 * Who takes it, or merely looks at it: as told, else the session that the environment names, else the CI job, else the agent
 * it is for, else, to take it, the session at work here, else the local one of this branch.
 */
async function takerOf(workbench: Workbench, args: Arguments, packet: PacketName): Promise<string> {
  const told =
    checkedId(args, "by", "session") ??
    searchSession(workbench).environment ??
    ciSessionId(workbench.env) ??
    checkedId(args, "for", "session") ??
    (flagOption(args, "consume") ? await takerAtWork(workbench, packet) : null);
  if (told !== null && !isSecret(told, workbench)) return told;
  const local = localSession(await workbench.branch()).id;
  return isSecret(local, workbench) ? localSession(null).id : local;
}

/** Runs it. Exit 1 when there is no such packet or it must not be used, 2 when it is not valid or does not fit. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const maxBytes = integerOption(args, "max-bytes", 1, MAX_BYTES);
  const workbench = await openWorkbench(args, terminal);
  const packetName = { ref: textOption(args, "ref"), topic: idOption(args, "topic") };
  const reader = await takerOf(workbench, args, packetName);
  const json = flagOption(args, "json");
  const bar = progressBar(terminal);
  const prepared = await prepareBrief(workbench, {
    ...packetName,
    maxBytes,
    reader,
    consumeBy: flagOption(args, "consume") ? reader : null,
    at: new Date().toISOString(),
    onProgress: bar.update,
    onWait: tellWait(terminal),
    onDiagnostics: (found) => {
      bar.done();
      tellDiagnostics(terminal, found, false);
    },
  })
    .finally(bar.done)
    .catch((error: unknown) => {
      if (error instanceof DriftRefusal) terminal.diagnostics.push(...error.findings);
      throw error;
    });
  const { brief, packet, path, drift, takers, notes, unrecorded } = prepared;
  if (unrecorded !== null) {
    if (!json) terminal.content(brief);
    throw unrecorded;
  }
  for (const { code, what, hint } of notes) printNote(terminal, code, what, hint);
  terminal.diagnostics.push(...drift.findings);
  if (json)
    printJson(terminal, { ok: true, packet, path }, { verdict: drift.verdict, consumed_by: takers, brief });
  else terminal.content(brief);
  return EXIT.ok;
}
