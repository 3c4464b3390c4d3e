// handoff show: one packet. In a terminal laid out for reading; in a pipe, or when asked for, its files byte for byte.
import { readArtifactFile } from "../../io/read-artifact-file.js";
import { EXIT, UsageError, type ExitCode } from "../../model/errors.js";
import { renderBrief } from "../../render/render-brief.js";
import { briefPath } from "../../session/open-workbench.js";
import { packetOf } from "../../session/locate-packet.js";
import { flagOption, type Arguments } from "../arguments.js";
import { locatePacket } from "../locate-packet.js";
import { openWorkbench } from "../open-workbench.js";
import { showPacket } from "../show-packet.js";
import type { Terminal } from "../terminal.js";

/** Runs it. Exit 1 when there is no such packet, 2 when its file cannot be read. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const asked = ["md", "json", "brief"].filter((name) => flagOption(args, name));
  if (asked.length > 1)
    throw new UsageError(
      "usage.arguments",
      `${asked.map((name) => `--${name}`).join(" and ")} exclude each other`,
      "use one of them",
    );
  const workbench = await openWorkbench(args, terminal);
  const found = await locatePacket(workbench, args, terminal);
  if (asked[0] === "brief") {
    const way = briefPath(workbench.root, found.json_path, terminal);
    terminal.content(renderBrief(packetOf(found), { path: way, overrides: workbench.templates }));
    return EXIT.ok;
  }
  if (asked.length === 0 && terminal.outColumns !== null) {
    terminal.out(showPacket(packetOf(found), terminal.outColumns, terminal.colors));
    return EXIT.ok;
  }
  const file = asked[0] === "json" ? found.json_path : found.markdown_path;
  const read = await readArtifactFile(found.out, file);
  if (read.status !== "read")
    throw new UsageError(
      "packet.unreadable",
      `cannot be shown: ${read.status.replaceAll("_", " ")}`,
      "handoff check says what is wrong; generate it again",
      { path: file },
    );
  terminal.content(read.text);
  return EXIT.ok;
}
