// A note as a change of a state's text (A11): nothing but the note changes, nothing is there twice.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { carryForward } from "../packet/carry-forward.js";
import { itemId } from "../text/digest.js";
import { buildState } from "../workbench/artifacts/build-state.js";
import { FieldNotes } from "../workbench/artifacts/field-notes.js";
import { NO_FEEDBACK } from "../../fixtures/support/snapshots.js";
import { editState } from "./edit-state.js";
import { type Note, NOTE_KINDS, type NoteWord } from "./note-kinds.js";

const NOW = new Date("2026-11-29T12:00:00Z");
const note = (word: NoteWord, text: string, more: Partial<Note> = {}): Note => ({
  word,
  text,
  why: null,
  waits_for: null,
  severity: null,
  ...more,
});
const edit = (before: string | null, ...notes: Note[]): string =>
  notes.reduce<string>((text, one) => editState(text, one, null, NOW), before ?? "{}");
const parsed = (text: string) => JSON.parse(text) as Record<string, unknown>;
const stateOf = (text: string) => buildState(JSON.parse(text), new FieldNotes("state", "agent_state.json"));

describe("A11 editState", () => {
  it("A11 begins a state that every reader knows as one", () => {
    const words = Object.keys(NOTE_KINDS) as NoteWord[];
    for (const session of ["s-1", null]) {
      const texts = words.map((word) => editState(null, note(word, "something"), session, NOW));
      expect(words.filter((_, i) => stateOf(texts[i] ?? "") === null)).toEqual([]);
      expect(texts.every((text) => text.endsWith("\n}\n"))).toBe(true);
    }
    expect(parsed(editState(null, note("next", "go on"), "s-1", NOW))).toEqual({
      schema_version: 1,
      session_id: "s-1",
      next_action: "go on",
      updated_at: "2026-11-29T12:00:00.000Z",
    });
  });

  it("A11 writes each kind where the state has it", () => {
    const text = edit(
      '{"next_action": "old"}',
      note("next", "new", { why: "because" }),
      note("doing", "d"),
      note("decided", "a window", { why: "fairer" }),
      note("dead-end", "a lock"),
      note("assume", "one process"),
      note("question", "how many?", { why: "the contract does not say" }),
      note("blocker", "no key", { waits_for: "human" }),
      note("blocker", "CI is down"),
      note("risk", "slow", { severity: "block" }),
      note("risk", "odd"),
      note("resolved", "something earlier"),
    );
    expect(parsed(text)).toEqual({
      next_action: "new (because)",
      doing: "d",
      decisions: [{ what: "a window", why: "fairer" }],
      dead_ends: [{ what: "a lock" }],
      assumptions: ["one process"],
      questions: ["how many? (the contract does not say)"],
      blockers: [{ text: "no key", waits_for: "human" }, "CI is down"],
      risks: [
        { severity: "block", detail: "slow" },
        { severity: "warn", detail: "odd" },
      ],
      resolved: ["something earlier"],
    });
  });

  it("A11 keeps every other byte: keys, their order, indentation, line ends, spelling of numbers", () => {
    const before =
      '{\r\n\t"next_action":"old",\r\n\t"mine": {"b":1.0, "a": 1e400, "10": 12345678901234567890},\r\n\t"questions": [ "q1" ],\r\n\t"2": "two"\r\n}\r\n';
    const after = edit(before, note("next", "new"), note("question", "q2"), note("assume", "x"));
    expect(after).toBe(
      before
        .replace('"old"', '"new"')
        .replace('[ "q1" ]', '[ "q1", "q2" ]')
        .replace('"two"\r\n}', '"two",\r\n\t"assumptions":[\r\n\t\t"x"\r\n\t]\r\n}'),
    );
    const oneLine = '{"schema_version": 1, "decisions": [], "x": [1,2]}';
    expect(edit(oneLine, note("decided", "d"))).toBe(
      '{"schema_version": 1, "decisions": [{"what": "d"}], "x": [1,2]}',
    );
  });

  it("A11 leaves a time alone unless the file has one of its own", () => {
    expect(edit('{"doing": "a"}', note("next", "n"))).not.toContain("updated_at");
    const stamped = '{"updated_at": "2020-01-01T00:00:00Z", "doing": "a"}';
    expect(parsed(edit(stamped, note("next", "n")))["updated_at"]).toBe("2026-11-29T12:00:00.000Z");
    // Nothing new was written.
    expect(edit(stamped, note("doing", "a"))).toBe(stamped);
  });

  it("A11 notes the same text once, however it is spaced, and learns what is more", () => {
    const once = edit(null, note("dead-end", "a lock"), note("question", "why?"), note("risk", "odd"));
    expect(edit(once, note("dead-end", " a  lock"), note("question", "why?"), note("risk", "odd"))).toBe(
      once,
    );
    const more = edit(
      once,
      note("dead-end", "a lock", { why: "deadlocks" }),
      note("risk", "odd", { severity: "block" }),
    );
    expect(parsed(more)).toMatchObject({
      dead_ends: [{ what: "a lock", why: "deadlocks" }],
      risks: [{ severity: "block", detail: "odd" }],
    });
    // A mere text becomes an object; an object keeps its own keys.
    const texts = '{"decisions": ["x", {"decision": "y", "by": "me"}], "blockers": ["b"]}';
    expect(
      parsed(
        edit(
          texts,
          note("decided", "x", { why: "1" }),
          note("decided", "y", { why: "2" }),
          note("blocker", "b", { waits_for: "ci" }),
        ),
      ),
    ).toEqual({
      decisions: [
        { decision: "y", by: "me", why: "2" },
        { what: "x", why: "1" },
      ],
      blockers: [{ text: "b", waits_for: "ci" }],
    });
  });

  it("A11 takes one text for a list of one", () => {
    expect(parsed(edit('{"questions": "q1", "doing": "d"}', note("question", "q2")))["questions"]).toEqual([
      "q1",
      "q2",
    ]);
    expect(parsed(edit('{"questions": null, "doing": "d"}', note("question", "q2")))["questions"]).toEqual([
      "q2",
    ]);
  });

  it("A11 refuses a field that is no list, and a list that is full", () => {
    expect(() => edit('{"questions": {"a": 1}, "doing": "d"}', note("question", "q"))).toThrow(
      expect.objectContaining({ code: "note.unusable_state", exitCode: 2 }),
    );
    const full = JSON.stringify({ questions: Array.from({ length: 500 }, (_, i) => `q${i}`) });
    expect(() => edit(full, note("question", "one more"))).toThrow(
      expect.objectContaining({ code: "note.list_full", exitCode: 2 }),
    );
    expect(edit(full, note("question", "q7"))).toBe(full);
  });

  it("P33 what is resolved leaves the lists of open things, by text or by id, and is named", () => {
    const before = edit(
      null,
      note("next", "ask them"),
      note("question", "how many?"),
      note("blocker", "no key", { waits_for: "human" }),
      note("risk", "slow"),
      note("assume", "one process"),
      note("decided", "a window"),
    );
    const byText = edit(
      before,
      ...["how many?", "no key", " slow", "one  process", "a window", "ask them"].map((text) =>
        note("resolved", text),
      ),
    );
    expect(parsed(byText)).toMatchObject({
      next_action: null,
      questions: [],
      blockers: [],
      risks: [],
      assumptions: [],
      // A decision that no longer holds was taken all the same; `resolved` drops it from the packet.
      decisions: [{ what: "a window" }],
      resolved: ["how many?", "no key", " slow", "one  process", "a window", "ask them"],
    });
    const ids = [
      itemId("question", "how many?"),
      itemId("question", "no key"),
      itemId("assumption", "one process"),
      itemId("next_action", "ask them"),
    ];
    const byId = parsed(edit(before, ...ids.map((id) => note("resolved", id))));
    expect(byId).toMatchObject({
      next_action: null,
      questions: [],
      blockers: [],
      assumptions: [],
      resolved: ids,
    });
    expect(byId["risks"]).toEqual([{ severity: "warn", detail: "slow" }]);
  });

  it("P33 what is noted again is open again", () => {
    const done = edit(null, note("question", "how many?"), note("resolved", itemId("question", "how many?")));
    const again = parsed(edit(done, note("question", "how many?")));
    expect(again).toMatchObject({ questions: ["how many?"], resolved: [] });
    const state = stateOf(edit(done, note("question", "how many?")));
    const own = { decisions: [], assumptions_to_validate: [], failed_attempts: [] };
    const row = {
      id: itemId("question", "how many?"),
      text: "how many?",
      carried_from: null,
      source: { path: "x" },
    };
    const open = carryForward({ ...own, questions_for_human: [row] }, null, state, NO_FEEDBACK, () => false);
    expect(open.questions_for_human).toEqual([row]);
  });

  it("A11 any notes on any object: valid JSON, everything else the same, the same notes again change nothing", () => {
    const words = fc.constantFrom(
      ...(Object.keys(NOTE_KINDS) as NoteWord[]).filter((word) => word !== "resolved"),
    );
    const text = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
      .filter((one) => one.trim() !== "");
    const notes = fc.array(
      fc.record({
        word: words,
        text,
        why: fc.option(text),
        waits_for: fc.constant(null),
        severity: fc.constant(null),
      }),
      { minLength: 1, maxLength: 8 },
    );
    const keys = fc
      .string({ unit: "grapheme", maxLength: 8 })
      .filter(
        (key) =>
          !(key in { __proto__: 1 }) &&
          !/^(?:next_action|doing|decisions|dead_ends|assumptions|questions|blockers|risks|resolved|updated_at)$/u.test(
            key,
          ),
      );
    const objects = fc.dictionary(keys, fc.jsonValue(), { maxKeys: 5, noNullPrototype: true });
    fc.assert(
      fc.property(objects, fc.constantFrom(0, 2, "\t"), notes, (object, indent, all) => {
        const before = JSON.stringify(object, null, indent);
        const after = edit(before, ...all);
        expect(parsed(after)).toMatchObject(JSON.parse(before));
        const last = new Map(
          all.filter(({ word }) => word === "next" || word === "doing").map((one) => [one.word, one]),
        );
        const lists = all.filter(({ word }) => word !== "next" && word !== "doing");
        // What was noted with two reasons has the later one.
        const byText = new Map(
          lists.map((one) => [`${one.word}\n${one.text.replace(/\s+/gu, " ").trim()}`, one]),
        );
        expect(edit(after, ...last.values(), ...byText.values())).toBe(after);
      }),
    );
  });
});
