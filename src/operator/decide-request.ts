// What becomes of a request (O2, O5, O9-O11): one table of every state and every event. Pure: what is to be done is declared, and
// done by the engine once the new state is on record, so that after a crash a request stands where its record says.
import { ageOf, LIMITS, type Reason, type RequestRecord, type RequestState } from "./request-record.js";

/** What can happen, and what is told of it. `at`: when, ISO 8601. */
interface RequestEvents {
  /** The executor reports that it has picked it up (O3). */
  readonly deliver: { readonly at: string };
  /** The executor reports that the handoff turn starts. */
  readonly begin: { readonly at: string };
  /** A newer one was accepted. */
  readonly newer: { readonly at: string; readonly request_id: string };
  /** Time has passed. */
  readonly tick: { readonly at: string };
  /** The packet is being published. */
  readonly publish: { readonly at: string };
  readonly published: { readonly at: string; readonly packet: NonNullable<RequestRecord["packet"]> };
  /** The engine's own finalization has decided (O4); null: in its favour. */
  readonly finalized: { readonly at: string; readonly reason: Reason | null; readonly what: string };
  /** A later start finds it as the runner left it that is gone (O9). */
  readonly crashed: { readonly at: string };
}

export type RequestEventKind = keyof RequestEvents;
export type RequestEvent<K extends RequestEventKind = RequestEventKind> = {
  [P in K]: { readonly kind: P } & RequestEvents[P];
}[K];

/** What is to be done, in this order. */
export type RequestEffect =
  /** Put the record on disk before anything else. */
  | { readonly kind: "record" }
  /** Tell everybody who waits. */
  | { readonly kind: "tell" }
  /** Cut the turn that came to no boundary. Declared once a request. */
  | { readonly kind: "interrupt_once" }
  /** The run need not look for it any more. */
  | { readonly kind: "withdraw" }
  /** The executor said what cannot be; nothing is changed by it. */
  | { readonly kind: "fault"; readonly what: string };

export interface RequestStep {
  readonly request: RequestRecord;
  readonly effects: readonly RequestEffect[];
}

type Step<K extends RequestEventKind> = (request: RequestRecord, event: RequestEvent<K>) => RequestStep;

const RECORD: RequestEffect = { kind: "record" };
const TELL: RequestEffect = { kind: "tell" };

const stay = (request: RequestRecord): RequestStep => ({ request, effects: [] });
const to = (
  request: RequestRecord,
  changes: Partial<RequestRecord>,
  ...more: readonly RequestEffect[]
): RequestStep => ({ request: { ...request, ...changes }, effects: [RECORD, TELL, ...more] });
const fault =
  (what: string) =>
  (request: RequestRecord): RequestStep => ({ request, effects: [{ kind: "fault", what }] });

const end = (
  request: RequestRecord,
  { at, reason, what }: { readonly at: string; readonly reason: Reason | null; readonly what: string },
  ...more: readonly RequestEffect[]
): RequestStep =>
  to(
    request,
    {
      state: reason === null ? "completed" : "not_fulfilled",
      ended_at: at,
      why: reason === null ? null : { reason, what },
    },
    ...more,
  );

const seconds = (ms: number): number => ms / 1000;

/** O5: too late to begin. */
const expire = (request: RequestRecord, at: string): RequestStep =>
  end(
    request,
    {
      at,
      reason: "expired",
      what: `the handoff had not begun ${seconds(LIMITS.begin)} s after the request`,
    },
    { kind: "withdraw" },
  );

const tickAccepted: Step<"tick"> = (request, { at }) => {
  const age = ageOf(request, at);
  if (age >= LIMITS.begin) return expire(request, at);
  if (age < LIMITS.interrupt || request.interrupted_at !== null) return stay(request);
  // On record first: a restart must not interrupt a second time.
  return { request: { ...request, interrupted_at: at }, effects: [RECORD, { kind: "interrupt_once" }] };
};

const tickDelivered: Step<"tick"> = (request, { at }) =>
  ageOf(request, at) >= LIMITS.begin ? expire(request, at) : stay(request);

/** O5: what is left for publishing. */
export function publicationLimit(request: Pick<RequestRecord, "accepted_at">, at: string): number {
  return Math.max(0, Math.min(LIMITS.publication, LIMITS.whole - ageOf(request, at)));
}

const publish: Step<"publish"> = (request, { at }) => ({
  request: {
    ...request,
    publication: { started_at: at, ended_at: null, limit_ms: publicationLimit(request, at) },
  },
  effects: [RECORD],
});

const published: Step<"published"> = (request, { at, packet }) => ({
  request: {
    ...request,
    packet,
    publication: request.publication === null ? null : { ...request.publication, ended_at: at },
  },
  effects: [RECORD, TELL],
});

const finalized: Step<"finalized"> = (request, { at, reason, what }) => end(request, { at, reason, what });

/** The words for a request whose runner is gone; it had come as far as `state`. */
export function crashWords({ state, packet }: Pick<RequestRecord, "state" | "packet">): string {
  const left =
    packet === null ? "what was done is kept" : `its packet ${packet.packet_id} is published all the same`;
  return `the run's process was gone when the request was ${state}; ${left}`;
}

const crashed: Step<"crashed"> = (request, { at }) =>
  end(request, { at, reason: "crashed", what: crashWords(request) });

/** Nothing happens to what is over: it is told again as it is (O9). */
const OVER: { readonly [K in RequestEventKind]: Step<K> } = {
  deliver: stay,
  begin: stay,
  newer: stay,
  tick: stay,
  publish: stay,
  published: stay,
  finalized: stay,
  crashed: stay,
};

/** Every state and every event. What is `stay` is meant. */
const TABLE: { readonly [S in RequestState]: { readonly [K in RequestEventKind]: Step<K> } } = {
  accepted: {
    deliver: (request, { at }) => to(request, { state: "delivered", delivered_at: at }),
    begin: fault("it began what it had not picked up"),
    newer: (request, { at, request_id }) =>
      to(request, { state: "superseded", ended_at: at, superseded_by: request_id }),
    tick: tickAccepted,
    // Of a packet that nobody has asked this one for.
    publish: stay,
    published: stay,
    finalized,
    crashed,
  },
  delivered: {
    deliver: fault("it picked up twice"),
    begin: (request, { at }) => to(request, { state: "begun", begun_at: at }),
    // Pinned (O3): whoever comes now is turned away before it comes to this.
    newer: stay,
    tick: tickDelivered,
    publish: stay,
    published: stay,
    finalized,
    crashed,
  },
  begun: {
    deliver: fault("it picked up twice"),
    begin: fault("it began twice"),
    newer: stay,
    // From here on the finalization looks at the clock (O7).
    tick: stay,
    publish,
    published,
    finalized,
    crashed,
  },
  completed: OVER,
  not_fulfilled: OVER,
  superseded: OVER,
};

/** What an event does to a request. Every state takes every event. */
export function decideRequest<K extends RequestEventKind>(
  request: RequestRecord,
  event: RequestEvent<K>,
): RequestStep {
  const steps: { readonly [P in RequestEventKind]: Step<P> } = TABLE[request.state];
  return steps[event.kind](request, event);
}

/** When the clock does something to a request next, in milliseconds since 1970; null: it does nothing. */
export function nextDeadline({
  state,
  accepted_at,
  interrupted_at,
}: Pick<RequestRecord, "state" | "accepted_at" | "interrupted_at">): number | null {
  if (accepted_at === null) return null;
  const from = Date.parse(accepted_at);
  if (state === "accepted") return from + (interrupted_at === null ? LIMITS.interrupt : LIMITS.begin);
  return state === "delivered" ? from + LIMITS.begin : null;
}
