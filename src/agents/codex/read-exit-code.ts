// How one command ended, from the end of a Codex rollout (measured with 0.171.0): one line, an `item_completed` of type
// CommandExecution, is there before the hook is called. Bounded reading of a file that somebody else is writing.
import type { CommandEnd, CommandFact } from "../agent.js";
import { fieldsAt, isFields } from "../payload-fields.js";
import { readCommandItem } from "./command-item.js";
import { readEnd } from "./read-end.js";

/** Looked at from the end for one command: those that ran beside it stand behind it. */
const TAIL_BYTES = 4 * 1024 * 1024;
/** The end of a turn's rollout is nearly always in here. */
const FIRST_TAIL_BYTES = 256 * 1024;
/** The command of a line, or null for any other line and for a torn one. */
function factOf(line: string): CommandFact | null {
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch {
    return null;
  }
  return isFields(row) ? readCommandItem(fieldsAt(row, "payload")) : null;
}

/** The last place of `wanted` that begins before `at`; -1: none. */
function lastBefore(bytes: Buffer, wanted: Buffer, at: number): number {
  return at === 0 ? -1 : bytes.lastIndexOf(wanted, at - 1);
}

/** How the command with this call id ended; null: the rollout does not say, or cannot be read. Never throws. */
export function findRolloutEnd(rollout: string, commandId: string): CommandEnd | null {
  const wanted = Buffer.from(`"id":${JSON.stringify(commandId)}`);
  for (const limit of [FIRST_TAIL_BYTES, TAIL_BYTES]) {
    const part = readEnd(rollout, 0, limit);
    if (part === null) return null;
    const { bytes } = part;
    // A line is looked at once, however often it has the id.
    for (let hit = bytes.lastIndexOf(wanted), start = 0; hit !== -1; hit = lastBefore(bytes, wanted, start)) {
      start = bytes.lastIndexOf(0x0a, hit) + 1;
      const end = bytes.indexOf(0x0a, hit);
      const fact = factOf(bytes.toString("utf8", start, end === -1 ? bytes.length : end));
      if (fact?.command_id !== commandId) continue;
      const { exit_code, error, stdout, started_at, duration_ms } = fact;
      return { command_id: commandId, exit_code, error, output: stdout, started_at, duration_ms };
    }
    if (part.at === 0) return null;
  }
  return null;
}
