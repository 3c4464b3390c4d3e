// O1-O3: who is taken, who is turned away, and what it changes.
import { describe, expect, test } from "vitest";
import { acceptRequest, liveRequest, MAX_REQUESTS, newBook, takeEvent } from "./request-book.js";
import { newRequest, type RequestBook } from "./request-record.js";

const AT = "2026-11-29T10:00:00.000Z";
const OPEN = { at: AT, isOpen: true };
const ask = (request_id: string, reason: string | null = null) => ({ request_id, reason });

function bookIn(...events: ("deliver" | "begin")[]): RequestBook {
  let { book } = acceptRequest(newBook("run-1"), ask("req-1"), OPEN).step;
  for (const kind of events) book = takeEvent(book, "req-1", { kind, at: AT }).book;
  return book;
}

describe("acceptRequest", () => {
  test("O1 the same id with the same reason gets the record there is, at whatever time", () => {
    const book = bookIn("deliver", "begin");
    const { answer, step } = acceptRequest(book, ask("req-1"), { at: AT, isOpen: false });
    expect(answer).toEqual({ ok: true, request: book.requests[0], is_new: false });
    expect(step.book).toBe(book);
  });

  test("O1 with another reason it is rejected", () => {
    const { answer } = acceptRequest(bookIn(), ask("req-1", "lunch"), OPEN);
    expect(answer).toMatchObject({ ok: false, code: "request.other_content" });
  });

  test("O2 without an active attempt there is an answer, and no record", () => {
    const book = newBook("run-1");
    const { answer, step } = acceptRequest(book, ask("req-1"), { at: AT, isOpen: false });
    expect(answer).toMatchObject({ ok: false, code: "request.no_attempt" });
    expect(step).toEqual({ book, effects: [] });
  });

  test("O3 the newest wins until one is picked up", () => {
    const { answer, step } = acceptRequest(bookIn(), ask("req-2"), OPEN);
    expect(answer).toMatchObject({ ok: true, is_new: true });
    expect(step.book.requests).toMatchObject([
      { request_id: "req-1", state: "superseded", superseded_by: "req-2" },
      { request_id: "req-2", state: "accepted" },
    ]);
    expect(step.effects.map(({ request, effect }) => `${request.request_id} ${effect.kind}`)).toEqual([
      "req-1 record",
      "req-1 tell",
      "req-2 record",
      "req-2 tell",
    ]);
    expect(liveRequest(step.book)?.request_id).toBe("req-2");
  });

  test.each([
    [["deliver"], "request.pinned"],
    [["deliver", "begin"], "request.begun"],
  ] as const)("O2 O3 after %j another is turned away, and changes nothing", (events, code) => {
    const book = bookIn(...events);
    const { answer, step } = acceptRequest(book, ask("req-2"), OPEN);
    expect(answer).toMatchObject({ ok: false, code });
    expect(step).toEqual({ book, effects: [] });
  });

  test("O1 a run takes so many requests and no more", () => {
    const requests = Array.from({ length: MAX_REQUESTS }, (_, n) => ({
      ...newRequest({ ...ask(`req-${n}`), accepted_at: AT }),
      state: "superseded" as const,
    }));
    const { answer } = acceptRequest({ ...newBook("run-1"), requests }, ask("req-one-more"), OPEN);
    expect(answer).toMatchObject({ ok: false, code: "request.too_many" });
  });
});
