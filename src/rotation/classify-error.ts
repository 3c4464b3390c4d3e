// What a failed attempt means for the run (R10, R12, R22): the context is full, it may work another time, or it never will.
import { soundsPassing } from "./failure-wording.js";
import { isOverflowWithStatus } from "./is-overflow.js";
import { plainMessage } from "./plain-message.js";
import type { Usage } from "./reading.js";
import { isSilentOverflow } from "./silent-overflow.js";
import { visibleStatus } from "./visible-status.js";

/** `overflow`: rotate. `retryable`: the same again after a pause. `fatal`: no try will change it. */
export type ErrorClass = "overflow" | "retryable" | "fatal";

/** What is known of a failed attempt; its last error alone (R11). */
export interface FailureFacts {
  readonly text?: string | null | undefined;
  /** HTTP status, when one is known. */
  readonly status?: number | null | undefined;
  /** Why the last turn stopped, in the provider's or agent's own word. */
  readonly stop_reason?: string | null | undefined;
  /** Of the last call. */
  readonly usage?: Usage | null | undefined;
  /** The model's context window in tokens. */
  readonly window?: number | null | undefined;
}

/** Reasons by which an agent itself says that no further turn fits. `blocking_limit`: Claude Code with compaction off, near its limit. */
const OVERFLOW_STOPS: ReadonlySet<string> = new Set([
  "blocking_limit",
  "prompt_too_long",
  "model_context_window_exceeded",
  "context_window_exceeded",
  "context_length_exceeded",
]);

/** Statuses below 400 are no failure of the request: some servers report an error inside a 200. */
function failureStatus(status: number | null | undefined): number | null {
  return typeof status === "number" && Number.isInteger(status) && status >= 400 && status < 600
    ? status
    : null;
}

/** R22: time-outs, conflicts, rates and the server's own faults pass; any other refusal stays. */
function isPassingStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

function classifyOrdinary(text: string, status: number | null): ErrorClass {
  const failed = status ?? visibleStatus(text);
  if (failed !== null) return isPassingStatus(failed) ? "retryable" : "fatal";
  // A connection that broke without a word is worth another try; words we do not know are not.
  if (text.trim() === "") return "retryable";
  return soundsPassing(plainMessage(text)) === true ? "retryable" : "fatal";
}

/**
 * Classifies the last error of an attempt. A known status outranks one that the text shows. Overflow is decided first:
 * by the agent's stop reason, by the wording (with R10's vetoes), by a silent overflow (R12). Then R22's table: 408, 409,
 * 429, 5xx and broken connections are `retryable`, every other 4xx is `fatal`, and so is a failure without status whose
 * wording is not known to pass.
 */
export function classifyError(facts: FailureFacts): ErrorClass {
  const text = facts.text ?? "";
  const status = failureStatus(facts.status);
  if (OVERFLOW_STOPS.has(facts.stop_reason?.toLowerCase() ?? "")) return "overflow";
  if (isOverflowWithStatus(text, status)) return "overflow";
  if (status === null && isSilentOverflow(facts)) return "overflow";
  return classifyOrdinary(text, status);
}
