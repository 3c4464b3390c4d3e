// handoff log: how the packets of a branch and topic followed each other, newest first.
import { EXIT, RefusalError, type ExitCode } from "../../model/errors.js";
import type { IndexEntry } from "../../model/store-index.js";
import { gatedBranch } from "../../session/open-workbench.js";
import { branchesHint } from "../../session/read-drift.js";
import { readStore } from "../../store/read-store.js";
import { chainOf } from "../../store/packet-chain.js";
import { readBranch } from "../../workbench/read-branch.js";
import { flagOption, idOption, textOption, type Arguments } from "../arguments.js";
import { ageOf, hanging } from "../lay-out.js";
import { openWorkbench } from "../open-workbench.js";
import { packetRow } from "../packet-rows.js";
import { printDiagnostics, printJson, shown } from "../report.js";
import type { Terminal } from "../terminal.js";

function printEntry(terminal: Terminal, entry: IndexEntry, now: number): void {
  const { bold, dim, green, yellow } = terminal.colors;
  const paint = { active: green, superseded: dim, archived: dim }[entry.status];
  const when =
    entry.generated_at === null
      ? "no time"
      : `${entry.generated_at.slice(0, 16).replace("T", " ")} UTC, ${ageOf(entry.generated_at, now)}`;
  const task = entry.task_id === null ? "" : `, ${shown(entry.task_id)}`;
  terminal.out(`${bold(entry.packet_id)} ${paint(entry.status)}\n`);
  terminal.out(`  ${dim(`${shown(entry.session_id)}${task}, ${when}`)}\n`);
  terminal.out(`${hanging("  ", shown(entry.next_action), terminal.outColumns ?? 100)}\n`);
  for (const { by, at } of entry.consumed_by)
    terminal.out(`  ${yellow(`taken by ${shown(by)}, ${at.slice(0, 16).replace("T", " ")} UTC`)}\n`);
}

/** Runs it. Exit 1 when the branch and topic have no packet. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const workbench = await openWorkbench(args, terminal);
  const { root, outDir, config } = workbench;
  const topic = idOption(args, "topic") ?? config.topic ?? "main";
  const asked = textOption(args, "branch") ?? (await readBranch(root, terminal.env));
  const branch = gatedBranch(asked, terminal);
  const { out, index, diagnostics } = await readStore({ root, outDir });
  terminal.diagnostics.push(...diagnostics);
  printDiagnostics(terminal, diagnostics, false);
  const chain = chainOf(index, { branch, topic });
  if (chain.length === 0)
    throw new RefusalError(
      "packet.missing",
      `there is no packet for ${branch === null ? "no branch" : `branch ${branch}`} and topic ${topic}`,
      branchesHint(index),
    );
  if (flagOption(args, "json")) {
    const packets = chain.map((entry) => packetRow(terminal.redactor.redactText(out ?? "").text, entry));
    printJson(terminal, { ok: true }, { packets });
    return EXIT.ok;
  }
  const now = Date.now();
  for (const entry of chain) printEntry(terminal, entry, now);
  return EXIT.ok;
}
