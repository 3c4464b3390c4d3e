// handoff generate: options in, one call, say where the packet is (P40).
import path from "node:path";
import type { GeneratedHandoff } from "../../generate/generate-handoff.js";
import { unresolvedFailures } from "../../model/count-unresolved.js";
import { EXIT, UsageError, type ExitCode } from "../../model/errors.js";
import type { HandoffPacket } from "../../model/packet.js";
import type { WorkbenchSnapshot } from "../../model/snapshot.js";
import { previewSession, publishSession, type PublishOptions } from "../../session/publish-session.js";
import {
  choiceOption,
  flagOption,
  idOption,
  integerOption,
  textOption,
  type Arguments,
} from "../arguments.js";
import { ciSessionId } from "../../workbench/choose-ids.js";
import type { TranscriptRow } from "../from-transcript.js";
import { gateRequest, gateRow, judgeWritten, runGate, tellGate, type Gate } from "../ci/run-gate.js";
import { openWorkbench } from "../open-workbench.js";
import { progressBar } from "../progress.js";
import { printJson, shown, shownPath, tellDiagnostics } from "../report.js";
import { type SearchedSession, searchSession } from "../search-session.js";
import { tellWait } from "../tell-wait.js";
import type { Terminal } from "../terminal.js";

/** Bounds of `--last` and `--max-bytes`, the same as in handoff.config.json. */
const MAX_LAST = 30;
const MAX_BYTES = { from: 4096, to: 16_777_216 };

function printSummary(terminal: Terminal, packet: HandoffPacket, file: string): void {
  const { bold, cyan, dim, green, red, yellow } = terminal.colors;
  const blocking = packet.open_risks.filter(({ severity }) => severity === "block").length;
  const failures = unresolvedFailures(packet);
  const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;
  const risks = packet.open_risks.length;
  const parts = [
    shown(packet.branch ?? "no branch"),
    shown(packet.task_id ?? "no task"),
    risks === 0
      ? green("no risks")
      : `${plural(risks, "risk")}${blocking > 0 ? red(` (${blocking} blocking)`) : ""}`,
    failures === 0 ? green("no unresolved failures") : yellow(plural(failures, "unresolved failure")),
  ];
  terminal.out(
    `${bold(cyan(file))}\n${parts.join(dim(" · "))}\n${dim("next:")} ${shown(packet.next_action)}\n`,
  );
  if (packet.degraded !== null)
    terminal.out(
      `${yellow("degraded:")} ${shown(packet.degraded.reason)}: ${shown(packet.degraded.detail)}\n`,
    );
}

/** Which session it became, where nobody named one. */
function sessionLine({ colors }: Terminal, id: string, why: string): string {
  return `${colors.dim("session:")} ${shown(id)} (${shown(why)})\n`;
}

interface Result {
  readonly packet: HandoffPacket;
  readonly dir: string;
  readonly changed: boolean;
  readonly snapshot: Pick<WorkbenchSnapshot, "session">;
}

function printResult(
  args: Arguments,
  terminal: Terminal,
  { packet, dir, changed, snapshot }: Result,
  reasonFor: SearchedSession["reasonFor"],
  gate: Gate | null = null,
  transcript: TranscriptRow | null = null,
): void {
  const { id, from } = snapshot.session;
  const why = reasonFor(snapshot.session);
  if (!flagOption(args, "json")) {
    printSummary(terminal, packet, shownPath(path.join(dir, "handoff.md"), terminal.cwd));
    if (why !== null) terminal.out(sessionLine(terminal, id, why));
    return;
  }
  const file = path.join(dir, "handoff.json");
  const check = gate === null ? null : gateRow(terminal, gate.check);
  const ok = gate?.check.passed !== false;
  const dry_run = flagOption(args, "dry-run");
  const session = why === null ? {} : { session: { id, from, why } };
  printJson(terminal, { ok, packet, path: file }, { changed, dry_run, check, transcript, ...session });
}

function printSizes(terminal: Terminal, { markdown, json }: GeneratedHandoff): void {
  const sizes = `handoff.md ${Buffer.byteLength(markdown)} bytes, handoff.json ${Buffer.byteLength(json)} bytes`;
  terminal.out(`${terminal.colors.dim(`dry run: nothing was written (${sizes})`)}\n`);
}

/** Runs it. Exit 0 written (or nothing to change), 1 nothing can be said of the next action or a gate says no, 2 see README. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const stdout = choiceOption(args, "stdout", ["md", "json"]);
  const json = flagOption(args, "json");
  const dryRun = flagOption(args, "dry-run");
  if (stdout !== null && json)
    throw new UsageError("usage.arguments", "--stdout and --json both want stdout", "use one of them");
  const request = gateRequest(args);
  const last = integerOption(args, "last", 0, MAX_LAST);
  const maxBytes = integerOption(args, "max-bytes", MAX_BYTES.from, MAX_BYTES.to);
  const workbench = await openWorkbench(args, terminal);
  const told =
    textOption(args, "from-transcript") === null
      ? null
      : await (await import("../from-transcript.js")).applyTranscript(args, terminal, workbench);
  if (told !== null && dryRun) {
    // Without the records that were not written, a preview would be of another packet.
    if (json)
      printJson(terminal, { ok: true }, { changed: false, dry_run: true, check: null, transcript: told.row });
    return EXIT.ok;
  }
  const search = searchSession(workbench);
  tellDiagnostics(terminal, search.diagnostics, false);
  const bar = progressBar(terminal);
  const options: PublishOptions = {
    search,
    sessionId: told?.session_id ?? idOption(args, "session"),
    taskId: idOption(args, "task"),
    topic: idOption(args, "topic"),
    base: textOption(args, "base"),
    last,
    maxBytes,
    allowDegraded: flagOption(args, "allow-degraded"),
    ...(ciSessionId(terminal.env) === null ? {} : { reason: "ci" }),
    rescan: flagOption(args, "rescan") || told?.rescan === true,
    onProgress: bar.update,
    onWait: tellWait(terminal),
    onDiagnostics: (found) => {
      bar.done();
      tellDiagnostics(terminal, found, flagOption(args, "verbose"));
    },
  };
  if (request.judge === "published")
    return runGate(workbench, options, request, terminal, json).finally(bar.done);
  if (stdout !== null || dryRun) {
    const preview = await previewSession(workbench, options).finally(bar.done);
    const gate = request.judge === null ? null : judgeWritten(preview.packet, null, request.failOn);
    if (stdout === null) printResult(args, terminal, { ...preview, changed: false }, search.reasonFor, gate);
    else {
      const why = search.reasonFor(preview.snapshot.session);
      if (why !== null) terminal.err(sessionLine(terminal, preview.snapshot.session.id, why));
      terminal.content(stdout === "md" ? preview.markdown : preview.json);
    }
    if (stdout === null && !json) printSizes(terminal, preview);
    return gate === null ? EXIT.ok : tellGate(workbench, gate, terminal, json || stdout !== null);
  }
  const published = await publishSession(workbench, options).finally(bar.done);
  const { packet, dir } = published;
  const gate = request.judge === null ? null : judgeWritten(packet, dir, request.failOn);
  printResult(args, terminal, published, search.reasonFor, gate, told?.row ?? null);
  if (!published.changed && !json)
    terminal.out(`${terminal.colors.dim("unchanged: the packet was already there")}\n`);
  return tellGate(workbench, gate ?? { check: null, packet, dir }, terminal, json);
}
