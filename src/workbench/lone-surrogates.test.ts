// P36, P41: half a character (a lone surrogate, as a JSON escape) anywhere in any artifact is replaced, never a crash.
import { describe, expect, test } from "vitest";
import { tempBench } from "../../fixtures/artifacts/temp-bench.js";
import { generateHandoff } from "../generate/generate-handoff.js";
import { loadSnapshot } from "./load-snapshot.js";
import { sortDiagnostics } from "./sort-diagnostics.js";

/** One file of every artifact, each with every field that is read. */
const BENCH: Readonly<Record<string, unknown>> = {
  "agent_state.json": {
    active_task_id: "T-1",
    session_id: "s-1",
    touched_files: ["src/a.ts"],
    assumptions: ["a"],
    blockers: [{ text: "b", waits_for: "human" }],
    next_action: "go on",
    summary: "s",
    doing: { objective: "d" },
    decisions: [{ what: "w", why: "y" }],
    dead_ends: [{ what: "w", why: "y" }],
    questions: ["q"],
    risks: [{ severity: "odd", detail: "r" }],
    scene: ["src/b.ts"],
    resolved: ["9c1e04aa"],
    updated_at: "2026-11-29T12:05:52Z",
  },
  "task_board.json": [
    { id: "T-1", goal: "g", owner: "o", status: "doing", acceptance: [{ text: "npm test" }] },
    { id: "T-2", title: "t", status: "todo" },
  ],
  "outputs/verification/T-1.json": {
    task_id: "T-1",
    passed: "true",
    status: "pass",
    findings: [{ code: "c", severity: "odd", detail: "d" }, "plain"],
    head_commit: "a1b2c3d",
    report_path: "reports/raw.txt",
  },
  "review_report.json": {
    task_id: "T-1",
    total: "7/10",
    verdict: "soft_fail",
    dimensions: [{ name: "n", score: 1, note: "x" }],
    findings: [{ code: "c", severity: "low", detail: "d" }],
    assumption_scores: [{ assumption: "a", score: 1 }],
    head_commit: "a1b2c3d",
  },
  "scope_contract.json": {
    task_id: "T-1",
    goal: "g",
    allowed_files: ["src/**"],
    forbidden_files: ["x"],
    acceptance: ["npm test"],
  },
  "outputs/scope/closed/T-1.report.json": {
    task_id: "T-1",
    passed: "no",
    off_scope: ["x"],
    forbidden: ["y"],
    soft_off_scope: ["z"],
    findings: [{ code: "c", detail: "d" }],
  },
  "rule_report.json": [{ rule: "r", slug: "s", passed: false, detail: "d", name: "n" }],
  "last_known_good.json": { commit: "a1b2c3d" },
  "overrides.jsonl": {
    task_id: "T-1",
    finding_code: "c",
    reason: "r",
    user_id: "u",
    head_commit: "a1b2c3d",
    ts: "2026-11-29T12:05:52Z",
  },
  ".handoff/sessions/s-1/session.json": { session_id: "s-1", base_commit: "a1b2c3d", base: "a1b2c3d" },
  "feedback.jsonl": {
    command: ["npm", "test"],
    exit_code: 1,
    started_at: "2026-11-29T12:05:52Z",
    stdout_tail: "o",
    stderr_tail: "e",
    agent_note: "n",
    error: "x",
    command_id: "c-1",
    parent_command_id: "c-0",
    session_id: "s-1",
    agent: "a",
    cwd: "src",
  },
};

/** Every copy of `value` in which one string (a key too) is `spoil`t. */
function spoiltCopies(value: unknown, spoil: (text: string) => string): unknown[] {
  if (typeof value === "string") return [spoil(value)];
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    return list.flatMap((item, at) => spoiltCopies(item, spoil).map((copy) => list.with(at, copy)));
  }
  if (typeof value !== "object" || value === null) return [];
  const entries: [string, unknown][] = Object.entries(value);
  return entries.flatMap(([key, inner], at) => [
    Object.fromEntries(entries.with(at, [spoil(key), inner])),
    ...spoiltCopies(inner, spoil).map((copy) => Object.fromEntries(entries.with(at, [key, copy]))),
  ]);
}

const SPOILERS: Readonly<Record<string, (text: string) => string>> = {
  "nothing but half a character": () => "\ud800",
  "half a character after the text": (text) => `${text}\udc00`,
};

async function generated(files: Readonly<Record<string, unknown>>): Promise<string> {
  const snapshot = await loadSnapshot(tempBench(files), { env: {} });
  const { json, markdown } = generateHandoff(snapshot, { allowDegraded: true });
  return `${JSON.stringify(snapshot.diagnostics)}${json}${markdown}`;
}

describe("P36 P41 lone surrogates in every string of every artifact", () => {
  const cases = Object.keys(BENCH).flatMap((file) =>
    Object.keys(SPOILERS).map((how) => [file, how] as const),
  );
  test.each(cases)("%s: %s", async (file, how) => {
    const copies = spoiltCopies(BENCH[file], SPOILERS[how] ?? String);
    expect(copies.length).toBeGreaterThan(1);
    const left: unknown[] = [];
    for (const copy of copies) {
      const text = await generated({ ...BENCH, [file]: JSON.stringify(copy) });
      // The engine writes half a character as an escape where one is left in a string.
      if (!text.isWellFormed() || /(?<!\\)\\ud[89a-f]/iu.test(text)) left.push(copy);
    }
    expect(left).toEqual([]);
  });

  test("P41 a diagnostic's path, args and pointers are well-formed once collected", () => {
    const args = { value: "\ud800", pointer: "/\udc00", count: 1 };
    const found = {
      code: "id.invalid",
      severity: "warn",
      artifact: "state",
      source: { path: "\ud800" },
      args,
    } as const;
    const mended = {
      ...found,
      source: { path: "\ufffd" },
      args: { value: "\ufffd", pointer: "/\ufffd", count: 1 },
    };
    expect(sortDiagnostics([found, mended])).toEqual([mended]);
  });
});
