// handoff check: is a packet still what was generated (P39), and still about the workbench as it is (S7)?
import { EXIT, type ExitCode } from "../../model/errors.js";
import { packetOf } from "../../session/locate-packet.js";
import { checkPacket } from "../../store/check-packet.js";
import { flagOption, type Arguments } from "../arguments.js";
import { locatePacket } from "../locate-packet.js";
import { openWorkbench } from "../open-workbench.js";
import { printFindings, type Finding } from "../print-findings.js";
import { readDrift } from "../read-drift.js";
import { diagnosticRows, printJson, shown, shownPath } from "../report.js";
import type { Terminal } from "../terminal.js";

/** Runs it. Exit 0 when the packet is fresh, 1 when it drifted, must not be used or is not there. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const workbench = await openWorkbench(args, terminal);
  const found = await locatePacket(workbench, args, terminal);
  const packet = found.file.status === "packet" ? packetOf(found) : null;
  const { verdict, findings } =
    packet === null
      ? { verdict: "refused" as const, findings: await checkPacket(found, workbench.templates) }
      : await readDrift(workbench, found, packet, terminal);
  terminal.diagnostics.push(...findings);
  const ok = verdict === "fresh";
  printFindings(terminal, findings);
  if (flagOption(args, "json")) {
    const learned: readonly Finding[] = terminal.diagnostics;
    const diagnostics = diagnosticRows(terminal, learned).map((row, i) => ({
      ...row,
      items: (learned[i]?.items ?? []).map(shown),
    }));
    printJson(terminal, { ok, packet, path: found.json_path, diagnostics }, { verdict });
    return ok ? EXIT.ok : EXIT.refused;
  }
  const { green, red, yellow } = terminal.colors;
  const word = { fresh: green("fresh"), drifted: yellow("drifted"), refused: red("refused") }[verdict];
  terminal.out(`${word} ${shownPath(found.json_path, terminal.cwd)}\n`);
  return ok ? EXIT.ok : EXIT.refused;
}
