// handoff check: is a packet still what was generated (P39)?
import { EXIT, type ExitCode } from "../../model/errors.js";
import { checkPacket } from "../../store/check-packet.js";
import { flagOption, type Arguments } from "../arguments.js";
import { locatePacket } from "../locate-packet.js";
import { openWorkbench } from "../open-workbench.js";
import { diagnosticRows, printDiagnostics, shownPath } from "../report.js";
import type { Terminal } from "../terminal.js";

/** Runs it. Exit 0 when all is well, 1 when something is not or there is no packet. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const workbench = await openWorkbench(args, terminal);
  const found = await locatePacket(workbench, args, terminal);
  const findings = await checkPacket(found, workbench.templates);
  terminal.diagnostics.push(...findings);
  const ok = findings.length === 0;
  printDiagnostics(terminal, findings, true);
  if (flagOption(args, "json")) {
    const packet = found.file.status === "packet" ? found.file.packet : null;
    const result = { ok, packet, path: found.json_path, diagnostics: diagnosticRows(findings) };
    terminal.content(`${JSON.stringify(result, null, 2)}\n`);
  } else if (ok) terminal.out(`${terminal.colors.green("ok")} ${shownPath(found.json_path, terminal.cwd)}\n`);
  return ok ? EXIT.ok : EXIT.refused;
}
