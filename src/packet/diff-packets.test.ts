// What `handoff diff` tells: every kind of change, none for the same content.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitrarySnapshot, record, scanOf, snapshotWith } from "../../fixtures/support/snapshots.js";
import type { HandoffPacket } from "../model/packet.js";
import { buildPacket } from "./build-packet.js";
import { diffPackets } from "./diff-packets.js";

const state = {
  next_action: { text: "open a pull request", pointer: "/next_action" },
  decisions: [{ what: "use zod", why: "one schema", pointer: "/decisions/0" }],
  dead_ends: [{ what: "the old API", why: null, pointer: "/dead_ends/0" }],
};
const base = buildPacket(snapshotWith({ feedback: scanOf([record(1, "make test", 1)]) }, state));

describe("S10 diffPackets", () => {
  it("says nothing of a packet and itself, of rows that only moved, of what its life changed", () => {
    expect(diffPackets(base, base)).toEqual([]);
    const moved = {
      ...base,
      failed_attempts: base.failed_attempts.toReversed(),
      status: "archived",
      superseded_by: base.packet_id,
    } as HandoffPacket;
    expect(diffPackets(base, moved)).toEqual([]);
  });

  it("tells plain fields, added, removed and changed rows", () => {
    const feedback = scanOf([
      record(1, "make test", 1),
      record(2, "make test", 0),
      record(3, "make lint", 2),
    ]);
    const next = buildPacket(
      snapshotWith(
        { feedback },
        {
          ...state,
          next_action: { text: "merge it", pointer: "/next_action" },
          dead_ends: [],
          decisions: [{ what: "use zod", why: "one schema, two uses", pointer: "/decisions/0" }],
        },
      ),
    );
    const diff = new Map(diffPackets(base, next).map((row) => [row.field, row]));
    expect(diff.get("next_action")).toMatchObject({ from: "open a pull request", to: "merge it" });
    expect(diff.get("failed_attempts")).toMatchObject({
      added: ["make lint: exit 2, 1 times, unresolved"],
      removed: ["the old API"],
      changed: [
        { from: "make test: exit 1, 1 times, unresolved", to: "make test: exit 1, 1 times, resolved" },
      ],
    });
    expect(diff.get("decisions")).toMatchObject({
      changed: [{ from: "use zod (one schema)", to: "use zod (one schema, two uses)" }],
    });
    expect(diff.get("feedback.total")).toMatchObject({ from: "1", to: "3" });
    expect(diff.has("task_id")).toBe(false);
  });

  it("tells of any two packets with different content, and mirrors when they are swapped", () => {
    fc.assert(
      fc.property(arbitrarySnapshot, arbitrarySnapshot, (one, two) => {
        const [a, b] = [buildPacket(one, { allowDegraded: true }), buildPacket(two, { allowDegraded: true })];
        const [forth, back] = [diffPackets(a, b), diffPackets(b, a)];
        expect(back.map(({ field }) => field)).toEqual(forth.map(({ field }) => field));
        for (const [i, row] of forth.entries()) {
          expect([back[i]?.from, back[i]?.to]).toEqual([row.to, row.from]);
          expect(back[i]?.added).toEqual(row.removed);
        }
      }),
      { numRuns: 60 },
    );
  });
});
