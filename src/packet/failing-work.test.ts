// Which failures are work (P28): what was to pass comes next, what only looked or was cut short does not, and all stay on record.
import { describe, expect, it } from "vitest";
import { present, record, scanOf, snapshotWith } from "../../fixtures/support/snapshots.js";
import type { FailedAttempt } from "../model/packet.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { buildPacket } from "./build-packet.js";
import { weighFailure } from "./failing-work.js";

const ASKED: WorkbenchSnapshot["session_record"] = present(
  "session_record",
  ".handoff/sessions/s-1/session.json",
  {
    base_commit: null,
    goal: "make the limit ten",
    agent: "claude-code",
    model: null,
    branch: null,
    started_at: null,
    ended_at: null,
    end_reason: null,
    last_message: null,
    stamped_at: null,
  },
);

const weigh = (what: string, exit_code: number | null = 1, why: string | null = null): string => {
  const packet = buildPacket(snapshotWith({ feedback: scanOf([record(1, what, exit_code)]) }));
  return weighFailure({ ...(packet.failed_attempts[0] as FailedAttempt), why });
};

describe("weighFailure P28", () => {
  it.each([
    "ls docs",
    "cat src/missing.ts",
    "grep -rn 'a|b; c && d' src",
    'grep -rn "limit > 5" src | head -20',
    "cd packages/a && ls dist 2>/dev/null",
    "LC_ALL=C /usr/bin/grep x y",
    "rg TODO; echo done",
    "git log nothing..main",
    "git rev-parse --verify x 2>&1",
    "sed -n 1,20p nothing.ts",
    "command -v bun",
    "which bun || true",
    "handoff check",
  ])("%j only looks", (command) => expect(weigh(command)).toBe("look"));
  it.each([
    "npm test",
    "npm test | grep failed",
    "ls && make",
    "grep -q ten src/limit.js",
    "diff expected actual",
    "test -f dist/app.js",
    "git diff --exit-code",
    "git push",
    "cat > a.txt",
    "cat <<'X' | sh",
    "ls $(make list)",
    "sed -i s/5/10/ src/limit.js",
    "for f in *; do ls $f; done",
    "echo hi",
    "sh -c 'ls x'",
    "'ls x",
  ])("%j is work", (command) => expect(weigh(command)).toBe("work"));
  it.each([
    ["interrupted", "unrun"],
    ["interrupted, or rejected before it ran", "unrun"],
    ["did not run: blocked", "unrun"],
    ["denied: Permission to use Bash has been denied.", "denied"],
    ["denied", "denied"],
    ["timeout: Command timed out after 2m", "work"],
    [null, "work"],
  ])("no exit status and %j is %s", (why, expected) => {
    expect(weigh("make release", null, why)).toBe(expected);
    expect(weigh("make release", 1, why)).toBe("work");
  });
});

describe("what failing commands do to the next action", () => {
  const after = (...rows: Parameters<typeof record>[]) =>
    buildPacket(
      snapshotWith(
        { session_record: ASKED, feedback: scanOf(rows.map((row) => record(...row))) },
        // Nothing recorded.
        {},
      ),
    );

  it("P28 a look that found nothing and a denied command are nothing to make pass", () => {
    const packet = after(
      [1, "npm test", 1, { stderr_tail: "Error: no" }],
      [2, "ls docs", 2],
      [3, "rm -rf /", null, { error: "denied: Permission to use Bash has been denied." }],
      [4, "sleep 100", null, { error: "interrupted" }],
    );
    expect(packet.next_action).toBe('Make "npm test" pass (exit 1): Error: no');
    expect(packet.failed_attempts.map(({ what, resolved }) => [what, resolved])).toEqual([
      ["npm test", false],
      ["sleep 100", false],
      ["rm -rf /", false],
      ["ls docs", false],
    ]);
    expect(
      packet.open_risks
        .filter(({ code }) => code === "feedback.unresolved")
        .map(({ severity, detail }) => [severity, detail.split(" (")[0]]),
    ).toEqual([
      ["warn", "npm test"],
      ["info", "sleep 100"],
      ["info", "rm -rf /"],
      ["info", "ls docs"],
    ]);
  });

  it("P28 with a goal, it is the goal that counts", () => {
    const packet = after([1, "grep -rn ten src", 1]);
    expect(packet.next_action).toBe("Work towards the goal of the session: make the limit ten");
  });

  it("P28 where nothing else says anything a look is better than nothing, a denied command is not", () => {
    const alone = (...rows: Parameters<typeof record>[]) =>
      buildPacket(snapshotWith({ feedback: scanOf(rows.map((row) => record(...row))) }, {}), {
        allowDegraded: true,
      });
    expect(alone([1, "ls docs", 2]).next_action).toBe('Make "ls docs" pass (exit 2)');
    expect(alone([1, "rm -rf /", null, { error: "denied" }]).degraded?.reason).toBe("no_next_action");
  });
});

describe("P33 a session that changed nothing does not bury what the session before recorded", () => {
  const before = buildPacket(
    snapshotWith(
      { session: { id: "s-0", from: "hook" }, feedback: scanOf([record(1, "npm test", 1)]) },
      { next_action: { text: "fix the assertion", pointer: "/next_action" } },
    ),
  );
  const follow = (parts: Partial<WorkbenchSnapshot> = {}) =>
    buildPacket(
      snapshotWith(
        {
          predecessor: before,
          session_record: ASKED,
          feedback: scanOf([record(1, "git status", 0)]),
          ...parts,
        },
        {},
      ),
    );

  it("the recorded action stands before the failure that was there when it was recorded", () => {
    expect(follow()).toMatchObject({
      next_action: "fix the assertion",
      next_action_source: { rule: "recorded", derived: true, source: { path: before.packet_id } },
    });
  });

  it("once it edits, or a command of its own fails, that counts", () => {
    const touched_files = present("touched_files", ".handoff/sessions/s-1/touched_files.jsonl", {
      files: [{ path: "src/limit.js", line: 1 }],
      stamped_at: null,
    });
    expect(follow({ touched_files }).next_action).toBe('Make "npm test" pass (exit 1)');
    expect(follow({ feedback: scanOf([record(1, "make", 2)]) }).next_action).toBe(
      'Make "make" pass (exit 2)',
    );
  });
});
