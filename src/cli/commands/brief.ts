// handoff brief: the text for the next agent, made from handoff.json as it lies on disk, after a look at what changed since.
import { EXIT, RefusalError, UsageError, type ExitCode } from "../../model/errors.js";
import type { HandoffPacket } from "../../model/packet.js";
import type { Consumption } from "../../model/store-index.js";
import { renderBrief } from "../../render/render-brief.js";
import { driftLines } from "../../packet/drift-lines.js";
import type { FoundPacket } from "../../store/locate-packet.js";
import { recordConsumption } from "../../store/record-consumption.js";
import { describeDiagnostic } from "../../text/diagnostic-text.js";
import { ciSessionId, localSession } from "../../workbench/choose-ids.js";
import { readBranch } from "../../workbench/read-branch.js";
import { checkedId, flagOption, integerOption, type Arguments } from "../arguments.js";
import { locatePacket, packetOf } from "../locate-packet.js";
import { briefPath, isSecret, openWorkbench, type OpenWorkbench } from "../open-workbench.js";
import { branchesHint, readDrift } from "../read-drift.js";
import { printDiagnostics, printJson, printNote, shown } from "../report.js";
import type { Terminal } from "../terminal.js";
import { tellWait } from "../tell-wait.js";

/** No brief is ever that long. */
const MAX_BYTES = 16_777_216;
/** A session may replace its packet between the look and the taking. */
const TRIES = 3;

/** What the rows under a finding are. */
const SHORT: Readonly<Record<string, string>> = { "drift.commits": "commit", "drift.tree": "path" };

/** Who takes it: as told, else the CI job, else the agent it is for, else the local session of this branch. */
async function takerOf({ root }: OpenWorkbench, args: Arguments, terminal: Terminal): Promise<string> {
  const told =
    checkedId(args, "by", "session") ?? ciSessionId(terminal.env) ?? checkedId(args, "for", "session");
  if (told !== null && !isSecret(told, terminal)) return told;
  const local = localSession(await readBranch(root, { ...terminal.env })).id;
  return isSecret(local, terminal) ? localSession(null).id : local;
}

function takenLine({ by, at }: Consumption): string {
  return `taken over before by ${by}, ${at.slice(0, 16).replace("T", " ")} UTC`;
}

/** What is said of earlier takers, to the taker in the brief and to a person on stderr. */
function tellTakers(
  terminal: Terminal,
  packet: HandoffPacket,
  by: string,
  takers: readonly Consumption[],
): string[] {
  const lines = takers
    .filter((taker) => taker.by !== by)
    .map(takenLine)
    .toReversed();
  for (const line of lines)
    printNote(terminal, "packet.taken", line, "two sessions on one packet will collide");
  if (by !== packet.session_id) return lines;
  const own = `this is the packet of ${by} itself`;
  printNote(
    terminal,
    "packet.own",
    own,
    "a session needs no brief of its own work; handoff list shows the others",
  );
  return [own, ...lines];
}

async function prepare(workbench: OpenWorkbench, args: Arguments, terminal: Terminal) {
  const found = await locatePacket(workbench, args, terminal);
  // What a person wrote into handoff.json by hand has not passed the gate yet (S13).
  const packet = terminal.redactor.redactStrings(packetOf(found)).value;
  const drift = await readDrift(workbench, found, packet, terminal);
  const [worst] = drift.findings;
  if (drift.verdict === "refused" && worst !== undefined) {
    terminal.diagnostics.push(...drift.findings);
    throw new RefusalError(worst.code, describeDiagnostic(worst), branchesHint(found.index));
  }
  // In full, with commit subjects and file names: these rows stand inside the data (S7, S17).
  const changes = drift.findings.flatMap((one) => [
    describeDiagnostic(one),
    ...one.items.map((item) => `${SHORT[one.code] ?? one.code}: ${item}`),
  ]);
  const told = changes.map((text) => terminal.redactor.redactText(shown(text)).text);
  return { found, packet, drift, lines: driftLines(drift), changes: told };
}

/** Records the taking; null when the packet was replaced since it was looked at. */
async function take(
  { root, outDir, templates }: OpenWorkbench,
  { entry }: FoundPacket,
  by: string,
  terminal: Terminal,
): Promise<readonly Consumption[] | null> {
  try {
    const { earlier, diagnostics } = await recordConsumption({
      root,
      outDir,
      templates,
      packetId: entry.packet_id,
      by,
      at: new Date().toISOString(),
      lock: { onWait: tellWait(terminal) },
    });
    terminal.diagnostics.push(...diagnostics);
    printDiagnostics(terminal, diagnostics, false);
    return earlier;
  } catch (error) {
    if (error instanceof RefusalError && error.code === "packet.missing") return null;
    throw error;
  }
}

/** Runs it. Exit 1 when there is no such packet or it must not be used, 2 when it is not valid or does not fit. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const maxBytes = integerOption(args, "max-bytes", 1, MAX_BYTES);
  const workbench = await openWorkbench(args, terminal);
  const by = await takerOf(workbench, args, terminal);
  for (let look = 1; ; look += 1) {
    const { found, packet, drift, lines, changes } = await prepare(workbench, args, terminal);
    const way = briefPath(workbench.root, found.json_path, terminal);
    const render = (since: readonly string[]): string =>
      renderBrief(packet, {
        path: way,
        ...(maxBytes === null ? {} : { maxBytes }),
        drift: since,
        changes,
        overrides: workbench.templates,
      });
    // A brief that does not fit takes nothing.
    render(lines);
    const takers = flagOption(args, "consume")
      ? await take(workbench, found, by, terminal).catch((error: unknown) => {
          // A store that cannot be written must not leave the next session without its brief.
          if (error instanceof UsageError && !flagOption(args, "json")) terminal.content(render(lines));
          throw error;
        })
      : found.entry.consumed_by;
    if (takers === null && look < TRIES) continue;
    if (takers === null)
      throw new RefusalError("packet.missing", "the packet is being replaced all the time", "try again");
    const brief = render([...tellTakers(terminal, packet, by, takers), ...lines]);
    terminal.diagnostics.push(...drift.findings);
    if (flagOption(args, "json"))
      printJson(
        terminal,
        { ok: true, packet, path: found.json_path },
        { verdict: drift.verdict, consumed_by: takers, brief },
      );
    else terminal.content(brief);
    return EXIT.ok;
  }
}
