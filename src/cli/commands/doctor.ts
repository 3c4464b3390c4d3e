// handoff doctor: what is found here, where, and what is missing. Writes nothing, unless it is asked to repair the store.
import { EXIT, type ExitCode } from "../../model/errors.js";
import { isSecret, type Workbench } from "../../session/open-workbench.js";
import { repairStore } from "../../store/repair-store.js";
import { storePath } from "../../store/store-folder.js";
import { loadSnapshot } from "../../workbench/load-snapshot.js";
import { flagOption, idOption, type Arguments } from "../arguments.js";
import { examineAgents } from "../doctor/examine-agents.js";
import { examineWorkbench } from "../doctor/examine-workbench.js";
import { printAgents, printExamination } from "../doctor/print-examination.js";
import { openWorkbench } from "../open-workbench.js";
import { progressBar } from "../progress.js";
import { printDiagnostics, printJson, shown, shownPath } from "../report.js";
import { searchSession } from "../search-session.js";
import { tellWait } from "../tell-wait.js";
import type { Terminal } from "../terminal.js";

/** Repairs the store and says what was done. */
async function repair(
  { root, outDir, templates }: Workbench,
  args: Arguments,
  terminal: Terminal,
): Promise<ExitCode> {
  const lock = { onWait: tellWait(terminal) };
  const { actions, diagnostics } = await repairStore({ root, outDir, templates, lock });
  terminal.diagnostics.push(...diagnostics);
  printDiagnostics(terminal, diagnostics, false);
  if (flagOption(args, "json")) {
    printJson(terminal, { ok: true }, { actions: actions.map(shown) });
    return EXIT.ok;
  }
  const where = shownPath(storePath(root, outDir), terminal.cwd);
  if (actions.length === 0) terminal.out(`${terminal.colors.green("nothing to repair")} in ${where}\n`);
  for (const action of actions) terminal.out(`${shown(action)}\n`);
  return EXIT.ok;
}

/** Runs it. Exit 0; 1 when an input is there but cannot be used, or hooks are installed and do not run. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const workbench = await openWorkbench(args, terminal);
  if (flagOption(args, "repair")) return repair(workbench, args, terminal);
  const search = searchSession(workbench);
  const bar = progressBar(terminal);
  const snapshot = await loadSnapshot(workbench.root, {
    sessionId: idOption(args, "session"),
    search,
    taskId: idOption(args, "task"),
    topic: idOption(args, "topic"),
    config: workbench.config,
    outDir: workbench.outDir,
    env: terminal.env,
    isSecret: (id) => isSecret(id, terminal),
    onProgress: bar.update,
  }).finally(bar.done);
  const diagnostics = [...search.diagnostics, ...snapshot.diagnostics];
  terminal.diagnostics.push(...diagnostics);
  const found = await examineWorkbench(workbench, snapshot, args, terminal.env);
  const agents = await examineAgents(workbench.root, terminal.env);
  const ok =
    !snapshot.diagnostics.some(({ severity }) => severity === "error") &&
    agents.every(({ findings }) => findings.every((finding) => finding.ok !== false));
  if (flagOption(args, "json")) {
    const { packet, ...own } = found;
    printJson(
      terminal,
      { ok, packet, path: packet === null ? null : own.packet_file.path },
      { ...own, agents },
    );
  } else {
    printExamination(terminal, found, search.reasonFor(snapshot.session));
    printAgents(terminal, agents);
  }
  // What is not there has a row of its own, with the places where it was looked for.
  const news = diagnostics.filter(({ code }) => code !== "artifact.missing");
  printDiagnostics(terminal, news, true, "handoff doctor --json lists them");
  return ok ? EXIT.ok : EXIT.refused;
}
