// O11: whatever people, runs, clocks and crashes do to the requests of a run, in whatever order.
import assert from "node:assert/strict";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { RequestEffect, RequestEvent } from "./decide-request.js";
import {
  acceptRequest,
  type BookStep,
  liveRequest,
  newBook,
  reconcileBook,
  requestOf,
  takeEvent,
} from "./request-book.js";
import { isOver, type RequestBook, type RequestRecord, requestBookSchema } from "./request-record.js";

const START = Date.parse("2026-11-29T10:00:00.000Z");
const PACKET = { packet_id: "hp_3f9a1c0d5b7e2a64", path: "outputs/handoff/s/handoff.json" };

/** What happens next. */
type Move =
  | { readonly kind: "ask"; readonly id: number; readonly reason: number }
  | {
      readonly kind: "told";
      readonly event: "deliver" | "begin" | "publish" | "published" | "well" | "badly";
    }
  | { readonly kind: "wait"; readonly ms: number }
  /** The runner dies before, or right after, its next write; the run is gone on with. */
  | { readonly kind: "crash"; readonly before: boolean };

const moveOf: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ kind: fc.constant("ask" as const), id: fc.nat(5), reason: fc.nat(1) }),
  fc.record({
    kind: fc.constant("told" as const),
    event: fc.constantFrom("deliver", "begin", "publish", "published", "well", "badly"),
  }),
  fc.record({
    kind: fc.constant("wait" as const),
    ms: fc.constantFrom(1, 59_999, 60_000, 179_999, 240_000, 400_000),
  }),
  fc.record({ kind: fc.constant("crash" as const), before: fc.boolean() }),
);

/** Runs of a world in which everything that is not on disk is lost at a crash. */
class World {
  now = START;
  book: RequestBook = newBook("run-1");
  disk: RequestBook = this.book;
  crashing: "before" | "after" | null = null;
  /** What was told of each request, in its order. */
  readonly told = new Map<string, string[]>();
  readonly interrupts = new Map<string, number>();
  /** Accepted, as a person was told. */
  readonly accepted = new Set<string>();
  /** Ends that are on disk: they never change. */
  readonly ends = new Map<string, RequestRecord>();

  at(): string {
    return new Date(this.now).toISOString();
  }

  take({ book, effects }: BookStep): boolean {
    if (effects.length === 0) return true;
    if (this.crashing === "before") return this.restart();
    this.book = book;
    this.disk = requestBookSchema.parse(JSON.parse(JSON.stringify(book)));
    for (const one of this.disk.requests)
      if (isOver(one)) {
        assert.deepEqual(this.ends.get(one.request_id) ?? one, one);
        this.ends.set(one.request_id, one);
      }
    if (this.crashing === "after") return this.restart();
    for (const { request, effect } of effects) this.carryOut(request, effect);
    return true;
  }

  carryOut({ request_id, state }: RequestRecord, { kind }: RequestEffect): void {
    if (kind === "tell") this.told.set(request_id, [...(this.told.get(request_id) ?? []), state]);
    if (kind === "interrupt_once")
      this.interrupts.set(request_id, (this.interrupts.get(request_id) ?? 0) + 1);
  }

  restart(): false {
    this.crashing = null;
    this.book = this.disk;
    const once = reconcileBook(this.book, this.at());
    this.take(once);
    // Twice equals once.
    assert.deepEqual(reconcileBook(this.book, this.at()), { book: this.book, effects: [] });
    return false;
  }

  ask(id: number, reason: number): void {
    const ask = { request_id: `req-${id}`, reason: reason === 0 ? null : `because ${reason}` };
    const known = requestOf(this.book, ask.request_id);
    const { answer, step } = acceptRequest(this.book, ask, { at: this.at(), isOpen: true });
    if (!answer.ok) {
      // An answer, not a record.
      assert.deepEqual(step, { book: this.book, effects: [] });
      return;
    }
    assert.deepEqual(answer.request, known ?? answer.request);
    if (this.take(step)) this.accepted.add(ask.request_id);
  }

  play(move: Move): void {
    if (move.kind === "crash") {
      this.crashing = move.before ? "before" : "after";
      return;
    }
    if (move.kind === "ask") {
      this.ask(move.id, move.reason);
      return;
    }
    const live = liveRequest(this.book);
    if (move.kind === "wait") this.now += move.ms;
    if (live === null) return;
    const at = this.at();
    const event: RequestEvent =
      move.kind === "wait"
        ? { kind: "tick", at }
        : move.event === "published"
          ? { kind: "published", at, packet: PACKET }
          : move.event === "well" || move.event === "badly"
            ? { kind: "finalized", at, reason: move.event === "well" ? null : "never_begun", what: "" }
            : { kind: move.event, at };
    this.take(takeEvent(this.book, live.request_id, event));
  }
}

const ORDER = ["accepted", "delivered", "begun", "completed"];

test("O11 random histories with a crash around any write: legal states, one end a request, nothing lost", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.array(moveOf, { maxLength: 40 }), (moves) => {
      const world = new World();
      for (const move of moves) {
        world.play(move);
        // Never two at a time.
        expect(world.book.requests.filter((one) => !isOver(one)).length).toBeLessThanOrEqual(1);
      }
      world.crashing = null;
      world.restart();
      for (const id of world.accepted) {
        const end = requestOf(world.book, id);
        // Who was told "accepted" finds it on record, with exactly one end.
        expect(end !== null && isOver(end)).toBe(true);
        if (end !== null) seen.add(`${end.state} ${end.why?.reason ?? ""}`.trim());
      }
      for (const states of world.told.values()) {
        const ends = states.filter((one) => ["completed", "not_fulfilled", "superseded"].includes(one));
        expect(ends.length).toBeLessThanOrEqual(1);
        expect(states.at(-1)).toBe(ends[0] ?? states.at(-1));
        const steps = states.map((one) => ORDER.indexOf(one)).filter((one) => one !== -1);
        expect(steps).toEqual(steps.toSorted((a, b) => a - b));
      }
      for (const count of world.interrupts.values()) expect(count).toBe(1);
      const { requests } = world.book;
      // What was once published is still named.
      const published = requests.filter(({ publication }) => (publication?.ended_at ?? null) !== null);
      for (const one of published) expect(one.packet).toEqual(PACKET);
      for (const one of requests.filter(({ state }) => state === "superseded"))
        expect(requestOf(world.book, one.superseded_by ?? "")).not.toBeNull();
    }),
    { numRuns: 1500 },
  );
  // The histories come by all of these: were they not, this would show little.
  expect([...seen].toSorted()).toEqual(
    [
      "completed",
      "not_fulfilled crashed",
      "not_fulfilled expired",
      "not_fulfilled never_begun",
      "superseded",
    ].toSorted(),
  );
});
