// handoff list: every packet there is, newest first, from the index alone (S10, S11).
import { EXIT, type ExitCode } from "../../model/errors.js";
import { gatedBranch } from "../../session/open-workbench.js";
import { readStore } from "../../store/read-store.js";
import { choiceOption, flagOption, idOption, textOption, type Arguments } from "../arguments.js";
import { layColumns } from "../lay-out.js";
import { openWorkbench } from "../open-workbench.js";
import { packetCells, packetRow, paintRow } from "../packet-rows.js";
import { printDiagnostics, printJson } from "../report.js";
import type { Terminal } from "../terminal.js";

/** Runs it. Exit 0, also when there is none. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const status = choiceOption(args, "status", ["active", "superseded", "archived"]);
  const topic = idOption(args, "topic");
  const { root, outDir } = await openWorkbench(args, terminal);
  const branch = gatedBranch(textOption(args, "branch"), terminal);
  const { out, index, diagnostics } = await readStore({ root, outDir });
  terminal.diagnostics.push(...diagnostics);
  printDiagnostics(terminal, diagnostics, false);
  const entries = index.packets
    .filter(
      (entry) =>
        (status === null || entry.status === status) &&
        (branch === null || entry.branch === branch) &&
        (topic === null || entry.topic === topic),
    )
    .toSorted((a, b) => b.sequence - a.sequence);
  if (flagOption(args, "json")) {
    // The rows are clean; the place of the store is what was asked for.
    const place = terminal.redactor.redactText(out ?? "").text;
    const packets = entries.map((entry) => packetRow(place, entry));
    printJson(terminal, { ok: true }, { packets });
    return EXIT.ok;
  }
  if (entries.length === 0) {
    terminal.err(
      `no packets${index.packets.length === 0 ? "; handoff generate writes one" : " like that"}\n`,
    );
    return EXIT.ok;
  }
  const now = Date.now();
  const head = ["PACKET", "AGE", "BRANCH", "TOPIC", "STATUS", "SESSION", "NEXT ACTION"];
  const [title = "", ...lines] = layColumns(
    [head, ...entries.map((entry) => packetCells(entry, now))],
    terminal.outColumns,
  );
  const painted = entries.map((entry, i) => paintRow(terminal, entry, lines[i] ?? ""));
  // One write: ten thousand rows pass the gate together (S11).
  terminal.out(`${[terminal.colors.dim(title), ...painted].join("\n")}\n`);
  return EXIT.ok;
}
