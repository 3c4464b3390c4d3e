// A full context that nobody calls an error (R12): the server took more than the window holds, or cut the input to fit and
// had no room left to answer. Pure.
import { contextOf, outputOf, type Usage } from "./reading.js";

/** Stop reasons of a turn that ended as it should, in the providers' spellings. */
const NORMAL_STOPS: ReadonlySet<string> = new Set([
  "end_turn",
  "stop",
  "stop_sequence",
  "tool_use",
  "tool_calls",
  "function_call",
  "completed",
  "complete",
]);
/** Stop reasons of a turn that reached its output limit. */
const LENGTH_STOPS: ReadonlySet<string> = new Set(["length", "max_tokens", "max_output_tokens"]);
/** Input that leaves no room: this part of the window. */
const FULL = 0.99;

/** What a turn ended with. */
interface EndedTurn {
  readonly stop_reason?: string | null | undefined;
  readonly usage?: Usage | null | undefined;
  /** The model's context window in tokens. */
  readonly window?: number | null | undefined;
}

/**
 * True when a turn overflowed without an error (R12): a normal stop whose input exceeds the window, or a stop for length
 * with no output at all and an input of at least 99 % of the window. False when usage or window are unknown.
 */
export function isSilentOverflow({ stop_reason, usage, window }: EndedTurn): boolean {
  if (typeof stop_reason !== "string" || typeof window !== "number" || window <= 0) return false;
  if (usage === null || usage === undefined) return false;
  const reason = stop_reason.toLowerCase();
  const context = contextOf(usage);
  if (NORMAL_STOPS.has(reason)) return context > window;
  return LENGTH_STOPS.has(reason) && outputOf(usage) === 0 && context >= window * FULL;
}
