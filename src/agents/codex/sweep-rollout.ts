// The commands that a stretch of a Codex rollout tells of (measured with 0.171.0): also those that no hook is called for, since
// they outlived their call, were interrupted, or never got past the sandbox.
import type { CommandFact, ToldCommands } from "../agent.js";
import { fieldsAt, isFields } from "../payload-fields.js";
import { readCallOutput } from "./call-output.js";
import { readEnd } from "./read-end.js";
import { createCodexReader } from "./read-transcript.js";

/** Read at most; of a longer stretch the end counts. */
const MAX_BYTES = 32 * 1024 * 1024;

/** The call that this line answers, and the answer; null for any other line. */
function answerOf(line: string): { readonly id: string; readonly output: unknown } | null {
  try {
    const row: unknown = JSON.parse(line);
    const payload = isFields(row) ? fieldsAt(row, "payload") : {};
    const id = payload["call_id"];
    return payload["type"] === "function_call_output" && typeof id === "string"
      ? { id, output: payload["output"] }
      : null;
  } catch {
    return null;
  }
}

/** Those of `ids` whose call was answered with that the command goes on. One pass: a session may have stopped many. */
function outlivedTheirCall(rollout: string, ids: ReadonlySet<string>): ReadonlySet<string> {
  const bytes = readEnd(rollout, 0, MAX_BYTES)?.bytes ?? Buffer.alloc(0);
  const wanted = Buffer.from('"function_call_output"');
  const first = new Map<string, boolean>();
  for (let hit = bytes.indexOf(wanted), stop = 0; hit !== -1; hit = bytes.indexOf(wanted, stop)) {
    const end = bytes.indexOf(0x0a, hit);
    stop = end === -1 ? bytes.length : end;
    const answer = answerOf(bytes.toString("utf8", bytes.lastIndexOf(0x0a, hit) + 1, stop));
    if (answer === null || !ids.has(answer.id) || first.has(answer.id)) continue;
    const read = readCallOutput(answer.output);
    if (read.kind === "open") first.set(answer.id, read.error !== "interrupted");
  }
  return new Set([...first].flatMap(([id, goesOn]) => (goesOn ? [id] : [])));
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
  const stopped = commands.flatMap(({ exit_code, command_id }) =>
    exit_code === null && command_id !== null ? [command_id] : [],
  );
  const left = stopped.length === 0 ? new Set<string>() : outlivedTheirCall(rollout, new Set(stopped));
  const isNoRecord = ({ exit_code, command_id }: CommandFact): boolean =>
    exit_code === null && command_id !== null && left.has(command_id);
  return { commands: commands.filter((one) => !isNoRecord(one)), next: at + end };
}
