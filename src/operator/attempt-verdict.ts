// What a finalization answers the person who asked (O7-O9): the facts of the attempt's record and of the request, judged.
import type { RunEnd } from "../rotation/run-options.js";
import type { AttemptPlace } from "./attempt-files.js";
import type { AttemptRecord, AttemptVerdict } from "./attempt-record.js";
import { crashWords } from "./decide-request.js";
import { judgeRequest } from "./judge-request.js";
import type { LiveRequest } from "./operator.js";
import { liveRequest } from "./request-book.js";
import { readRequests } from "./request-file.js";
import { whyWords } from "./request-words.js";

/** Nobody waits for an answer. */
const NOBODY: AttemptVerdict = { request_id: null, state: null, reason: null, detail: null };

/** The verdict of the runner itself. */
export function liveVerdict(record: AttemptRecord, end: RunEnd, live: LiveRequest | null): AttemptVerdict {
  if (live === null) return NOBODY;
  const { request_id, accepted_at, begun, publication_ms, publication_limit_ms } = live;
  const held = record.held?.reason ?? null;
  const reason = judgeRequest({
    is_handoff: record.outcome?.handoff === true,
    begun,
    packet_valid: record.packet_valid === true,
    accepted_at,
    elapsed_ms: record.elapsed_ms ?? live.elapsed_ms,
    publication_ms,
    publication_limit_ms,
    held,
  });
  if (reason === null) return { request_id, state: "completed", reason, detail: null };
  const words = whyWords(reason, end, null);
  return { request_id, state: "not_fulfilled", reason, detail: held ?? words };
}

/** The verdict of a later start on what one that is gone has left (O9). */
export async function recoveryVerdict(place: AttemptPlace, runId: string): Promise<AttemptVerdict> {
  const live = liveRequest(await readRequests(place, runId));
  if (live === null) return NOBODY;
  const { request_id } = live;
  return { request_id, state: "not_fulfilled", reason: "crashed", detail: crashWords(live) };
}
