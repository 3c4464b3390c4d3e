// A8: what was asked for is not lost when a session that takes work over is merely told to go on.
import { describe, expect, it, test } from "vitest";
import { put } from "../cli/testing/sample-workbench.js";
import { useHooks } from "../cli/testing/use-hooks.js";
import { earlierGoals } from "./earlier-goals.js";

const { bench } = useHooks();

describe("A8 earlierGoals", () => {
  it.each([
    [null, [], []],
    ["a", [], ["a"]],
    [null, ["b"], ["b"]],
    ["go on", ["go on", "a"], ["go on", "a"]],
    ["d", ["c", "b", "a"], ["d", "c", "b"]],
  ])("%j after %j hands on %j", (goal, earlier_goals, expected) => {
    expect(earlierGoals({ goal, earlier_goals })).toEqual(expected);
  });
  it("is bounded", () => {
    const [one = ""] = earlierGoals({ goal: "ä".repeat(2000), earlier_goals: [] });
    expect(Buffer.byteLength(one)).toBeLessThanOrEqual(300);
  });
});

test("A8 A15 the first goal reaches the third session, whatever the second was told", async () => {
  const b = bench();
  const turn = async (session_id: string, prompt: string): Promise<string> => {
    const begun = await b.hook("claude-code", "SessionStart.startup", { session_id });
    await b.hook("claude-code", "UserPromptSubmit", { session_id, prompt });
    put(b.root, "a.txt", `${session_id}\n`);
    await b.hook("claude-code", "PostToolUse.write", { session_id });
    await b.hook("claude-code", "Stop", { session_id });
    return begun.stdout;
  };
  expect(await turn("s-1", "make the limit ten\nand test it")).toBe("");
  expect(b.session("s-1")).toMatchObject({ goal: "make the limit ten\nand test it", earlier_goals: [] });
  await turn("s-2", "go on");
  expect(b.session("s-2")).toMatchObject({
    goal: "go on",
    earlier_goals: ["make the limit ten\nand test it"],
  });
  expect(b.packet("s-2")?.["next_action"]).toBe(
    "Work towards the goal of the session: go on (before that: make the limit ten and test it)",
  );
  expect(b.packet("s-2")?.["summary"]).toContain(
    "Goal: go on (before that: make the limit ten and test it).",
  );
  expect(await turn("s-3", "go on")).toContain("make the limit ten and test it");
  expect(b.log()).toEqual([]);
});
