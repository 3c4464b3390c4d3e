// Which session a command of the agent's own belongs to (A11): the order of the sources, and what counts as at work.
import { utimesSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { tempBench } from "../../fixtures/artifacts/temp-bench.js";
import { findCurrentSession, type SessionQuestion } from "./current-session.js";

const now = new Date();
const at = (hoursAgo: number) => new Date(now.getTime() - hoursAgo * 3_600_000);
const file = (id: string) => `.handoff/sessions/${id}/session.json`;
const started = (hoursAgo: number, more: object = {}) => ({
  schema_version: 1,
  agent: "codex",
  started_at: at(hoursAgo).toISOString(),
  ended_at: null,
  ...more,
});

async function found(root: string, more: Partial<SessionQuestion> = {}) {
  const { session, diagnostics } = await findCurrentSession({ root, env: {}, now, ...more });
  return [
    session?.id ?? null,
    session?.from ?? null,
    ...diagnostics.map(({ code, args }) => `${code} ${args["value"]}`),
  ];
}

const EVERYTHING = {
  HANDOFF_SESSION_ID: "s-told",
  CLAUDE_CODE_SESSION_ID: "s-claude",
  CODEX_SESSION_ID: "s-codex",
};

describe("A11 findCurrentSession", () => {
  test("A11 option, our variable, the agents' own, the newest record, nothing", async () => {
    const root = tempBench({ [file("s-1")]: started(2), [file("s-2")]: started(1) });
    expect(await found(root, { option: "s-opt", env: EVERYTHING })).toEqual(["s-opt", "option"]);
    expect(await found(root, { env: EVERYTHING })).toEqual(["s-told", "environment"]);
    const { CLAUDE_CODE_SESSION_ID } = EVERYTHING;
    expect(await found(root, { env: { CLAUDE_CODE_SESSION_ID } })).toEqual(["s-claude", "environment"]);
    expect(await found(root, { env: { HANDOFF_SESSION_ID: "", CLAUDE_CODE_SESSION_ID: "" } })).toEqual([
      "s-2",
      "record",
    ]);
    expect(await found(tempBench())).toEqual([null, null]);
  });

  test("A11 an agent's more trusted variable comes first", async () => {
    const env = { CODEX_SESSION_ID: "s-a", CODEX_THREAD_ID: "s-b" };
    expect(await found(tempBench(), { env })).toEqual(["s-b", "environment"]);
  });

  test("A11 of two agents, one inside the other, the one that began last here", async () => {
    const env = { CLAUDE_CODE_SESSION_ID: "s-claude", CODEX_THREAD_ID: "s-codex" };
    const outer = started(2);
    const inner = started(1);
    const claudeInside = tempBench({ [file("s-codex")]: outer, [file("s-claude")]: inner });
    expect((await found(claudeInside, { env }))[0]).toBe("s-claude");
    const codexInside = tempBench({ [file("s-codex")]: inner, [file("s-claude")]: outer });
    expect((await found(codexInside, { env }))[0]).toBe("s-codex");
    expect((await found(tempBench({ [file("s-claude")]: outer }), { env }))[0]).toBe("s-claude");
  });

  test("A11 a session that ended, is silent for a day, or is none, is not at work", async () => {
    const root = tempBench({
      [file("ended")]: started(1, { ended_at: at(0.5).toISOString() }),
      [file("killed")]: started(30),
      [file("no/such")]: started(1),
      [file("current")]: started(1),
      ".handoff/sessions/bare/feedback.jsonl": "{}\n",
      ".handoff/sessions/.gitignore": "*\n",
    });
    const old = at(25);
    utimesSync(path.join(root, file("killed")), old, old);
    expect(await found(root)).toEqual([null, null]);
    // A sign of life: whatever its record says, something is being written for it.
    const alive = tempBench({ [file("killed")]: started(30), ".handoff/sessions/killed/feedback.jsonl": "" });
    utimesSync(path.join(alive, file("killed")), old, old);
    expect(await found(alive)).toEqual(["killed", "record"]);
  });

  test("P43 a bad id is an error where a person gave it, and passed by, and said, in the environment", async () => {
    const root = tempBench();
    await expect(found(root, { option: "../x" })).rejects.toMatchObject({
      code: "usage.bad_id",
      exitCode: 2,
    });
    const env = { HANDOFF_SESSION_ID: "../../x", CLAUDE_CODE_SESSION_ID: "s-1" };
    expect(await found(root, { env })).toEqual(["s-1", "environment", "id.invalid ../../x"]);
    const secret = (id: string) => !id.startsWith("ghp_");
    expect(await found(root, { env: { HANDOFF_SESSION_ID: "ghp_x" }, isAllowed: secret })).toEqual([
      null,
      null,
      "id.invalid ghp_x",
    ]);
  });

  test("A11 the same choice whatever order the disk lists its folders in", async () => {
    const same = started(1);
    const root = tempBench({ [file("b")]: same, [file("a")]: same, [file("c")]: same });
    expect((await found(root))[0]).toBe("c");
  });
});
