// Whose packet it is when nobody says so (P43): `generate`, `brief`, `doctor` and `exec` beside what hooks recorded, with the built
// command line, real hooks' payloads and real repositories.
import { readFileSync, utimesSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { git, put } from "../testing/sample-workbench.js";
import { useHooks, type HookBench, type Payload } from "../testing/use-hooks.js";

const { agent, bench } = useHooks();

/** A session with a failing command. It has not ended. */
async function session(b: HookBench, session_id: string, name = "claude-code"): Promise<void> {
  await b.hook(name, "SessionStart.startup", { session_id });
  await b.hook("claude-code", "PostToolUseFailure", { session_id, tool_use_id: session_id });
}
const end = (b: HookBench, session_id: string) => b.hook("claude-code", "SessionEnd.other", { session_id });
const generate = (b: HookBench, env: Readonly<Record<string, string>> = {}, ...args: string[]) =>
  b.command(["generate", "--allow-degraded", ...args], { env });
const sessionLine = (stdout: string): string | undefined =>
  stdout.split("\n").find((line) => line.startsWith("session: "));
const failuresIn = (b: HookBench, id: string): unknown[] =>
  (b.packet(id)?.["failed_attempts"] ?? []) as unknown[];

describe("P43 generate", () => {
  test("P43 run by a person beside an agent: the session that has not ended, and all its hooks recorded", async () => {
    const b = bench();
    await session(b, "s-1");
    const run = await generate(b);
    expect(run.code).toBe(0);
    expect(sessionLine(run.stdout)).toBe(
      "session: s-1 (Claude Code, the newest on record here that has not ended)",
    );
    expect(failuresIn(b, "s-1")).toMatchObject([{ what: "echo hello && exit 3" }]);
    expect(b.packet("local-main")).toBe(null);
    // The hook of the turn's end finds nothing that this packet does not know.
    const before = b.packet("s-1");
    await b.hook("claude-code", "SessionEnd.other", { session_id: "s-1" });
    expect(b.packet("s-1")).toEqual(before);
  });

  test("P43 run by the agent itself: the session that its variable names", async () => {
    const b = bench();
    await session(b, "s-1");
    await session(b, "s-2");
    const run = await generate(b, { CLAUDE_CODE_SESSION_ID: "s-1" });
    expect(sessionLine(run.stdout)).toBe("session: s-1 (Claude Code, by CLAUDE_CODE_SESSION_ID)");
    expect(failuresIn(b, "s-1")).toHaveLength(1);
    const told = await generate(b, { CLAUDE_CODE_SESSION_ID: "s-1", HANDOFF_SESSION_ID: "s-9" });
    expect(sessionLine(told.stdout)).toBe("session: s-9 (by HANDOFF_SESSION_ID)");
  });

  test("P43 an agent without a record here keeps what it says of itself: nothing changes", async () => {
    const b = bench();
    put(b.root, "agent_state.json", { session_id: "s-own", next_action: "go on" });
    const run = await generate(b, { CLAUDE_CODE_SESSION_ID: "s-1", CODEX_THREAD_ID: "s-2" });
    expect([run.code, run.stderr, sessionLine(run.stdout)]).toEqual([0, "", undefined]);
    expect(b.packet("s-own")).toMatchObject({ next_action: "go on" });
  });

  test("P43 a person's option, a state that names its session and a CI job come before the record, not before the environment", async () => {
    const b = bench();
    await session(b, "s-1");
    const ci = { GITHUB_RUN_ID: "7" };
    expect(sessionLine((await generate(b, {}, "--session", "s-opt")).stdout)).toBe(undefined);
    expect(b.packet("s-opt")).not.toBe(null);
    await generate(b, ci);
    expect(b.packet("ci-7-1")).not.toBe(null);
    expect(sessionLine((await generate(b, { ...ci, CLAUDE_CODE_SESSION_ID: "s-1" })).stdout)).toContain(
      "s-1",
    );
    put(b.root, "agent_state.json", { session_id: "s-state", next_action: "go on" });
    expect(sessionLine((await generate(b)).stdout)).toBe(undefined);
    expect(b.packet("s-state")).not.toBe(null);
    // As with a hook: what another session noted is not this one's.
    await generate(b, { CLAUDE_CODE_SESSION_ID: "s-1" });
    expect(b.packet("s-1")?.["next_action"]).not.toBe("go on");
  });

  test("P43 when all have ended: the newest with work that no packet knows, then the newest of this branch, then nobody's", async () => {
    const b = bench();
    for (const id of ["s-1", "s-2", "s-3"]) await session(b, id);
    for (const id of ["s-1", "s-2", "s-3"]) await end(b, id);
    expect(sessionLine((await generate(b)).stdout)).toBe(
      "session: s-3 (Claude Code, the newest on record of this branch)",
    );
    await b.hook("claude-code", "PostToolUse", { session_id: "s-2", tool_use_id: "late" });
    expect(sessionLine((await generate(b)).stdout)).toBe(
      "session: s-2 (Claude Code, it is over, and no packet has all of its work)",
    );
    git(b.root, "switch", "--quiet", "-c", "feat/other");
    expect(sessionLine((await generate(b)).stdout)).toBe(undefined);
    expect(b.packet("local-feat-other")).not.toBe(null);
  });

  test("A9 a session whose process is gone is over, whatever it has on record", async () => {
    const b = bench();
    await session(b, "s-old");
    const claude = agent("claude");
    await b.hook("claude-code", "SessionStart.startup", { session_id: "s-new" }, { by: claude });
    expect(sessionLine((await generate(b, {}, "--dry-run")).stdout)).toContain("session: s-new (");
    await claude.kill();
    expect(sessionLine((await generate(b, {}, "--dry-run")).stdout)).toContain("session: s-old (");
  });

  test("P41 --json says it in a key of its own, --stdout on stderr", async () => {
    const b = bench();
    await session(b, "s-1");
    const json = JSON.parse((await generate(b, {}, "--json")).stdout) as Payload;
    expect(json["session"]).toEqual({
      id: "s-1",
      from: "record",
      why: "Claude Code, the newest on record here that has not ended",
    });
    const printed = await generate(b, {}, "--stdout", "json");
    expect(JSON.parse(printed.stdout)).toMatchObject({ session_id: "s-1" });
    expect(sessionLine(printed.stderr)).toContain("session: s-1 (");
  });

  test("P43 a bad id in the environment is told and passed by", async () => {
    const b = bench();
    await session(b, "s-1");
    const run = await generate(b, { HANDOFF_SESSION_ID: "../../etc" });
    expect(run.code).toBe(0);
    expect(run.stderr).toContain("id.invalid");
    expect(sessionLine(run.stdout)).toContain("session: s-1 (");
  });
});

describe("P43 doctor", () => {
  test("P43 speaks of the same session", async () => {
    const b = bench();
    await session(b, "s-1");
    const run = await b.handoff("doctor");
    expect(run.stdout).toMatch(/^session +s-1 \(record: Claude Code, the newest on record here/mu);
    expect(run.stdout).toMatch(/^feedback +\.handoff\/sessions\/s-1\/feedback\.jsonl: 1 records/mu);
    const json = await b.command(["doctor", "--json"], { env: { CODEX_THREAD_ID: "s-1" } });
    expect(JSON.parse(json.stdout)).toMatchObject({ session: { id: "s-1", from: "environment" } });
  });
});

describe("S8 brief --consume", () => {
  const takers = (b: HookBench): string[] => {
    const index = JSON.parse(readFileSync(path.join(b.root, "outputs/handoff/index.json"), "utf8"));
    return index.packets.flatMap(({ consumed_by }: { consumed_by: { by: string }[] }) =>
      consumed_by.map(({ by }) => by),
    );
  };

  test("S8 by the agent itself: its session takes it", async () => {
    const b = bench();
    await session(b, "s-1");
    await generate(b);
    await end(b, "s-1");
    const env = { CODEX_THREAD_ID: "s-2", CODEX_SESSION_ID: "s-2" };
    put(b.root, ".handoff/sessions/s-2/session.json", { agent: "codex" });
    await b.command(["brief", "--consume"], { env });
    expect(takers(b)).toEqual(["s-2"]);
    await b.command(["brief", "--consume", "--by", "s-3"], { env });
    expect(takers(b)).toEqual(["s-2", "s-3"]);
  });

  test("S8 by an agent that tells its commands nothing: the session at work takes it", async () => {
    const b = bench();
    await session(b, "s-1");
    await generate(b);
    await end(b, "s-1");
    await b.hook("gemini", "SessionStart.startup", { session_id: "s-gemini" });
    await b.handoff("brief", "--consume");
    expect(takers(b)).toEqual(["s-gemini"]);
    // A person's look takes nothing, and hears who did.
    expect((await b.handoff("brief")).stderr).toContain("taken over before by s-gemini");
    await b.handoff("brief", "--consume", "--for", "codex");
    expect(takers(b)).toEqual(["s-gemini", "codex"]);
  });

  test("S8 beside the very session whose packet it is: somebody local takes it", async () => {
    const b = bench();
    await session(b, "s-1");
    await generate(b);
    await b.handoff("brief", "--consume");
    expect(takers(b)).toEqual(["local-main"]);
  });

  test("P40 without a packet it says so, whoever asks", async () => {
    const b = bench();
    await session(b, "s-1");
    const run = await b.handoff("brief", "--consume");
    expect([run.code, run.stdout]).toEqual([1, ""]);
    expect(run.stderr).toContain("packet.missing");
  });
});

describe("A11 exec", () => {
  test("A11 after the agent's session: its record is in the packet that is made next", async () => {
    const b = bench();
    await session(b, "s-1");
    await end(b, "s-1");
    // Nobody has been at work for long.
    const old = new Date(Date.now() - 48 * 3_600_000);
    for (const name of ["session.json", "feedback.jsonl"])
      utimesSync(path.join(b.sessionFolder("s-1"), name), old, old);
    await b.handoff("exec", "--", "sh", "-c", "exit 4");
    expect(sessionLine((await generate(b)).stdout)).toContain("session: s-1 (");
    expect(failuresIn(b, "s-1")).toHaveLength(2);
  });
});
