// The commands that a stretch of a Codex rollout tells of (measured with 0.171.0): also those that no hook is called for, since
// they outlived their call, were interrupted, or never got past the sandbox.
import type { CommandFact, ToldCommands } from "../agent.js";
import { fieldsAt, isFields } from "../payload-fields.js";
import { readCallOutput } from "./call-output.js";
import { readEnd } from "./read-end.js";
import { createCodexReader } from "./read-transcript.js";

/** Read at most; of a longer stretch the end counts. */
const MAX_BYTES = 32 * 1024 * 1024;

/** The answer in this line to the call with this id; null for any other line. */
function answerOf(line: string, id: string): unknown {
  try {
    const row: unknown = JSON.parse(line);
    const payload = isFields(row) ? fieldsAt(row, "payload") : {};
    return payload["type"] === "function_call_output" && payload["call_id"] === id ? payload["output"] : null;
  } catch {
    return null;
  }
}

/** True when the answer to its call was that the command goes on. */
function outlivedItsCall(rollout: string, id: string): boolean {
  const bytes = readEnd(rollout, 0, MAX_BYTES)?.bytes ?? Buffer.alloc(0);
  const wanted = Buffer.from(`"call_id":${JSON.stringify(id)}`);
  for (let hit = bytes.indexOf(wanted); hit !== -1; hit = bytes.indexOf(wanted, hit + 1)) {
    const stop = bytes.indexOf(0x0a, hit);
    const line = bytes.toString("utf8", bytes.lastIndexOf(0x0a, hit) + 1, stop === -1 ? bytes.length : stop);
    const answer = answerOf(line, id);
    const read = answer === null ? null : readCallOutput(answer);
    if (read?.kind === "open") return read.error !== "interrupted";
  }
  return false;
}

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
  // One that was stopped at the end of its session: its call, and that it went on, may stand before this stretch.
  const isNoRecord = ({ exit_code, command_id }: CommandFact): boolean =>
    exit_code === null && command_id !== null && outlivedItsCall(rollout, command_id);
  return { commands: commands.filter((one) => !isNoRecord(one)), next: at + end };
}
