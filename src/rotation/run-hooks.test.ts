// R29: hooks and the runner record the same session, and every command counts once.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BuiltCli, buildCli } from "../cli/testing/built-cli.js";
import { withScene } from "./testing/run-scene.js";

let cli: BuiltCli;
beforeAll(() => {
  cli = buildCli();
});
afterAll(() => cli.remove());

test("R29 a command that a hook recorded, too, counts once: both name the tool call", async () => {
  const scenario = {
    model: "claude-sonnet-4-5",
    window: 200_000,
    start: 20_000,
    steps: [{ name: "s1" }, { name: "s2", exit: 3 }, { name: "s3" }],
    hook: [process.execPath, cli.main, "hook", "claude-code"],
  };
  await withScene({ scenario }, async (scene) => {
    const run = await scene.run();
    expect(run).toMatchObject({ exit: 0, status: "done" });
    const session = run.ledger.session_id ?? "";
    const lines = scene.lines(`.handoff/sessions/${session}/feedback.jsonl`);
    const ids = (source: string) =>
      lines.filter((line) => line["source"] === source).map((line) => line["command_id"]);
    expect(ids("hook")).toHaveLength(3);
    expect(ids("runner")).toEqual(ids("hook"));
    const packet = scene.packet(session);
    expect(packet.feedback).toMatchObject({ total: 3, nonzero: 1 });
    expect(packet.commands_run.map(({ count }) => count)).toEqual([1, 1, 1]);
    expect(packet.failed_attempts).toHaveLength(1);
  });
});
