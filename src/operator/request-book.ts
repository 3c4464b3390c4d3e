// All requests of a run as one value (O1-O3, O9): taking new ones, and events to the one that is alive. Pure; request-file.ts
// keeps it. At most one request is alive at any time.
import {
  decideRequest,
  type RequestEffect,
  type RequestEvent,
  type RequestEventKind,
} from "./decide-request.js";
import type { Redactor } from "../redact/create-redactor.js";
import { cleanText } from "../text/clean.js";
import { isOver, newRequest, type RequestBook, type RequestRecord } from "./request-record.js";

/** What a person asks for. */
export interface Ask {
  /** A valid id (P43). */
  readonly request_id: string;
  /** Through the gate. */
  readonly reason: string | null;
}

/** A request that is not taken: an answer, not a record (O2). */
export interface Rejection {
  readonly code: string;
  readonly what: string;
  readonly hint: string;
}

export type Answer =
  | { readonly ok: true; readonly request: RequestRecord; readonly is_new: boolean }
  | ({ readonly ok: false } & Rejection);

/** The book after a change, and what is to be done about which request. */
export interface BookStep {
  readonly book: RequestBook;
  readonly effects: readonly { readonly request: RequestRecord; readonly effect: RequestEffect }[];
}

/** Most requests that a run takes. */
export const MAX_REQUESTS = 500;

export function newBook(runId: string): RequestBook {
  return { schema_version: "1.0", run_id: runId, requests: [] };
}

/** The request that is alive; null: none is. */
export function liveRequest({ requests }: RequestBook): RequestRecord | null {
  return requests.findLast((one) => !isOver(one)) ?? null;
}

export function requestOf({ requests }: RequestBook, id: string): RequestRecord | null {
  return requests.find(({ request_id }) => request_id === id) ?? null;
}

function replace(book: RequestBook, request: RequestRecord): RequestBook {
  const requests = book.requests.map((one) => (one.request_id === request.request_id ? request : one));
  return { ...book, requests };
}

/** An event to one request. */
export function takeEvent<K extends RequestEventKind>(
  book: RequestBook,
  id: string,
  event: RequestEvent<K>,
): BookStep {
  const before = requestOf(book, id);
  if (before === null) return { book, effects: [] };
  const { request, effects } = decideRequest(before, event);
  return {
    book: request === before ? book : replace(book, request),
    effects: effects.map((effect) => ({ request, effect })),
  };
}

const reject = (code: string, what: string, hint: string): { readonly answer: Answer } => ({
  answer: { ok: false, code, what, hint },
});

/** What a person gave as the reason, as it goes on record: through the gate, clean; null: nothing. */
export function reasonOf(said: string | null, redactor: Redactor): string | null {
  const clean = said === null ? "" : cleanText(redactor.redactText(said).text).trim();
  return clean === "" ? null : clean;
}

/** The rejection of an id that stands for something else. */
export function otherContent(requestId: string): Rejection {
  return {
    code: "request.other_content",
    what: `the request ${requestId} is on record with another reason`,
    hint: "give the same --reason, or leave --request-id out for a request of its own",
  };
}

/** The rejection of a request that is nowhere to be found again. */
export const NOT_RECORDED: Rejection = {
  code: "request.not_recorded",
  what: "the request could not be put on record",
  hint: "see what the run says of it; then ask again",
};

/** The rejection of a request to a run that nobody runs. */
export function noAttempt(runId: string): Rejection {
  return {
    code: "request.no_attempt",
    what: `the run ${runId} is not at work: there is nobody to hand over`,
    hint: `go on with handoff run --resume ${runId}, or take over its last packet with handoff brief`,
  };
}

/**
 * Takes a request (O1-O3). The same id with the same reason gets the record there is; with another, a rejection. The newest
 * wins while none is picked up; once one is, others are turned away.
 */
export function acceptRequest(
  book: RequestBook,
  { request_id, reason }: Ask,
  { at, isOpen }: { readonly at: string; readonly isOpen: boolean },
): { readonly answer: Answer; readonly step: BookStep } {
  const unchanged: BookStep = { book, effects: [] };
  const known = requestOf(book, request_id);
  if (known !== null)
    return known.reason === reason
      ? { answer: { ok: true, request: known, is_new: false }, step: unchanged }
      : { answer: { ok: false, ...otherContent(request_id) }, step: unchanged };
  if (!isOpen) return { answer: { ok: false, ...noAttempt(book.run_id) }, step: unchanged };
  const live = liveRequest(book);
  if (live !== null && live.state !== "accepted")
    return {
      ...reject(
        live.state === "begun" ? "request.begun" : "request.pinned",
        live.state === "begun"
          ? `the handoff for ${live.request_id} has begun`
          : `the run is being interrupted for ${live.request_id}`,
        `wait for that one: handoff now --request-id ${live.request_id} --wait`,
      ),
      step: unchanged,
    };
  if (book.requests.length >= MAX_REQUESTS)
    return {
      ...reject(
        "request.too_many",
        `this run has taken ${MAX_REQUESTS} requests already`,
        "stop it with Ctrl-C in its own terminal",
      ),
      step: unchanged,
    };
  const older =
    live === null ? unchanged : takeEvent(book, live.request_id, { kind: "newer", at, request_id });
  const request = newRequest({ request_id, reason, accepted_at: at });
  const step: BookStep = {
    book: { ...older.book, requests: [...older.book.requests, request] },
    effects: [
      ...older.effects,
      { request, effect: { kind: "record" } },
      { request, effect: { kind: "tell" } },
    ],
  };
  return { answer: { ok: true, request, is_new: true }, step };
}

/** The book without a request that could not be put on record: what it took the place of is alive as before. */
export function forgetRequest(book: RequestBook, id: string): RequestBook {
  const requests = book.requests
    .filter(({ request_id }) => request_id !== id)
    .map((one) =>
      one.superseded_by === id
        ? { ...one, state: "accepted" as const, ended_at: null, superseded_by: null }
        : one,
    );
  return { ...book, requests };
}

/** O9: whatever is still alive is over, since its runner is gone. Twice is once. */
export function reconcileBook(book: RequestBook, at: string): BookStep {
  let step: BookStep = { book, effects: [] };
  for (const { request_id } of book.requests.filter((one) => !isOver(one))) {
    const next = takeEvent(step.book, request_id, { kind: "crashed", at });
    step = { book: next.book, effects: [...step.effects, ...next.effects] };
  }
  return step;
}
