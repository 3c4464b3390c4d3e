// The commands that a stretch of a Codex rollout tells of (measured with 0.171.0): also those that no hook is called for, since
// they outlived their call, were interrupted, or never got past the sandbox.
import type { CommandFact, ToldCommands } from "../agent.js";
import { readEnd } from "./read-end.js";
import { createCodexReader } from "./read-transcript.js";

/** Read at most; of a longer stretch the end counts. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Commands that ended in what was written from byte `from` on, in order. Whole lines only. Never throws. */
export function sweepRollout(rollout: string, from: number): ToldCommands {
  const part = readEnd(rollout, from, MAX_BYTES);
  if (part === null) return { commands: [], next: from };
  const { bytes, at } = part;
  const end = bytes.lastIndexOf(0x0a) + 1;
  const reader = createCodexReader();
  const commands: CommandFact[] = [];
  for (let start = 0; start < end;) {
    const stop = bytes.indexOf(0x0a, start);
    for (const item of reader.push(bytes.toString("utf8", start, stop)))
      if (item.kind === "command" && item.command.awaits === undefined) commands.push(item.command);
    start = stop + 1;
  }
  return { commands, next: at + end };
}
