// Whose state it is (A8): the session's own first, never another session's; and the edits that the recorder saw (P25).
import { symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { short } from "../../fixtures/artifacts/load-fixture.js";
import { addFiles, tempBench } from "../../fixtures/artifacts/temp-bench.js";
import { generateHandoff } from "../generate/generate-handoff.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { type LoadOptions, loadSnapshot } from "./load-snapshot.js";

const ENV = { PATH: process.env["PATH"] };
const load = (root: string, options: LoadOptions = {}) => loadSnapshot(root, { env: ENV, ...options });
const next = ({ state }: WorkbenchSnapshot) =>
  state.status === "present" ? (state.value.next_action?.text ?? null) : state.status;
const said = (snapshot: WorkbenchSnapshot, artifact: string) =>
  snapshot.diagnostics.filter((one) => one.artifact === artifact).map(short);

const OWN = ".handoff/sessions/s-1/agent_state.json";
const COMMON = ".handoff/agent_state.json";

describe("A8 the session's own state", () => {
  test("A8 comes first once the session is known, by hook or option", async () => {
    const root = tempBench({
      [OWN]: { session_id: "s-1", next_action: "own" },
      [COMMON]: { next_action: "common" },
      "agent_state.json": { next_action: "top" },
    });
    expect(next(await load(root))).toBe("common");
    for (const known of [{ hookSessionId: "s-1" }, { sessionId: "s-1" }]) {
      const snapshot = await load(root, known);
      expect([next(snapshot), snapshot.state.path]).toEqual(["own", OWN]);
      expect(said(snapshot, "state")).toEqual([
        `info artifact.shadowed ${COMMON} ${OWN}`,
        `info artifact.shadowed agent_state.json ${OWN}`,
      ]);
    }
    expect(next(await load(root, { hookSessionId: "s-2" }))).toBe("common");
  });

  test("A8 comes first as well where state, branch or CI job named the session", async () => {
    const named = tempBench({
      [OWN]: { next_action: "own", active_task_id: "T-2" },
      "agent_state.json": { session_id: "s-1", next_action: "common", active_task_id: "T-1" },
      ".handoff/sessions/local/agent_state.json": { next_action: "local" },
      ".handoff/sessions/ci-7-1/agent_state.json": { next_action: "ci" },
    });
    const snapshot = await load(named);
    expect(snapshot.session).toEqual({ id: "s-1", from: "state" });
    expect([next(snapshot), snapshot.task.id]).toEqual(["own", "T-2"]);
    const bare = tempBench({
      ".handoff/sessions/local/agent_state.json": { next_action: "local" },
      ".handoff/sessions/ci-7-1/agent_state.json": { next_action: "ci" },
    });
    expect(next(await load(bare))).toBe("local");
    expect(next(await load(bare, { env: { ...ENV, GITHUB_RUN_ID: "7" } }))).toBe("ci");
  });

  test("A8 what is broken there stops the search: an older state must not speak in its place", async () => {
    const root = tempBench({ [OWN]: '{"next_action": "ow', [COMMON]: { next_action: "common" } });
    const snapshot = await load(root, { hookSessionId: "s-1" });
    expect([next(snapshot), snapshot.state.path]).toEqual(["invalid", OWN]);
  });
});

describe("P43 a session that neither option nor hook names", () => {
  const search = (environment: string | null, recorded: string | null) => ({
    search: { environment, readRecorded: () => Promise.resolve(recorded) },
  });
  const bench = (state: object) => tempBench({ [OWN]: { next_action: "own" }, "agent_state.json": state });

  test("P43 is the environment's as if a hook named it, else the one on record, behind state and CI job", async () => {
    const root = bench({ session_id: "s-9", next_action: "top" });
    const told = await load(root, search("s-1", "s-2"));
    expect([told.session, next(told)]).toEqual([{ id: "s-1", from: "environment" }, "own"]);
    const hooked = await load(root, { hookSessionId: "s-3", ...search("s-1", null) });
    expect([hooked.session, next(hooked)]).toEqual([{ id: "s-3", from: "hook" }, "missing"]);
    expect((await load(root, search(null, "s-1"))).session).toEqual({ id: "s-9", from: "state" });
    const nameless = bench({ next_action: "top" });
    const recorded = await load(nameless, search(null, "s-1"));
    expect([recorded.session, next(recorded)]).toEqual([{ id: "s-1", from: "record" }, "own"]);
    const job = await load(nameless, { ...search(null, "s-1"), env: { ...ENV, GITHUB_RUN_ID: "7" } });
    expect(job.session).toEqual({ id: "ci-7-1", from: "ci" });
    expect((await load(nameless, search(null, null))).session).toEqual({ id: "local", from: "local" });
  });

  test("P43 S13 an id that is not allowed is passed by", async () => {
    const root = bench({ next_action: "top" });
    const isSecret = (id: string) => id === "s-secret";
    expect((await load(root, { isSecret, ...search("s-secret", "s-1") })).session.id).toBe("s-1");
    expect((await load(root, { isSecret, ...search("../x", "s-secret") })).session.id).toBe("local");
  });
});

describe("A8 another session's state", () => {
  const other = () =>
    tempBench({
      "agent_state.json": {
        session_id: "s-9",
        next_action: "what s-9 does next",
        doing: "what s-9 does",
        active_task_id: "T-9",
        touched_files: ["nine.ts"],
      },
      "feedback.jsonl": '{"command": "make test", "exit_code": 2}\n',
    });

  test.each([{ hookSessionId: "s-1" }, { sessionId: "s-1" }])(
    "A8 is left aside, and said: %o",
    async (known) => {
      const snapshot = await load(other(), known);
      expect(next(snapshot)).toBe("missing");
      expect(snapshot.task).toEqual({ id: null, from: "none" });
      expect(said(snapshot, "state")).toEqual([
        `info artifact.missing ${OWN}`,
        "warn artifact.other_session agent_state.json s-9",
      ]);
      const { packet } = generateHandoff(snapshot);
      expect(packet.next_action_source.rule).toBe("failure");
      expect(packet.doing).toBe(null);
      expect(packet.changed_files).toEqual([]);
      expect(packet.gaps.find(({ code }) => code === "artifact.other_session")).toEqual({
        artifact: "state",
        code: "artifact.other_session",
        detail: "is the state of session s-9, not of this one; left aside",
        path: "agent_state.json",
      });
    },
  );

  test("A8 a later place may hold this session's", async () => {
    const root = tempBench({
      [COMMON]: { session_id: "s-9", next_action: "nine" },
      "agent_state.json": { session_id: "s-1", next_action: "one" },
    });
    expect(next(await load(root, { hookSessionId: "s-1" }))).toBe("one");
  });

  test("A8 is this one's where nobody named another session, where it names none, or no id at all", async () => {
    expect(next(await load(other()))).toBe("what s-9 does next");
    for (const session_id of [undefined, null, "current", "../../x"]) {
      const root = tempBench({ "agent_state.json": { session_id, next_action: "go on" } });
      expect(next(await load(root, { hookSessionId: "s-1" }))).toBe("go on");
    }
  });
});

describe("A8 P25 edits that the recorder saw", () => {
  const FOLDER = ".handoff/sessions/s-1";
  const edit = (file: string, more: object = {}) =>
    `${JSON.stringify({ path: file, tool: "Edit", ...more })}\n`;
  const changed = async (root: string) => {
    const snapshot = await load(root, { hookSessionId: "s-1" });
    const { packet } = generateHandoff(snapshot, { allowDegraded: true });
    return packet.changed_files.map((row) => [row.path, row.change, row.seen_by.join()]);
  };

  test("A8 join the state's list, each path once, relative to the root", async () => {
    const root = tempBench();
    const file = path.join(root, FOLDER, "touched_files.jsonl");
    addFiles(root, {
      "agent_state.json": { next_action: "go on", touched_files: ["a.ts", "b.ts"] },
      [`${FOLDER}/touched_files.jsonl`]:
        edit(path.join(root, "src/c.ts")) + edit("./b.ts") + edit("src/c.ts", { at: "2026-11-29T12:00:00Z" }),
    });
    expect(await changed(root)).toEqual([
      ["a.ts", "modified", "state"],
      ["b.ts", "modified", "state"],
      ["src/c.ts", "modified", "state"],
    ]);
    const { touched_files } = await load(root, { hookSessionId: "s-1" });
    expect(touched_files.path).toBe(path.relative(root, file));
    expect(touched_files.status === "present" && touched_files.value).toEqual({
      files: [
        { path: "b.ts", line: 2 },
        { path: "src/c.ts", line: 3 },
      ],
      stamped_at: Date.parse("2026-11-29T12:00:00Z"),
    });
  });

  test("A8 P8 bad lines are gaps, each with its line, and cost nothing else", async () => {
    const root = tempBench({
      [`${FOLDER}/touched_files.jsonl`]: `${edit("a.ts")}{"path": "b.t\n\n[]\n${edit("c.ts")}{"tool": "Edit"}\n{"path": 7}\n${edit("d.ts").trimEnd()}`,
    });
    expect((await changed(root)).map(([file]) => file)).toEqual(["a.ts", "c.ts", "d.ts"]);
    expect(said(await load(root, { hookSessionId: "s-1" }), "touched_files")).toEqual([
      `warn artifact.not_json ${FOLDER}/touched_files.jsonl:2 it ends too early`,
      `warn artifact.not_json ${FOLDER}/touched_files.jsonl:4 not one object`,
      `warn artifact.field_invalid ${FOLDER}/touched_files.jsonl:6 /path a text`,
      `warn artifact.field_invalid ${FOLDER}/touched_files.jsonl:7 /path a text`,
    ]);
  });

  test("A8 a log of nothing but bad lines is invalid, and so is one too large to read", async () => {
    const bad = tempBench({ [`${FOLDER}/touched_files.jsonl`]: "torn\n" });
    expect((await load(bad, { hookSessionId: "s-1" })).touched_files.status).toBe("invalid");
    const huge = tempBench({ [`${FOLDER}/touched_files.jsonl`]: edit("a".repeat(17 * 1024 * 1024)) });
    const snapshot = await load(huge, { hookSessionId: "s-1" });
    expect(snapshot.touched_files.status).toBe("invalid");
    expect(said(snapshot, "touched_files")[0]).toContain("artifact.too_large");
  });

  test("A8 no more than 10,000 files, those edited last, and the cut is said", async () => {
    const lines = Array.from({ length: 10_003 }, (_, i) => edit(`f${i}.ts`)).join("") + edit("f0.ts");
    const root = tempBench({ [`${FOLDER}/touched_files.jsonl`]: lines });
    const { touched_files, diagnostics } = await load(root, { hookSessionId: "s-1" });
    const files = touched_files.status === "present" ? touched_files.value.files : [];
    expect([files.length, files[0], files.at(-1)]).toEqual([
      10_000,
      { path: "f4.ts", line: 5 },
      { path: "f0.ts", line: 10_004 },
    ]);
    expect(diagnostics.filter(({ artifact }) => artifact === "touched_files").map(short)).toEqual([
      `warn artifact.field_invalid ${FOLDER}/touched_files.jsonl all but the 10000 files edited last at most 10000 files`,
    ]);
  });

  test("A8 P10 the workbench's own files are no changes, whoever edits them", async () => {
    const root = tempBench({
      "agent_state.json": { next_action: "go on" },
      [`${FOLDER}/touched_files.jsonl`]: [
        "agent_state.json",
        ".handoff/x.json",
        "outputs/handoff/s-1/handoff.md",
        "a.ts",
      ]
        .map((file) => edit(file))
        .join(""),
    });
    expect(await changed(root)).toEqual([["a.ts", "modified", "state"]]);
  });

  test("A8 S18 a log that leads outside is not read", async () => {
    const outside = tempBench({ "log.jsonl": edit("a.ts") });
    const root = tempBench({ [`${FOLDER}/session.json`]: { goal: "x" } });
    symlinkSync(path.join(outside, "log.jsonl"), path.join(root, FOLDER, "touched_files.jsonl"));
    expect(await changed(root)).toEqual([]);
    expect(said(await load(root, { hookSessionId: "s-1" }), "touched_files")).toEqual([
      `error artifact.outside_root ${FOLDER}/touched_files.jsonl`,
    ]);
  });
});
