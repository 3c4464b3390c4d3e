// handoff brief: the text for the next agent, made from handoff.json as it lies on disk.
import path from "node:path";
import { EXIT, type ExitCode } from "../../model/errors.js";
import { renderBrief } from "../../render/render-brief.js";
import { integerOption, type Arguments } from "../arguments.js";
import { locatePacket, packetOf } from "../locate-packet.js";
import { openWorkbench } from "../open-workbench.js";
import type { Terminal } from "../terminal.js";

/** No brief is ever that long. */
const MAX_BYTES = 16_777_216;

/** Runs it. Exit 1 when there is no such packet, 2 when it is not valid or does not fit. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const maxBytes = integerOption(args, "max-bytes", 1, MAX_BYTES);
  const workbench = await openWorkbench(args, terminal);
  const found = await locatePacket(workbench, args, terminal);
  const way = path.relative(workbench.root, found.json_path).replaceAll(path.sep, "/");
  const brief = renderBrief(packetOf(found), {
    path: way.startsWith("../") || path.isAbsolute(way) ? found.json_path : way,
    ...(maxBytes === null ? {} : { maxBytes }),
    overrides: workbench.templates,
  });
  terminal.content(brief);
  return EXIT.ok;
}
