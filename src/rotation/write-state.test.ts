// R17: what a session said goes into its own state, beside what stands there.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempBench } from "../../fixtures/artifacts/temp-bench.js";
import { createRedactor } from "../redact/create-redactor.js";
import { writeNote } from "../note/write-note.js";
import { rootOf } from "../recorder/session-folder.js";
import { writeState } from "./write-state.js";

const how = { redactor: createRedactor(), now: new Date("2026-11-29T12:00:00Z") };
const NEW = {
  doing: "step two",
  next_action: "run the tests",
  decisions: [{ what: "one table", why: "simple" }],
  dead_ends: [{ what: "a lock", why: "hangs" }],
  scene: ["src/a.ts"],
};
function folderWith(state: string | null): { folder: string; read: () => Record<string, unknown> } {
  const folder = path.join(tempBench(), ".handoff/sessions/s-1");
  const file = path.join(folder, "agent_state.json");
  if (state !== null) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, state);
  }
  return { folder, read: () => JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown> };
}

test("R17 a new state", async () => {
  const { folder, read } = folderWith(null);
  await writeState(folder, NEW, how);
  expect(read()).toEqual({
    schema_version: 1,
    session_id: "s-1",
    ...NEW,
    updated_at: "2026-11-29T12:00:00.000Z",
  });
});

test("R17 its fields are replaced, its lists grow, everything else stays", async () => {
  const before = {
    session_id: "s-1",
    next_action: "old",
    questions: ["why?"],
    decisions: [{ what: "one table" }, "no cache"],
    scene: ["old.ts"],
    mine: { a: 1 },
  };
  const { folder, read } = folderWith(JSON.stringify(before));
  await writeState(folder, { ...NEW, decisions: [...NEW.decisions, { what: "no cache", why: null }] }, how);
  expect(read()).toMatchObject({
    next_action: "run the tests",
    questions: ["why?"],
    decisions: [{ what: "one table" }, "no cache"],
    dead_ends: NEW.dead_ends,
    scene: ["src/a.ts"],
    mine: { a: 1 },
  });
});

test("R17 what it did not say stays as it was noted", async () => {
  const { folder, read } = folderWith(JSON.stringify({ next_action: "noted", scene: ["a"] }));
  await writeState(folder, { doing: "new", next_action: null, scene: [] }, how);
  expect(read()).toMatchObject({ doing: "new", next_action: "noted", scene: ["a"] });
});

test.each(["{torn", "[]", '"text"'])("a file that is no state (%s) is begun anew", async (text) => {
  const { folder, read } = folderWith(text);
  await writeState(folder, NEW, how);
  expect(read()).toMatchObject({ next_action: "run the tests" });
});

test("S13 secrets and control characters stay out", async () => {
  const { folder, read } = folderWith(null);
  const secret = `ghp_${"a1B2".repeat(9)}`;
  await writeState(folder, { ...NEW, doing: `with ${secret}\u001b[2J`, scene: [`/tmp/${secret}`] }, how);
  expect(JSON.stringify(read())).not.toContain(secret);
  expect(String(read()["doing"])).not.toContain("\u001b");
});

test("R17 what the agent notes this very moment is not lost", async () => {
  const { folder, read } = folderWith(null);
  await writeState(folder, NEW, how);
  const place = {
    root: rootOf(folder),
    places: [".handoff/sessions/<session_id>/agent_state.json"],
    session: "s-1",
  };
  const words = Array.from({ length: 8 }, (_, at) => String(at));
  await Promise.all(
    words.flatMap((word) => [
      writeState(folder, { decisions: [{ what: `said ${word}`, why: "it is so" }] }, how),
      writeNote(place, {
        word: "decided",
        text: `noted ${word}`,
        why: "it is so",
        waits_for: null,
        severity: null,
      }),
    ]),
  );
  const kept = JSON.stringify(read()["decisions"]);
  const lost = words
    .flatMap((word) => [`said ${word}`, `noted ${word}`])
    .filter((one) => !kept.includes(one));
  expect(lost).toEqual([]);
});
