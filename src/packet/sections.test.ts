// The packet's other sections: failures and excerpts (P15-P17), changed files (P25), assumptions, questions,
// prerequisites (P30-P32), summary (P24), gaps.
import { describe, expect, it } from "vitest";
import {
  CLEAN_GIT,
  missing,
  OTHER_SHA,
  present,
  record,
  review,
  scanOf,
  snapshotWith,
  verification,
} from "../../fixtures/support/snapshots.js";
import type { FeedbackScan } from "../model/feedback.js";
import type { GitChange } from "../model/snapshot.js";
import { buildPacket } from "./build-packet.js";
import { explainFailure } from "./excerpt.js";

const change = (path: string, parts: Partial<GitChange> = {}): GitChange => ({
  path,
  change: "modified",
  renamed_from: null,
  insertions: 4,
  deletions: 1,
  committed: true,
  submodule: false,
  ...parts,
});

describe("failed_attempts", () => {
  const failed = (rows: Parameters<typeof scanOf>[0]) =>
    buildPacket(snapshotWith({ feedback: scanOf(rows) })).failed_attempts.map((row) => ({
      what: row.what,
      exit: row.exit_code,
      count: row.count,
      lines: row.lines,
      resolved_at: row.resolved_at_line,
    }));

  it("P15 P17 groups by command and exit, unresolved first, newest first", () => {
    const rows = [
      record(1, "pytest -q", 1),
      record(2, ["pytest", "-q"], 1),
      record(3, "pytest -q", 2),
      record(4, "make", null, { error: "timeout" }),
      record(5, "pytest -q", 0),
      record(6, "lint", 1),
    ];
    expect(failed(rows)).toEqual([
      { what: "lint", exit: 1, count: 1, lines: "6", resolved_at: null },
      { what: "make", exit: null, count: 1, lines: "4", resolved_at: null },
      { what: "pytest -q", exit: 2, count: 1, lines: "3", resolved_at: 5 },
      { what: "pytest -q", exit: 1, count: 2, lines: "1,2", resolved_at: 5 },
    ]);
  });

  it("P17 a success before the last failure resolves nothing", () => {
    expect(failed([record(1, "x", 1), record(2, "x", 0), record(3, "x", 1)])).toMatchObject([
      { resolved_at: null, count: 2 },
    ]);
  });

  it("P15 prefixes line ranges with the log's name when there are several logs", () => {
    const scan = scanOf([record(3, "x", 1)]);
    const lines = [
      {
        path: ".handoff/sessions/s/feedback.jsonl",
        ranges: [
          [3, 3],
          [7, 9],
        ] as const,
        omitted: 0,
      },
      { path: "feedback_record.jsonl", ranges: [[1, 1]] as const, omitted: 4 },
    ];
    const several: FeedbackScan = {
      ...scan,
      files: lines.map(({ path }) => ({ path, records: 1, bytes: 1 })),
      failures: scan.failures.map((group) => ({ ...group, lines })),
    };
    const packet = buildPacket(snapshotWith({ feedback: several }));
    expect(packet.failed_attempts[0]?.lines).toBe(
      "feedback.jsonl:3,feedback.jsonl:7-9,feedback_record.jsonl:1,feedback_record.jsonl:+4 more",
    );
  });

  it("P16 a failure keeps why, a success one line", () => {
    const rows = [
      record(1, "pytest", 1, {
        stderr_tail: "collected 3\nE  AssertionError: 1 != 2\n====\n",
        note: "first try",
      }),
      record(2, "ls", 0, { stdout_tail: "a\nb" }),
    ];
    const packet = buildPacket(snapshotWith({ feedback: scanOf(rows) }));
    expect(packet.failed_attempts[0]).toMatchObject({
      why: "E AssertionError: 1 != 2 (note: first try)",
      excerpt: "collected 3\nE  AssertionError: 1 != 2\n====",
    });
    expect(JSON.stringify(packet.commands_run)).not.toContain("a\\nb");
  });

  it("dead ends stand between open and resolved failures", () => {
    const feedback = scanOf([record(1, "a", 1), record(2, "a", 0), record(3, "b", 1)]);
    const state = {
      next_action: { text: "go", pointer: "/next_action" },
      dead_ends: [{ what: "-D_ANSI_SOURCE", why: "turns other macros off", pointer: "/dead_ends/0" }],
    };
    const packet = buildPacket(snapshotWith({ feedback }, state));
    expect(packet.failed_attempts.map(({ kind, what }) => [kind, what])).toEqual([
      ["command", "b"],
      ["dead_end", "-D_ANSI_SOURCE"],
      ["command", "a"],
    ]);
  });
});

describe("explainFailure P16", () => {
  const explain = (parts: Parameters<typeof record>[3]) => explainFailure(record(1, "x", 1, parts));
  it("shows what a terminal would show of a progress bar", () => {
    const stderr_tail = "10%\r50%\r100%\r\nerror: no space\r\n";
    expect(explain({ stderr_tail })).toEqual({ why: "error: no space", excerpt: "100%\nerror: no space" });
  });
  it("falls back to stdout, counts repeats and leaves the middle out", () => {
    const stdout_tail = [
      "start",
      ...Array.from({ length: 40 }, (_, i) => `line ${i}`),
      "same",
      "same",
      "same",
    ].join("\n");
    const { excerpt, why } = explain({ stdout_tail });
    expect(excerpt?.split("\n")).toHaveLength(19);
    expect(excerpt).toContain("… 24 lines left out …");
    expect(why).toBe("same (x3)");
  });
  it("says nothing of silence, and takes the recorder's error before output", () => {
    expect(explain({})).toEqual({ why: null, excerpt: null });
    expect(explain({ error: "timeout after 1.0s", stderr_tail: "…" }).why).toBe("timeout after 1.0s");
    expect(explain({ note: "probe" }).why).toBe("note: probe");
  });
  it("looks above stack frames for what went wrong, and keeps relative indentation", () => {
    const stderr_tail =
      "  1) route\n     Error: expected 201\n      at Context.<anonymous> (test/a.js:48:31)\n      at run (b.js:3)\n";
    expect(explain({ stderr_tail })).toEqual({
      why: "Error: expected 201",
      excerpt:
        "1) route\n   Error: expected 201\n    at Context.<anonymous> (test/a.js:48:31)\n    at run (b.js:3)",
    });
  });
  it.each([
    [
      "a Node.js program that threw",
      [
        "> p@1.0.0 test",
        "> node test.mjs",
        "file:///p/test.mjs:2",
        "if (limit !== 10) throw new Error(`limit is ${limit}`);",
        "                        ^",
        "Error: limit is 5, not 10",
        "    at file:///p/test.mjs:2:25",
        "    at async loader.import (node:internal/modules/esm/loader:606:24)",
        "Node.js v20.20.2",
      ],
      "Error: limit is 5, not 10",
    ],
    [
      "an assertion of Node.js, whose cause comes last",
      [
        "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal",
        "    at a.js:1:1 {",
        "  [cause]: TypeError: x is not a function",
        "      at b.js:2:2",
        "}",
      ],
      "[cause]: TypeError: x is not a function",
    ],
    [
      "a runner with a sum at the end",
      [
        "AssertionError: expected 5 to be 10",
        " ❯ limit.test.js:3:9",
        " Test Files  1 failed (1)",
        "   Duration  300ms",
      ],
      "AssertionError: expected 5 to be 10",
    ],
    [
      "pytest",
      [
        "E       assert 5 == 10",
        "test_limit.py:3: AssertionError",
        "=========== short test summary info ===========",
        "FAILED test_limit.py::test_limit - assert 5 == 10",
        "============ 1 failed in 0.02s =============",
      ],
      "FAILED test_limit.py::test_limit - assert 5 == 10",
    ],
    ["a sum alone", ["1 problem"], "1 problem"],
    [
      "a linter",
      ["/p/src/a.js", "  3:7  error  'x' is never used  no-unused-vars", "✖ 1 problem (1 error, 0 warnings)"],
      "3:7 error 'x' is never used no-unused-vars",
    ],
    [
      "a compiler under make",
      [
        "src/a.c:3:5: error: expected ';'",
        "    3 | int x",
        "      |     ^",
        "make: *** [Makefile:2: a.o] Error 1",
      ],
      "src/a.c:3:5: error: expected ';'",
    ],
    [
      "tsc",
      ["src/a.ts(3,5): error TS2322: Type 'string' is not assignable."],
      "src/a.ts(3,5): error TS2322: Type 'string' is not assignable.",
    ],
    [
      "go test",
      ["--- FAIL: TestLimit (0.00s)", "    limit_test.go:5: got 5, want 10", "FAIL", "FAIL\tpkg\t0.003s"],
      "limit_test.go:5: got 5, want 10",
    ],
    [
      "Java",
      [
        'Exception in thread "main" java.lang.IllegalStateException: no limit',
        "\tat a.B.main(B.java:3)",
        "\t... 12 more",
      ],
      'Exception in thread "main" java.lang.IllegalStateException: no limit',
    ],
    [
      "a tool with nothing of the kind",
      ["npm error Missing script: test", "npm error", "npm error To see a list of scripts, run:"],
      "npm error To see a list of scripts, run:",
    ],
    ["a version alone", ["Node.js v20.20.2"], "Node.js v20.20.2"],
  ])("P16 finds the reason above what follows it: %s", (_name, lines, why) => {
    expect(explain({ stderr_tail: `${lines.join("\n")}\n` }).why).toBe(why);
  });
  it("P7 works in any language", () => {
    expect(explain({ stderr_tail: "コンパイル中\n致命的エラー: ファイルが見つかりません\n---\n" }).why).toBe(
      "致命的エラー: ファイルが見つかりません",
    );
  });
});

describe("changed_files P25", () => {
  it("keeps the two slashes of a URL, so that the password in it is still told (S13)", () => {
    const urls = [
      "https://app:some-word@host/x",
      "./ssh://app:some-word@host//x",
      String.raw`https:\\app:some-word@host\x`,
    ];
    const state = { next_action: { text: "go", pointer: "/next_action" }, touched_files: urls };
    expect(buildPacket(snapshotWith({}, state)).changed_files.map(({ path }) => path)).toEqual([
      "https://app:some-word@host/x",
      "ssh://app:some-word@host/x",
    ]);
  });

  it("joins git's view and the agent's, and keeps what git sees unchanged", () => {
    const git = { ...CLEAN_GIT, changes: [change("b.ts"), change("a.ts", { committed: false })] };
    const state = {
      next_action: { text: "go", pointer: "/next_action" },
      touched_files: ["./b.ts", "docs//c.md", "b.ts", "", "."],
    };
    const rows = buildPacket(snapshotWith({ git }, state)).changed_files;
    expect(rows.map(({ path, change: kind, seen_by }) => [path, kind, seen_by])).toEqual([
      ["a.ts", "modified", ["git"]],
      ["b.ts", "modified", ["git", "state"]],
      ["docs/c.md", "unchanged", ["state"]],
    ]);
  });
  it("P9 keeps names exact, whatever a file system allows", () => {
    const git = { ...CLEAN_GIT, changes: [change("a\nb\tc.ts")] };
    expect(buildPacket(snapshotWith({ git })).changed_files[0]?.path).toBe("a\nb\tc.ts");
  });
  it("takes the agent's word where there is no git", () => {
    const git = { ...CLEAN_GIT, available: false, head: null, branch: null };
    const state = { next_action: { text: "go", pointer: "/next_action" }, touched_files: ["a.ts"] };
    expect(buildPacket(snapshotWith({ git }, state)).changed_files).toMatchObject([
      { change: "modified", seen_by: ["state"] },
    ]);
  });
});

describe("assumptions_to_validate P30", () => {
  const assumptions = ["users are unique", "clock is UTC"].map((text, i) => ({
    text,
    pointer: `/assumptions/${i}`,
  }));
  const left = (parts: Parameters<typeof review>[0] | null) =>
    buildPacket(
      snapshotWith(
        { review: parts === null ? missing("review") : review(parts) },
        { next_action: { text: "go", pointer: "/n" }, assumptions },
      ),
    ).assumptions_to_validate.map(({ text }) => text);
  const dimension = (score: number | null) => [{ name: "assumptions", score, note: null, pointer: "/d" }];
  it.each([
    ["no review", null, 2],
    ["dimension scored 2", { dimensions: dimension(2) }, 0],
    ["dimension scored 1", { dimensions: dimension(1) }, 2],
    ["dimension unscored", { dimensions: dimension(null) }, 2],
    [
      "one scored by itself",
      { dimensions: dimension(2), assumption_scores: [{ assumption: " users  are unique", score: 2 }] },
      1,
    ],
    ["one scored low", { assumption_scores: [{ assumption: "users are unique", score: 1 }] }, 2],
  ] as const)("%s", (_name, parts, count) => expect(left(parts)).toHaveLength(count));
});

describe("questions_for_human P31", () => {
  it("come from questions, blockers that wait for a human, and open tasks of a human", () => {
    const tasks = [
      { id: "T-1", goal: "sign the contract", owner: "human", status: "todo" },
      { id: "T-2", goal: "old", owner: "Human", status: "done" },
      { id: "T-3", goal: "code", owner: "builder", status: "todo" },
    ].map((task, i) => ({ ...task, acceptance: [], pointer: `/${i}` }));
    const state = {
      next_action: { text: "go", pointer: "/next_action" },
      questions: [{ text: "drop Node 18?", pointer: "/questions/0" }],
      blockers: [
        { text: "which rate limit?", waits_for: "human", pointer: "/blockers/0" },
        { text: "CI is down", waits_for: "ci", pointer: "/blockers/1" },
      ],
    };
    const board = present("board", "task_board.json", { tasks, stamped_at: null });
    const rows = buildPacket(snapshotWith({ board }, state)).questions_for_human;
    expect(rows.map(({ text, source }) => [text, source.pointer])).toEqual([
      ["drop Node 18?", "/questions/0"],
      ["which rate limit?", "/blockers/0"],
      ["T-1: sign the contract", "/0"],
    ]);
    expect(rows.every(({ id }) => /^[0-9a-f]{8}$/u.test(id))).toBe(true);
  });
});

describe("prerequisites P32", () => {
  it("are the files to load, not the clean reports", () => {
    const paths = (parts: Parameters<typeof snapshotWith>[0]) =>
      buildPacket(snapshotWith(parts)).prerequisites.map(({ path }) => path);
    expect(paths({ verification: verification({}), review: review({}) })).toEqual(["agent_state.json"]);
    expect(
      paths({
        verification: verification({ passed: false, report_path: "out/full.txt" }),
        review: review({ verdict: "soft_fail" }),
        files: { "out/full.txt": { path: "out/full.txt", sha256: "b".repeat(64), bytes: 5 } },
      }),
    ).toEqual([
      "agent_state.json",
      "outputs/verification/T-001.json",
      "out/full.txt",
      "outputs/review/T-001.json",
    ]);
  });
});

describe("summary P24", () => {
  it("is useful without any prose from an agent", () => {
    const packet = buildPacket(
      snapshotWith({
        task: { id: "T-001", from: "option" },
        git: {
          ...CLEAN_GIT,
          base: { sha: OTHER_SHA, from: "upstream" },
          commits: [{ sha: OTHER_SHA, subject: "x" }],
          changes: [change("a"), change("b", { committed: false })],
        },
        feedback: scanOf([record(1, "make", 1), record(2, "ls", 0)]),
        verification: verification({ passed: false }),
        review: review({ total: 5, verdict: "hard_fail" }),
      }),
    );
    expect(packet.summary).toBe(
      "Task T-001. 1 commit and 2 changed files (+8 -2) since 222222222222, 1 not committed. " +
        "2 commands, 1 failed, 1 failure unresolved. Verification failed; review hard_fail (5/10).",
    );
  });
  it("starts with what the agent recorded", () => {
    const state = {
      summary: { text: "Validation works", pointer: "/summary" },
      next_action: { text: "go", pointer: "/n" },
    };
    expect(buildPacket(snapshotWith({}, state)).summary).toBe(
      "Validation works. No task is active. 0 changed files. No command log. Not verified; no review.",
    );
  });
});

describe("texts in sentences", () => {
  it.each(["\u001b[", "\u001b]0;", "\u001bP", "\u009b1", "\u001b", "\u009d"])(
    "P36 a value that leaves %j open swallows none of our words",
    (open) => {
      const state = {
        next_action: { text: "go", pointer: "/next_action" },
        blockers: [{ text: `stuck${open}`, waits_for: "human", pointer: "/blockers/0" }],
      };
      const dimensions = [{ name: `scope${open}`, score: 0, note: "off", pointer: "/dimensions/0" }];
      const packet = buildPacket(snapshotWith({ review: review({ dimensions }) }, state));
      const details = packet.open_risks.map(({ detail }) => detail);
      expect(details).toContainEqual(expect.stringMatching(/^stuck.* \(waits for human\)$/u));
      expect(details).toContainEqual(expect.stringMatching(/^review scores scope.* 0: off$/u));
    },
  );
});

describe("gaps", () => {
  it("name what could not be read, with the line", () => {
    const packet = buildPacket(
      snapshotWith({
        diagnostics: [
          {
            code: "artifact.shadowed",
            severity: "info",
            artifact: "state",
            source: { path: "b.json" },
            args: { used: "a.json" },
          },
          {
            code: "feedback.skipped_line",
            severity: "warn",
            artifact: "feedback",
            source: { path: "f.jsonl", line: 7 },
            args: { reason: "not JSON" },
          },
        ],
      }),
    );
    expect(packet.gaps).toEqual([
      {
        artifact: "feedback",
        code: "feedback.skipped_line",
        detail: "line 7: could not be read: not JSON",
        path: "f.jsonl",
      },
    ]);
  });
});
