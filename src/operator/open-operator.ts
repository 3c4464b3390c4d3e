// The engine behind a run's requests (O1-O5, O9): what is asked goes through the book, is put on disk, and only then told and
// done. To the run it is a port; whatever fails here is said aloud and breaks nothing of the run.
import type { OperatorPort, OperatorRun, PendingHandoff } from "../rotation/operator-port.js";
import { nextDeadline, publicationLimit, type RequestEffect, type RequestEvent } from "./decide-request.js";
import { type Listening, listenForRequests } from "./listen-for-requests.js";
import type { LiveRequest, Operator, OperatorOptions, RequestVerdict } from "./operator.js";
import {
  acceptRequest,
  type Answer,
  type Ask,
  type BookStep,
  forgetRequest,
  liveRequest,
  newBook,
  noAttempt,
  NOT_RECORDED,
  reasonOf,
  reconcileBook,
  requestOf,
  takeEvent,
} from "./request-book.js";
import { readRequests, setRequestsAside, writeRequests } from "./request-file.js";
import type { RunPlace } from "./run-file.js";
import { ageOf, LIMITS, type RequestBook, type RequestRecord } from "./request-record.js";

/** Kept free for publishing when the handoff turn is given its time (O5). */
const RESERVE_MS = 60_000;
/** Never called in a circle, whatever the clock says. */
const LEAST_WAIT_MS = 20;

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

class Engine implements Operator {
  private book: RequestBook = newBook("none");
  /** The same as it is on disk: what is asked about a request is answered from here. */
  private recorded: RequestBook = this.book;
  private place: RunPlace | null = null;
  private run: OperatorRun | null = null;
  private listening: Listening | null = null;
  private isOpen = false;
  private closing: Promise<void> | null = null;
  private cancelTimer: () => void = () => undefined;
  /** Writes, and what follows them, in their order. */
  private last: Promise<unknown> = Promise.resolve();
  private readonly told = new Map<string, string>();
  private readonly listeners = new Map<string, Set<(request: RequestRecord) => void>>();

  constructor(private readonly options: OperatorOptions) {}

  private at(): string {
    return this.options.clock.now().toISOString();
  }

  private warn(what: string): void {
    this.options.onWarning("run.operator", what);
  }

  /**
   * Puts a step on record, then does what it asks for. Answers whether it could be written; what must be on record to count at
   * all (`isStrict`) is not done otherwise.
   */
  private take({ book, effects }: BookStep, isStrict = false): Promise<boolean> {
    this.book = book;
    this.schedule();
    if (effects.length === 0) return Promise.resolve(true);
    this.run?.changed();
    const isRecorded = effects.some(({ effect }) => effect.kind === "record");
    const written = this.last.then(async () => {
      let isWritten = true;
      if (isRecorded && this.place !== null)
        await writeRequests(this.place, book).catch((error: unknown) => {
          isWritten = false;
          this.warn(`the request could not be put on record: ${wordsOf(error)}`);
        });
      if (isStrict && !isWritten) return false;
      this.recorded = book;
      for (const { request, effect } of effects)
        try {
          this.carryOut(request, effect);
        } catch (error) {
          this.warn(`a request's change could not be told: ${wordsOf(error)}`);
        }
      return isWritten;
    });
    this.last = written.catch(() => undefined);
    return written;
  }

  private carryOut(request: RequestRecord, effect: RequestEffect): void {
    switch (effect.kind) {
      case "record":
        break;
      case "tell":
        for (const listener of this.listeners.get(request.request_id) ?? []) listener(request);
        this.options.onState?.(request);
        this.tellRun(request);
        break;
      case "interrupt_once":
        this.run?.force();
        break;
      case "withdraw":
        this.run?.withdraw();
        break;
      case "fault":
        this.warn(`${request.request_id}: ${effect.what}`);
        break;
    }
  }

  /** Each state once, with its first telling. */
  private tellRun(request: RequestRecord): void {
    const { request_id, state, reason, why, superseded_by, packet } = request;
    if (this.told.get(request_id) === state) return;
    this.told.set(request_id, state);
    const what = state === "accepted" ? reason : state === "superseded" ? superseded_by : (why?.what ?? null);
    this.run?.tell({ request_id, state, what, path: packet?.path ?? null });
  }

  private takeLive(event: RequestEvent): void {
    const live = liveRequest(this.book);
    if (live !== null) void this.take(takeEvent(this.book, live.request_id, event));
  }

  private schedule(): void {
    this.cancelTimer();
    const live = liveRequest(this.book);
    const due = live === null ? null : nextDeadline(live);
    if (due === null) return;
    const wait = Math.max(LEAST_WAIT_MS, due - this.options.clock.now().getTime());
    this.cancelTimer = this.options.clock.after(wait, () => {
      this.takeLive({ kind: "tick", at: this.at() });
      this.schedule();
    });
  }

  readonly accept = async (ask: Ask): Promise<Answer> => {
    const { run } = this;
    if (run === null) return { ok: false, ...noAttempt(this.book.run_id) };
    const asked = { request_id: ask.request_id, reason: reasonOf(ask.reason, run.workbench.redactor) };
    const { answer, step } = acceptRequest(this.book, asked, { at: this.at(), isOpen: this.isOpen });
    if (!answer.ok) return answer;
    if (!answer.is_new) return this.askedBefore(asked.request_id);
    if (!(await this.take(step, true))) {
      // Not on record is not accepted: nobody would know of it after a crash.
      this.book = forgetRequest(this.book, asked.request_id);
      this.schedule();
      return { ok: false, ...NOT_RECORDED };
    }
    const live = liveRequest(this.book);
    if (live?.request_id === asked.request_id && live.state === "accepted") run.ask();
    return answer;
  };

  /** Asked for twice: the second time may come while the first is being written. */
  private async askedBefore(requestId: string): Promise<Answer> {
    await this.last;
    const request = requestOf(this.recorded, requestId);
    return request === null ? { ok: false, ...NOT_RECORDED } : { ok: true, request, is_new: false };
  }

  readonly requests = (): readonly RequestRecord[] => this.book.requests;

  readonly subscribe = (requestId: string, listener: (request: RequestRecord) => void): (() => void) => {
    const known = this.listeners.get(requestId) ?? new Set();
    this.listeners.set(requestId, known.add(listener));
    return () => void known.delete(listener);
  };

  readonly live = (): LiveRequest | null => {
    const live = liveRequest(this.book);
    if (live === null) return null;
    const { request_id, accepted_at, begun_at, publication } = live;
    const ended = publication?.ended_at ?? null;
    return {
      request_id,
      accepted_at,
      begun: begun_at !== null,
      elapsed_ms: accepted_at === null ? null : ageOf(live, this.at()),
      publication_ms:
        publication === null || ended === null
          ? null
          : Date.parse(ended) - Date.parse(publication.started_at),
      publication_limit_ms: publication?.limit_ms ?? publicationLimit(live, this.at()),
    };
  };

  readonly complete = async ({ request_id, reason, what }: RequestVerdict): Promise<void> => {
    await this.take(takeEvent(this.book, request_id, { kind: "finalized", at: this.at(), reason, what }));
  };

  readonly close = (): Promise<void> => {
    this.closing ??= this.end();
    return this.closing;
  };

  private async end(): Promise<void> {
    this.isOpen = false;
    const what = "the run had ended";
    this.takeLive({ kind: "finalized", at: this.at(), reason: "outcome_not_handoff", what });
    await this.last;
    this.cancelTimer();
    await this.listening?.close();
    this.run = null;
  }

  /** The requests of earlier starts, none of them alive. */
  private async recall(place: RunPlace, runId: string): Promise<void> {
    try {
      this.book = await readRequests(place, runId);
    } catch (error) {
      const aside = await setRequestsAside(place, runId);
      this.warn(`${wordsOf(error)}; they were set aside as ${aside}`);
      this.book = newBook(runId);
    }
    this.recorded = this.book;
    await this.take(reconcileBook(this.book, this.at()));
  }

  readonly port: OperatorPort = {
    begin: async (run) => {
      const { root, outDir } = run.workbench;
      const place = { root, outDir };
      this.run = run;
      this.place = place;
      this.book = newBook(run.run_id);
      await this.recall(place, run.run_id);
      this.isOpen = true;
      const desk = {
        accept: this.accept,
        requests: () => this.recorded.requests,
        subscribe: this.subscribe,
        run_id: run.run_id,
      };
      this.listening = await listenForRequests(place, desk, this.at());
    },
    pending: (): PendingHandoff | null => {
      const live = liveRequest(this.book);
      if (live === null || live.accepted_at === null) return null;
      const { state, request_id, accepted_at } = live;
      if (state !== "accepted" && state !== "delivered" && state !== "begun") return null;
      const until = nextDeadline(live) ?? Date.parse(accepted_at) + LIMITS.whole;
      return { request_id, state, until };
    },
    delivered: () => this.takeLive({ kind: "deliver", at: this.at() }),
    begun: () => this.takeLive({ kind: "begin", at: this.at() }),
    writingMs: () => {
      const live = liveRequest(this.book);
      return live === null ? null : Math.max(1000, LIMITS.whole - RESERVE_MS - ageOf(live, this.at()));
    },
    publishing: () => this.takeLive({ kind: "publish", at: this.at() }),
    published: (packet) => this.takeLive({ kind: "published", at: this.at(), packet }),
  };
}

/** Opens the engine for one run. Nothing is read or written before the run begins it. */
export function openOperator(options: OperatorOptions): Operator {
  return new Engine(options);
}
