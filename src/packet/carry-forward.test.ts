// Carry-forward over generations (P33).
import { describe, expect, it } from "vitest";
import { record, review, scanOf, snapshotWith } from "../../fixtures/support/snapshots.js";
import type { AgentState } from "../model/artifacts.js";
import type { HandoffPacket } from "../model/packet.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { buildPacket } from "./build-packet.js";

const NEXT = { text: "go on", pointer: "/next_action" };

function generation(
  predecessor: HandoffPacket | null,
  state: Partial<AgentState> = {},
  parts: Partial<WorkbenchSnapshot> = {},
): HandoffPacket {
  return buildPacket(snapshotWith({ predecessor, ...parts }, { next_action: NEXT, ...state }));
}

const FIRST = generation(
  null,
  {
    decisions: [{ what: "limit by address", why: "no account yet", pointer: "/decisions/0" }],
    dead_ends: [{ what: "-D_ANSI_SOURCE", why: "turns other macros off", pointer: "/dead_ends/0" }],
    questions: [{ text: "five or ten a minute?", pointer: "/questions/0" }],
    assumptions: [{ text: "one process", pointer: "/assumptions/0" }],
  },
  { feedback: scanOf([record(1, "make test", 2), record(2, "lint", 1), record(3, "lint", 0)]) },
);

function carried(packet: HandoffPacket): Record<string, string | null> {
  const rows: [string, string | null][] = [
    ...packet.failed_attempts.map((row): [string, string | null] => [row.what, row.carried_from]),
    ...packet.decisions.map((row): [string, string | null] => [row.what, row.carried_from]),
    ...packet.questions_for_human.map((row): [string, string | null] => [row.text, row.carried_from]),
    ...packet.assumptions_to_validate.map((row): [string, string | null] => [row.text, row.carried_from]),
  ];
  return Object.fromEntries(rows);
}

describe("carryForward P33", () => {
  it("brings everything open along, three generations later still from the first", () => {
    const second = generation(FIRST, {
      decisions: [{ what: "errors are a list", why: null, pointer: "/decisions/0" }],
    });
    const third = generation(second);
    expect(carried(third)).toEqual({
      "make test": FIRST.packet_id,
      "-D_ANSI_SOURCE": FIRST.packet_id,
      "limit by address": FIRST.packet_id,
      "errors are a list": second.packet_id,
      "five or ten a minute?": FIRST.packet_id,
      "one process": FIRST.packet_id,
    });
    expect(third.carried_forward).toEqual([FIRST.packet_id, second.packet_id]);
    expect(third.supersedes).toBe(second.packet_id);
  });

  it("keeps carried rows outside the sums of the log (P15)", () => {
    const second = generation(FIRST, {}, { feedback: scanOf([record(1, "pytest", 1)]) });
    const own = second.failed_attempts.filter((row) => row.kind === "command" && row.carried_from === null);
    expect(own.map(({ what }) => what)).toEqual(["pytest"]);
    expect(second.feedback.nonzero).toBe(1);
  });

  it("drops a failure when its command exits 0, and only then", () => {
    const watched = (exit: number): WorkbenchSnapshot["feedback"] =>
      scanOf([record(1, ["make", "test"], exit)], ["make test"]);
    expect(carried(generation(FIRST, {}, { feedback: watched(0) }))).not.toHaveProperty("make test");
    const failsAnew = generation(FIRST, {}, { feedback: watched(3) });
    expect(
      failsAnew.failed_attempts
        .filter(({ what }) => what === "make test")
        .map((row) => [row.exit_code, row.carried_from]),
    ).toEqual([
      [3, null],
      [2, FIRST.packet_id],
    ]);
  });

  it("shows an item that this session has itself once, as its own", () => {
    const again = generation(FIRST, {
      dead_ends: [{ what: "-D_ANSI_SOURCE", why: "still", pointer: "/dead_ends/0" }],
    });
    expect(again.failed_attempts.filter(({ what }) => what === "-D_ANSI_SOURCE")).toMatchObject([
      { carried_from: null, why: "still" },
    ]);
  });

  it("drops what the state lists as resolved, by id or by text", () => {
    const id = FIRST.decisions[0]!.id;
    const failure = FIRST.failed_attempts.find(({ what }) => what === "make test")!.id;
    const done = generation(FIRST, { resolved: [id, failure, "  -D_ANSI_SOURCE ", "five or ten a minute?"] });
    expect(carried(done)).toEqual({ "one process": FIRST.packet_id });
  });

  it("drops an assumption that the review validated", () => {
    const dimensions = [{ name: "assumptions", score: 2, note: null, pointer: "/dimensions/0" }];
    expect(carried(generation(FIRST, {}, { review: review({ dimensions }) }))).not.toHaveProperty(
      "one process",
    );
  });

  it("derives the next action from a carried failure when nothing newer says one", () => {
    const packet = buildPacket(snapshotWith({ predecessor: FIRST }, {}));
    expect(packet.next_action).toBe('Make "make test" pass (exit 2)');
    expect(packet.next_action_source.rule).toBe("failure");
  });

  it("does not carry what was resolved or only counted", () => {
    expect(Object.keys(carried(generation(FIRST)))).not.toContain("lint");
  });
});
