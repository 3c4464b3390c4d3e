// What the engine of a run's requests is to others: what it is given, what it can be asked. Types, and the clock that everybody has.
import type { OperatorPort } from "../rotation/operator-port.js";
import type { Answer, Ask } from "./request-book.js";
import type { Reason, RequestRecord } from "./request-record.js";
import { steadyClock } from "./steady-clock.js";

/** The clock, and nothing else of time: tests do not wait. */
export interface OperatorClock {
  readonly now: () => Date;
  /** Calls `action` once after so many milliseconds; the returned function prevents that. */
  readonly after: (ms: number, action: () => void) => () => void;
}

export interface OperatorOptions {
  readonly clock: OperatorClock;
  readonly onWarning: (code: string, what: string) => void;
  /** Each change of a request, once it is on record. */
  readonly onState?: (request: RequestRecord) => void;
}

/** What a finalization needs to know of the request that is alive. Times in milliseconds. */
export interface LiveRequest {
  readonly request_id: string;
  /** ISO 8601; null: not on record. */
  readonly accepted_at: string | null;
  readonly begun: boolean;
  /** Since the acceptance; null: it is not on record. */
  readonly elapsed_ms: number | null;
  /** null: it was not, or not to its end. */
  readonly publication_ms: number | null;
  readonly publication_limit_ms: number;
}

/** How a finalization ends a request. */
export interface RequestVerdict {
  readonly request_id: string;
  /** null: completed. */
  readonly reason: Reason | null;
  /** In words; of a completed one nothing is said. */
  readonly what: string;
}

export interface Operator {
  readonly port: OperatorPort;
  /** What the socket's `now` does. */
  readonly accept: (ask: Ask) => Promise<Answer>;
  readonly requests: () => readonly RequestRecord[];
  readonly subscribe: (requestId: string, listener: (request: RequestRecord) => void) => () => void;
  /** The request that has no end yet; null: none. */
  readonly live: () => LiveRequest | null;
  /** Ends a request as the finalization has it; one that is over stays as it is. Resolved once that is on record. */
  readonly complete: (verdict: RequestVerdict) => Promise<void>;
  /** Ends what is still alive, tells it, and listens no more. Never rejects. May be called again. */
  readonly close: () => Promise<void>;
}

/** The clock that everybody has; setting it back renews nobody's time. */
export const SYSTEM_CLOCK: OperatorClock = {
  now: steadyClock(Date.now, () => performance.now()),
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};
