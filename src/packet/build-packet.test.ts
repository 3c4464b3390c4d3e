// The packet as a whole: schema, budget, sums, purity (P14, P15, P21, P22, P34, P35, P36) on arbitrary snapshots.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  arbitrarySnapshot,
  CLEAN_GIT,
  EMPTY_SNAPSHOT,
  OTHER_SHA,
  record,
  scanOf,
  SHA,
  snapshotWith,
  verification,
} from "../../fixtures/support/snapshots.js";
import { unresolvedFailures } from "../model/count-unresolved.js";
import { RefusalError } from "../model/errors.js";
import { handoffPacketSchema, type HandoffPacket } from "../model/packet.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { TAIL_RECORDS } from "../model/feedback.js";
import { buildPacket } from "./build-packet.js";
import { packetBytes } from "./packet-bytes.js";
import { packetId } from "./packet-id.js";

function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...strings(inner)]);
}

function sum(rows: readonly { count: number }[]): number {
  return rows.reduce((total, { count }) => total + count, 0);
}

function logCounts(packet: HandoffPacket): { commands: number; failures: number } {
  return {
    commands: sum(packet.commands_run) + (packet.omitted["commands_run"] ?? 0),
    failures: sum(packet.failed_attempts.filter(({ kind }) => kind !== "dead_end")),
  };
}

/** A bit of everything, some 70 KiB of it. */
function crowded(): WorkbenchSnapshot {
  const rows = Array.from({ length: 60 }, (_, i) => [
    record(2 * i + 1, `make target-${i}`, 2, { stderr_tail: "why ".repeat(100) }),
    record(2 * i + 2, i % 2 === 0 ? `make target-${i}` : `ls ${i}`, 0),
  ]).flat();
  const changes = Array.from({ length: 120 }, (_, i) => ({
    path: `src/file-${i}.ts`,
    change: "modified" as const,
    renamed_from: null,
    insertions: 1,
    deletions: 1,
    committed: false,
    submodule: false,
  }));
  const commits = Array.from({ length: 40 }, (_, i) => ({ sha: SHA, subject: `commit ${i}` }));
  const diagnostics = Array.from({ length: 30 }, (_, i) => ({
    code: "artifact.not_json" as const,
    severity: "error" as const,
    artifact: "board" as const,
    source: { path: `board-${i}.json` },
    args: { reason: "ends too early" },
  }));
  const decisions = Array.from({ length: 12 }, (_, i) => ({
    what: `decision ${i}`,
    why: "because",
    pointer: `/decisions/${i}`,
  }));
  return snapshotWith(
    { feedback: scanOf(rows), git: { ...CLEAN_GIT, changes, commits, dirty: true }, diagnostics },
    { next_action: { text: "go on", pointer: "/next_action" }, decisions },
  );
}

describe("buildPacket", () => {
  it("P22 P35 makes a schema-valid packet within its budget of any snapshot", () => {
    fc.assert(
      fc.property(arbitrarySnapshot, fc.integer({ min: 16_384, max: 80_000 }), (snapshot, maxBytes) => {
        const packet = buildPacket(snapshot, { maxBytes, allowDegraded: true });
        expect(handoffPacketSchema.safeParse(packet).error).toBeUndefined();
        expect(packetBytes(packet)).toBeLessThanOrEqual(maxBytes);
      }),
      { numRuns: 150 },
    );
  });

  it("P14 P15 keeps the sums of the log whatever the budget cuts", () => {
    fc.assert(
      fc.property(arbitrarySnapshot, fc.constantFrom(4096, 12_000, 65_536), (snapshot, maxBytes) => {
        const packet = buildPacket(snapshot, { maxBytes, allowDegraded: true });
        const counts = logCounts(packet);
        expect(counts).toEqual({ commands: packet.feedback.total, failures: packet.feedback.nonzero });
      }),
      { numRuns: 150 },
    );
  });

  it("P34 gives the same packet for the same snapshot, and does not touch the snapshot", () => {
    fc.assert(
      fc.property(arbitrarySnapshot, (snapshot) => {
        const frozen = deepFreeze(structuredClone(snapshot));
        const options = { allowDegraded: true };
        expect(JSON.stringify(buildPacket(frozen, options))).toBe(
          JSON.stringify(buildPacket(snapshot, options)),
        );
      }),
      { numRuns: 80 },
    );
  });

  it("P36 lets no control, ANSI, bidirectional or lone surrogate character into any string but file names (P9)", () => {
    // oxlint-disable-next-line no-control-regex
    const forbidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069\ufeff]/u;
    fc.assert(
      fc.property(arbitrarySnapshot, (snapshot) => {
        const packet = buildPacket(snapshot, { allowDegraded: true });
        const { changed_files, ...rest } = packet;
        for (const { path, renamed_from } of changed_files) {
          expect([path.isWellFormed(), renamed_from?.isWellFormed() ?? true]).toEqual([true, true]);
        }
        for (const text of strings(rest)) {
          expect(text.isWellFormed()).toBe(true);
          expect(text).not.toMatch(forbidden);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("P28 refuses when nothing can be said, and degrades only when asked to", () => {
    expect(() => buildPacket(EMPTY_SNAPSHOT)).toThrow(RefusalError);
    const packet = buildPacket(EMPTY_SNAPSHOT, { allowDegraded: true });
    expect(packet.degraded?.reason).toBe("no_next_action");
    expect(packet.next_action_source).toEqual({ derived: true, rule: "degraded", source: null });
    expect(packet.next_action).toMatch(/git status/u);
  });

  it("P21 has an id that depends on the content alone, not on its life", () => {
    const packet = buildPacket(snapshotWith({}));
    expect(packet.packet_id).toMatch(/^hp_[0-9a-f]{16}$/u);
    expect(packetId(packet)).toBe(packet.packet_id);
    const later: HandoffPacket = {
      ...packet,
      status: "superseded",
      superseded_by: "hp_0000000000000000",
      supersedes: "hp_0000000000000001",
      handoff_reason: "ci",
    };
    expect(packetId(later)).toBe(packet.packet_id);
    expect(packetId({ ...packet, next_action: "something else" })).not.toBe(packet.packet_id);
  });

  it("P21 takes generated_at from the newest input and never from the clock", () => {
    const scan = scanOf([record(1, "ls", 0, { at: Date.UTC(2020, 0, 1) })]);
    const head = { ...CLEAN_GIT.head!, committed_at: Date.UTC(2019, 0, 1) };
    const git = { ...CLEAN_GIT, head };
    expect(buildPacket(snapshotWith({ git, feedback: scan })).generated_at).toBe("2020-01-01T00:00:00.000Z");
    const far = { ...scan, newest_at: 9e18 };
    expect(buildPacket(snapshotWith({ git, feedback: far })).generated_at).toBe("2019-01-01T00:00:00.000Z");
    expect(buildPacket(snapshotWith({ git: { ...git, head: null } })).generated_at).toBeNull();
  });

  it("P14 shows the last K records and groups the last 200 and every nonzero one", () => {
    const rows = Array.from({ length: 500 }, (_, i) =>
      record(i + 1, i % 2 === 0 ? "ls" : "pwd", i === 3 ? 7 : 0),
    );
    const packet = buildPacket(snapshotWith({ feedback: scanOf(rows) }), { last: 3 });
    expect(packet.feedback.tail.map(({ source }) => source.line)).toEqual([498, 499, 500]);
    expect(packet.commands_run).toMatchObject([
      { command: "pwd", exit_code: 7, count: 1, source: { line: 4 } },
      { command: "ls", exit_code: 0, count: TAIL_RECORDS / 2, source: { line: 499 } },
      { command: "pwd", exit_code: 0, count: TAIL_RECORDS / 2, source: { line: 500 } },
    ]);
    expect(packet.omitted).toEqual({ commands_run: 299 });
    expect(buildPacket(snapshotWith({ feedback: scanOf(rows) }), { last: 0 }).feedback.tail).toEqual([]);
  });

  it("P35 keeps identity, next action, blocking risks and unresolved failures longest", () => {
    const failing = Array.from({ length: 40 }, (_, i) =>
      record(i + 1, `make target-${i}`, 2, { stderr_tail: "e".repeat(900) }),
    );
    const findings = [
      {
        code: "scope.forbidden",
        severity: "block" as const,
        original_severity: null,
        detail: "forbidden: a.sh",
        pointer: "/findings/0",
      },
    ];
    const changes = Array.from({ length: 500 }, (_, i) => ({
      path: `src/file-${i}.ts`,
      change: "modified" as const,
      renamed_from: null,
      insertions: 1,
      deletions: 1,
      committed: false,
      submodule: false,
    }));
    const snapshot = snapshotWith({
      feedback: scanOf(failing),
      verification: verification({ passed: false, findings }),
      git: { ...CLEAN_GIT, changes, dirty: true },
    });
    const packet = buildPacket(snapshot, { maxBytes: 24_000 });
    expect(packet.failed_attempts).toHaveLength(40);
    expect(packet.open_risks[0]).toMatchObject({ severity: "block", code: "verification.finding" });
    expect(packet.next_action).toBe("open a pull request");
    expect(packet.changed_files.length + (packet.omitted["changed_files"] ?? 0)).toBe(500);
    const tiny = buildPacket(snapshot, { maxBytes: 4096 });
    expect(tiny.next_action).toBe("open a pull request");
    expect(tiny.open_risks[0]?.severity).toBe("block");
    expect(tiny.failed_attempts.at(-1)).toMatchObject({ kind: "remainder" });
    expect(logCounts(tiny).failures).toBe(40);
    expect(packetBytes(tiny)).toBeLessThanOrEqual(4096);
  });

  it("P15 P35 fits a log with a million records and thousands of failure groups", () => {
    const rows = Array.from({ length: 2000 }, (_, i) =>
      record(i + 1, `test ${i}`, 1, { stderr_tail: `why ${i}\n`.repeat(90) }),
    );
    const scan = {
      ...scanOf(rows),
      total: 1_000_000,
      nonzero: 500_000,
      folded: { groups: 498_000, records: 498_000, unresolved_groups: 400_000 },
    };
    const packet = buildPacket(snapshotWith({ feedback: scan }));
    expect(packetBytes(packet)).toBeLessThanOrEqual(65_536);
    expect(logCounts(packet)).toEqual({ commands: 1_000_000, failures: 500_000 });
    const remainder = packet.failed_attempts.at(-1);
    const shown = packet.failed_attempts.length - 1;
    expect(shown).toBeGreaterThan(50);
    expect(remainder?.what).toBe(
      `${500_000 - shown} more failing commands, not listed (${402_000 - shown} unresolved)`,
    );
  });

  it("P35 leaves every list its most telling rows when failures alone would fill the packet", () => {
    const rows = Array.from({ length: 150 }, (_, i) =>
      record(i + 1, `make target-${i}`, 2, { stderr_tail: "e".repeat(300) }),
    );
    const items = (kind: string) =>
      Array.from({ length: 3 }, (_, i) => ({ text: `${kind} ${i}`, pointer: `/${kind}/${i}` }));
    const state = {
      next_action: { text: "go on", pointer: "/next_action" },
      decisions: items("decisions").map(({ text, pointer }) => ({ what: text, why: null, pointer })),
      questions: items("questions"),
      assumptions: items("assumptions"),
    };
    const packet = buildPacket(snapshotWith({ feedback: scanOf(rows) }, state));
    expect(packetBytes(packet)).toBeLessThanOrEqual(65_536);
    expect(packet.open_risks.map(({ code }) => code)).toContain("verification.missing");
    expect(packet.decisions).toHaveLength(3);
    expect(packet.questions_for_human).toHaveLength(3);
    expect(packet.assumptions_to_validate).toHaveLength(3);
    expect(packet.prerequisites).toHaveLength(1);
    expect(packet.feedback.tail).toHaveLength(5);
    const shown = packet.failed_attempts.filter(({ kind }) => kind === "command");
    expect(shown.length).toBeGreaterThanOrEqual(40);
    expect(shown.slice(0, 10).every(({ excerpt }) => excerpt !== null)).toBe(true);
    expect(shown[0]?.what).toBe("make target-149");
    expect(unresolvedFailures(packet)).toBe(150);
    expect(packet.summary).toContain("150 failures unresolved");
  });

  it("P35 gives things up in the declared order", () => {
    const gone = (maxBytes: number): string[] =>
      Object.keys(buildPacket(crowded(), { maxBytes }).omitted).toSorted();
    const sizes = [60_000, 40_000, 30_000, 20_000, 12_000, 8000, 6000, 5000, 4200].map(gone);
    // What was given up stays given up as the packet gets smaller.
    for (const [i, names] of sizes.entries()) {
      const before = sizes[i - 1] ?? [];
      expect(before.filter((name) => !names.includes(name))).toEqual([]);
    }
    const order = [
      "failed_attempts.excerpt",
      "commits",
      "changed_files",
      "gaps",
      "decisions",
      "prerequisites",
    ];
    const firstGone = order.map((name) => sizes.findIndex((names) => names.includes(name)));
    expect(firstGone.includes(-1)).toBe(false);
    expect(firstGone).toEqual(firstGone.toSorted((a, b) => a - b));
  });

  it("P12 P27 says missing where there is no report, and never takes HEAD for good", () => {
    const packet = buildPacket(snapshotWith({}));
    expect(packet.verdict_pointer.verification).toEqual({
      path: null,
      sha256: null,
      outcome: "missing",
      head_commit: null,
      stale: null,
    });
    expect(packet.last_known_good_commit).toBeNull();
    expect(packet.open_risks).toContainEqual(
      expect.objectContaining({ code: "verification.missing", severity: "warn" }),
    );
  });

  it("P36 counts every text it shortens", () => {
    const packet = buildPacket(
      snapshotWith({}, { next_action: { text: "x".repeat(9000), pointer: "/next_action" } }),
    );
    expect(Buffer.byteLength(packet.next_action)).toBeLessThanOrEqual(4000);
    expect(packet.next_action.endsWith("…")).toBe(true);
    expect(packet.omitted).toEqual({ texts: 1 });
  });

  it("P21 links the predecessor of the same branch and topic", () => {
    const predecessor = buildPacket(snapshotWith({}));
    const packet = buildPacket(
      snapshotWith({ predecessor, git: { ...CLEAN_GIT, head: { ...CLEAN_GIT.head!, sha: OTHER_SHA } } }),
    );
    expect(packet.supersedes).toBe(predecessor.packet_id);
    expect([predecessor.head_commit, packet.head_commit]).toEqual([SHA, OTHER_SHA]);
  });
});

function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === "object") {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}
