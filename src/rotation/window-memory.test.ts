// R4, R13: windows that overflows showed, remembered by agent, endpoint and model.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempBench } from "../../fixtures/artifacts/temp-bench.js";
import { scriptedAgent } from "./testing/scripted-agents.js";
import { readWindows, rememberWindow, windowKey } from "./window-memory.js";

const agent = { ...scriptedAgent("claude-code"), bin: null };

test("R4 the key tells agent, program, endpoint and model apart", () => {
  const keys = [
    windowKey(agent, "m", {}),
    windowKey(agent, null, {}),
    windowKey(agent, "n", {}),
    windowKey({ ...agent, bin: "/other" }, "m", {}),
    windowKey(agent, "m", { ANTHROPIC_BASE_URL: "https://proxy.example.org/v1?key=secret" }),
    windowKey(agent, "m", { OPENAI_BASE_URL: "http://127.0.0.1:8080" }),
    windowKey(scriptedAgent("codex"), "m", {}),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.join(" ")).not.toContain("secret");
  expect(windowKey(agent, "m", { ANTHROPIC_BASE_URL: "no address" })).toBe(keys[0]);
});

test("R13 the newest counts, and only so many are kept", async () => {
  const root = tempBench();
  await rememberWindow(root, "a", 100_000);
  await rememberWindow(root, "b", 200_000);
  await rememberWindow(root, "a", 120_000);
  expect(await readWindows(root)).toEqual({ b: 200_000, a: 120_000 });
  for (let n = 0; n < 250; n += 1) await rememberWindow(root, `k${n}`, 1000 + n);
  const kept = await readWindows(root);
  expect(Object.keys(kept)).toHaveLength(200);
  expect(kept["k249"]).toBe(1249);
});

test.each(["{torn", "[]", '{"a": "big", "b": -1, "c": 1.5}', "null"])(
  "a file with %s says nothing",
  async (text) => {
    const root = tempBench({ ".handoff/cache/windows.json": text });
    expect(await readWindows(root)).toEqual({});
    await rememberWindow(root, "a", 1000);
    expect(await readWindows(root)).toEqual({ a: 1000 });
  },
);

test("what cannot be written is not remembered, and nothing is thrown", async () => {
  const root = tempBench({ ".handoff/cache": "a file" });
  await rememberWindow(root, "a", 1000);
  expect(await readWindows(root)).toEqual({});
  expect(readFileSync(path.join(root, ".handoff/cache"), "utf8")).toBe("a file");
});
