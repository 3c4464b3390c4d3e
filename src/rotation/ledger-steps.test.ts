// R22, R26: the ledger's own steps.
import { expect, test } from "vitest";
import { runLedgerSchema } from "../model/run-ledger.js";
import {
  beginGeneration,
  changeCurrent,
  currentOf,
  endRun,
  newLedger,
  noteError,
  retireSession,
} from "./ledger-steps.js";

const AT = "2026-11-29T12:00:00.000Z";
const LATER = "2026-11-29T13:00:00.000Z";
const begun = beginGeneration(newLedger("run-1", "the job"), 1, "claude-code", AT);
const working = changeCurrent(begun, { session_id: "s-1", model: "m", context: 1000 });

test("R26 a generation begins once, whatever the tries", () => {
  expect(beginGeneration(begun, 1, "codex", LATER)).toBe(begun);
  expect(currentOf(newLedger("run-1", "the job"))).toBeNull();
  expect(runLedgerSchema.parse(working)).toEqual(working);
});

test("R26 the run's session is that of its last generation", () => {
  expect(working.session_id).toBe("s-1");
  const next = beginGeneration(retireSession(working, LATER), 2, "codex", LATER);
  expect(next).toMatchObject({
    session_id: "s-1",
    retired: ["s-1"],
    generations: [{ ended_at: LATER }, { ended_at: null }],
  });
  expect(changeCurrent(next, { session_id: "s-2" }).session_id).toBe("s-2");
});

test("R26 a session is retired once", () => {
  expect(retireSession(retireSession(working, AT), LATER).retired).toEqual(["s-1"]);
  expect(retireSession(begun, AT).retired).toEqual([]);
});

test("R22 only failed tries are attempts; of the errors the newest stay", () => {
  const error = { at: AT, verdict: "retryable", status: 529, text: "Overloaded" } as const;
  let ledger = noteError(working, { ...error, verdict: "overflow" }, false);
  for (let n = 0; n < 30; n += 1) ledger = noteError(ledger, { ...error, text: String(n) }, true);
  const row = currentOf(ledger);
  expect(row?.attempts).toBe(30);
  expect(row?.errors).toHaveLength(20);
  expect(row?.errors.at(-1)?.text).toBe("29");
});

test("R26 the end closes what is open, and nothing else", () => {
  expect(endRun(working, "done", LATER)).toMatchObject({
    status: "done",
    generations: [{ ended_at: LATER }],
  });
  expect(endRun(retireSession(working, AT), "stopped", LATER).generations[0]?.ended_at).toBe(AT);
  expect(endRun(newLedger("run-1", "the job"), "failed", AT)).toMatchObject({
    status: "failed",
    generations: [],
  });
});
