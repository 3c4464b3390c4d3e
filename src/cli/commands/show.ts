// handoff show: prints one file of a packet, byte for byte.
import { readArtifactFile } from "../../io/read-artifact-file.js";
import { EXIT, UsageError, type ExitCode } from "../../model/errors.js";
import { flagOption, type Arguments } from "../arguments.js";
import { locatePacket } from "../locate-packet.js";
import { openWorkbench } from "../open-workbench.js";
import type { Terminal } from "../terminal.js";

/** Runs it. Exit 1 when there is no such packet, 2 when its file cannot be read. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const json = flagOption(args, "json");
  if (json && flagOption(args, "md"))
    throw new UsageError("usage.arguments", "--md and --json exclude each other", "use one of them");
  const found = await locatePacket(await openWorkbench(args, terminal), args, terminal);
  const file = json ? found.json_path : found.markdown_path;
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
