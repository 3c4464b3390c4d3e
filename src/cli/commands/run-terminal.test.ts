// R21, R25, R27: handoff run on a real terminal (a pseudo-terminal of script(1)): the view, the keys, and what is left behind.
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { steps, type Scenario } from "../../../fixtures/agents/scenario.js";
import { findByVariable } from "../../io/process-tree.js";
import { put } from "../testing/sample-workbench.js";
import { tinyScreen, type TinyScreen } from "../testing/tiny-screen.js";
import { useCli } from "../testing/use-cli.js";
import { type GoingRun, played, useRuns } from "../testing/use-runs.js";

const { cli } = useCli();
const job = useRuns(cli);

const TWO_SESSIONS: Scenario = {
  model: "opus",
  window: 200_000,
  start: 20_000,
  steps: steps(3, 65_000),
  line: 150_000,
  think: 60,
};
const HANGS: Scenario = { ...TWO_SESSIONS, steps: steps(2, 1000), turns: { 1: { after: 1, hang: true } } };
const RUN = [...played("claude-code"), "--prompt", "Do all the steps."];
/** How the terminal stands afterwards. */
const MODES = "stty -a | grep -oE -e '-?(echo|icanon|isig)( |;|$)'";

/** What a person saw at the end. Throws for a sequence that is none of the view's own. */
async function seen(going: GoingRun): Promise<{ code: number | null; screen: TinyScreen; lines: string[] }> {
  const { code, stdout } = await going.end;
  const screen = tinyScreen(80);
  screen.write(stdout);
  return { code, screen, lines: screen.lines() };
}

function expectPutBack({ screen, lines }: { screen: TinyScreen; lines: string[] }): void {
  expect([screen.hasCursor(), screen.wraps()]).toEqual([true, true]);
  expect(
    lines
      .map((line) => line.trim())
      .filter((line) => /^-?(?:echo|icanon|isig)\b/u.test(line))
      .sort(),
  ).toEqual(["echo", "icanon", "isig"]);
  // Nothing is left of the block.
  expect(lines.filter((line) => line.startsWith("── "))).toEqual([]);
}

describe("R25 on a terminal", () => {
  test("the block is drawn in place, and gone at the end", async () => {
    const work = job(TWO_SESSIONS);
    const end = await seen(work.onTerminal(RUN, { after: MODES }));
    expect(end.code).toBe(0);
    expectPutBack(end);
    expect(end.screen.colored()).toBeGreaterThan(10);
    const raw = await seen(work.onTerminal([...RUN], { env: { NO_COLOR: "1" } }));
    expect(raw.screen.colored()).toBe(0);
    const text = end.lines.join("\n");
    for (const words of [
      "▶ run-",
      "● session 1: claude-code",
      "▲ over the line",
      "✓ packet hp_",
      "● session 2:",
    ])
      expect(text).toContain(words);
    expect(text).toMatch(/run-[0-9a-f]{12} done: 2 sessions/u);
  });

  test("while it works it shows session, bar and line; of the writing turn nothing", async () => {
    const work = job({ ...TWO_SESSIONS, turns: { 2: { think: 3000 } } });
    const going = work.onTerminal(RUN);
    await going.until("saying where it stands");
    const { stdout } = await going.end;
    expect(stdout).toMatch(/working.* · session 1 · claude-code/u);
    expect(stdout).toContain("hands over at 150k");
    expect(stdout).not.toContain("dead end 1");
  });

  test("a terminal that can do nothing gets lines", async () => {
    const work = job(TWO_SESSIONS);
    const end = await seen(work.onTerminal(RUN, { env: { TERM: "dumb" } }));
    expect([end.code, end.screen.colored()]).toEqual([0, 0]);
    expect((await work.onTerminal(RUN, { env: { TERM: "dumb" } }).end).stdout).not.toContain("\u001b");
  });

  test("events on the same terminal leave no room for a block", async () => {
    const work = job(TWO_SESSIONS);
    const { stdout } = await work.onTerminal([...RUN, "--events", "-"]).end;
    expect(stdout).toContain('"event":"run_ended"');
    expect(stdout).not.toContain("\u001b[?25l");
  });

  test("events in a file, the view on the terminal", async () => {
    const work = job(TWO_SESSIONS);
    const end = await seen(
      work.onTerminal([...RUN, "--events", "-"], { redirect: "> events.jsonl", after: MODES }),
    );
    expect(end.code).toBe(0);
    expectPutBack(end);
    expect(existsSync(path.join(work.root, "events.jsonl"))).toBe(true);
  });
});

describe("R27 keys", () => {
  test("R27 Ctrl-C: says what it does, writes a packet, puts the terminal back", async () => {
    const work = job(HANGS);
    const going = work.onTerminal(RUN, { after: MODES });
    await going.until("1 command");
    // Keys mean nothing here, and disturb nothing.
    going.child.stdin?.write("abc\r\n\r\n");
    going.child.stdin?.write("\u0003");
    await going.until("the packet is written first; Ctrl-C again leaves at once");
    const end = await seen(going);
    expect(end.code).toBe(130);
    expectPutBack(end);
    const text = end.lines.join("\n");
    expect(text).not.toContain("abc");
    expect(text).toMatch(/run-[0-9a-f]{12} interrupted: 1 session/u);
    expect(text).toMatch(/\n {2}1 {2}claude-code .* hp_[0-9a-f]{16}\n/u);
  });

  test("R27 twice: at once", async () => {
    const work = job({ ...HANGS, turns: { 1: { after: 1, stubborn: true } } });
    const going = work.onTerminal(RUN, { after: MODES });
    await going.until("1 command");
    going.child.stdin?.write("\u0003");
    await going.until("Ctrl-C again");
    await new Promise((resolve) => setTimeout(resolve, 200));
    going.child.stdin?.write("\u0003");
    const end = await seen(going);
    expect(end.code).toBe(130);
    expectPutBack(end);
  });

  test("a fault of ours puts the terminal back, too, says what it was, and leaves no agent behind", async () => {
    const work = job(HANGS);
    // Throws outside of everything as soon as the block was drawn.
    put(
      work.root,
      "fault.mjs",
      `const { stderr } = process;
       const write = stderr.write;
       if (process.argv[2] === "run")
         stderr.write = (text, ...more) => {
           if (text.includes("1 command")) setTimeout(() => { throw new Error("a fault"); });
           return write.call(stderr, text, ...more);
         };`,
    );
    const env = { NODE_OPTIONS: `--import=${path.join(work.root, "fault.mjs")}` };
    const end = await seen(work.onTerminal(RUN, { env, after: MODES }));
    expect(end.code).toBe(70);
    expectPutBack(end);
    const text = end.lines.join("\n");
    expect(text).toMatch(/\nhandoff: bug: Error: a fault\n {2}this is a fault of handoff/u);
    const id = /run-[0-9a-f]{12}/u.exec(text)?.[0] ?? "";
    while ((await findByVariable("HANDOFF_RUN", id)).length > 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
  });

  test("a usage error leaves the terminal alone", async () => {
    const work = job(HANGS);
    const { code, stdout } = await work.onTerminal(["--resume", "run-000000000000"]).end;
    expect(code).toBe(2);
    expect(stdout).not.toContain("\u001b[?25l");
  });
});

describe("R21 --pause", () => {
  test("R21 waits for Enter, says where the packet is; Enter typed before does not count", async () => {
    const work = job(TWO_SESSIONS);
    const going = work.onTerminal([...RUN, "--pause"], { after: MODES });
    await going.until("working");
    going.child.stdin?.write("\r");
    await going.until("waiting for you");
    await going.until("handoff edit");
    expect(existsSync(path.join(work.home, "prompts/3.txt"))).toBe(false);
    going.child.stdin?.write("x\r");
    const end = await seen(going);
    expect(end.code).toBe(0);
    expectPutBack(end);
    expect(end.lines.join("\n")).toContain("● session 2:");
  });

  test("R21 Ctrl-C there ends the run; its packet is out", async () => {
    const work = job(TWO_SESSIONS);
    const going = work.onTerminal([...RUN, "--pause"], { after: MODES });
    await going.until("waiting for you");
    going.child.stdin?.write("\u0003");
    const end = await seen(going);
    expect(end.code).toBe(130);
    expectPutBack(end);
    expect(end.lines.join("\n")).toMatch(/ {2}1 {2}claude-code .* hp_/u);
  });

  test("R21 the job may come through a pipe: the keys are the terminal's", async () => {
    const work = job(TWO_SESSIONS);
    const going = work.onTerminal([...played("claude-code"), "--pause"], { redirect: "< README" });
    await going.until("waiting for you");
    going.child.stdin?.write("\r");
    const { code } = await going.end;
    expect(code).toBe(0);
    expect(work.prompt(1)).toBe("a project\n");
  });

  test("R21 without a terminal it is refused before anything starts", async () => {
    const work = job(TWO_SESSIONS);
    const end = await work.run([...RUN, "--pause"]);
    expect([end.code, end.stdout]).toEqual([2, ""]);
    expect(end.stderr).toMatch(
      /^handoff: run\.no_pause: .*\n {2}leave --pause out, or run it in a terminal\n$/u,
    );
    expect(existsSync(path.join(work.home, "turns"))).toBe(false);
  });
});
