// How long `handoff now --wait` waits for word of a request (O5). Pure.
import { ANSWER_MS } from "../../operator/ask-runner.js";
import { LIMITS, type RequestRecord } from "../../operator/request-record.js";

/** The whole takes 360 s at most, and a verdict a moment more. */
const GRACE_MS = 15_000;

/** So long an answer about a request is waited for at `now`, in milliseconds, whatever this machine's clock has been set to. */
export function patience({ accepted_at }: Pick<RequestRecord, "accepted_at">, now: number): number {
  const most = LIMITS.whole + GRACE_MS;
  const from = accepted_at === null ? now : Date.parse(accepted_at);
  return Math.min(most, Math.max(ANSWER_MS, from + most - now));
}
