// handoff diff A B: what changed between two packets, field by field.
import { EXIT, RefusalError, type ExitCode } from "../../model/errors.js";
import { diffPackets, type FieldDiff } from "../../packet/diff-packets.js";
import { packetOf } from "../../session/locate-packet.js";
import { flagOption, textOption, type Arguments } from "../arguments.js";
import { hanging } from "../lay-out.js";
import { locatePacket } from "../locate-packet.js";
import { openWorkbench } from "../open-workbench.js";
import { printJson, shown } from "../report.js";
import type { Terminal } from "../terminal.js";

function printDiff(terminal: Terminal, { field, from, to, added, removed, changed }: FieldDiff): void {
  const { bold, green, red } = terminal.colors;
  const columns = terminal.outColumns ?? 100;
  const line = (sign: string, text: string): void => {
    const laid = hanging(`  ${sign} `, shown(text), columns);
    terminal.out(`${sign === "-" ? red(laid) : green(laid)}\n`);
  };
  terminal.out(`${bold(field)}\n`);
  if (from !== null) line("-", from);
  if (to !== null) line("+", to);
  for (const row of changed) {
    line("-", row.from);
    line("+", row.to);
  }
  for (const text of removed) line("-", text);
  for (const text of added) line("+", text);
}

/** Runs it. Without B, A is compared with the packet that it superseded. Exit 0, also for packets that differ. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const workbench = await openWorkbench(args, terminal);
  const first = packetOf(await locatePacket(workbench, args, terminal));
  const other = textOption(args, "other") ?? null;
  if (other === null && first.supersedes === null)
    throw new RefusalError(
      "packet.missing",
      `${first.packet_id} superseded no packet that it could be compared with`,
      "name two packets: handoff diff A B",
    );
  const second = packetOf(
    await locatePacket(workbench, { ...args, ref: other ?? first.supersedes }, terminal),
  );
  const [a, b] = other === null ? [second, first] : [first, second];
  const fields = diffPackets(a, b);
  if (flagOption(args, "json")) {
    printJson(terminal, { ok: true }, { a: a.packet_id, b: b.packet_id, fields });
    return EXIT.ok;
  }
  terminal.out(`${terminal.colors.dim(`${a.packet_id} -> ${b.packet_id}`)}\n`);
  if (fields.length === 0) terminal.out("the same content\n");
  for (const field of fields) printDiff(terminal, field);
  return EXIT.ok;
}
