// L11: a crash between any two steps of a roll, and what a restart makes of it; with a scripted lead in a real pane. The executor of
// the product is killed once; every other point is a terminal that stops answering there, which is all a dead process does.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { put } from "../cli/testing/sample-workbench.js";
import { HANDOVER, type Lead, rollOf, until, useLeads } from "../cli/testing/use-leads.js";
import { hasEnded } from "./decide-roll.js";
import type { RollFile } from "./roll-file.js";
import { runRoll } from "./run-roll.js";
import type { TerminalMultiplexer } from "./terminal-multiplexer.js";
import { createTmux } from "./tmux.js";

const leads = useLeads();
const SETTINGS = {
  handover_path: "handover.md",
  require_operator_confirm: false,
  turn_settle_seconds: 20,
  clear_settle_seconds: 3,
};
/** Where a session does begin, or a prompt is picked up: however long it takes. */
const PATIENT = { ...SETTINGS, clear_settle_seconds: 10 };

const sentTo = (lead: Lead): readonly string[] =>
  lead.log().flatMap(({ sent }) => (typeof sent === "string" ? [sent] : []));
const clears = (lead: Lead): number => sentTo(lead).filter((line) => line === "/clear").length;
const prompts = (lead: Lead): number => sentTo(lead).filter((line) => line.startsWith("Read ")).length;

function keyOf(root: string): string {
  const [key] = readdirSync(path.join(root, ".handoff/rollover")).filter((name) =>
    /^[0-9a-f]{16}$/u.test(name),
  );
  return key ?? "";
}

function executorOf(root: string): number | null {
  try {
    const text = readFileSync(path.join(root, ".handoff/rollover", keyOf(root), "executor.json"), "utf8");
    const { pid }: { pid: number } = JSON.parse(text);
    return pid;
  } catch {
    return null;
  }
}

/** Ends the process that a confirm started, at once and while it waits for the turn's end. */
async function killExecutor(root: string): Promise<void> {
  const pid = await until("the executor", () =>
    rollOf(root)?.phase === "settling" ? executorOf(root) : null,
  );
  process.kill(pid, "SIGKILL");
  await until("its end", () => !isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/u.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** A lead that has confirmed, whose executor was killed while the turn went on, and whose turn has ended since. */
async function interrupted(
  settings: Readonly<Record<string, unknown>> = SETTINGS,
  agent: "claude" | "codex" = "claude",
): Promise<Lead> {
  const root = leads.project(settings);
  const lead = await leads.open(root, undefined, { agent });
  const token = /^token\s+(?<token>\S+)/mu.exec(await lead.handoff("rollover open"))?.groups?.["token"] ?? "";
  put(root, "handover.md", HANDOVER);
  lead.quirks({ hold: true });
  const confirmed = lead.handoff(`rollover confirm --token ${token}`);
  // A call that is not answered yet would take it back.
  await until("its answer", () => lead.log().filter(({ ran }) => ran !== undefined).length === 2);
  await killExecutor(root);
  lead.quirks({});
  await confirmed;
  return lead;
}

class Crash extends Error {}

/** A terminal in front of whose call the process dies; the call itself is never made, or, with `after`, its answer is not seen. */
function dying(
  terminal: TerminalMultiplexer,
  call: keyof TerminalMultiplexer,
  nth: number,
  after: boolean,
): TerminalMultiplexer {
  let calls = 0;
  const at =
    <A extends readonly unknown[], R>(name: keyof TerminalMultiplexer, made: (...words: A) => Promise<R>) =>
    async (...words: A): Promise<R> => {
      if (name !== call) return made(...words);
      calls += 1;
      if (calls === nth && !after) throw new Crash();
      const answer = await made(...words);
      if (calls === nth) throw new Crash();
      return answer;
    };
  return {
    name: terminal.name,
    look: at("look", terminal.look),
    capture: at("capture", terminal.capture),
    type: at("type", terminal.type),
    pressEnter: at("pressEnter", terminal.pressEnter),
    pressBackspace: at("pressBackspace", terminal.pressBackspace),
  };
}

function run(root: string, terminal: TerminalMultiplexer): Promise<RollFile | null> {
  return runRoll(root, keyOf(root), {
    terminal,
    env: process.env,
    now: () => new Date(),
    elapsed: () => performance.now(),
    sleep: async (ms) => sleep(ms),
  });
}

const tmux = (): TerminalMultiplexer => createTmux(process.env);

describe("the executor dies", () => {
  test("L10 L11 kill -9 while it waits: it is told as interrupted, and resume goes on to the end, once", async () => {
    const lead = await interrupted(PATIENT);
    const { stdout } = await leads.outside(lead.root, "rollover", "status");
    expect(stdout).toContain("%0 interrupted (settling)");
    expect(stdout).toContain("handoff rollover resume");
    expect(clears(lead)).toBe(0);
    const runs = await Promise.all([1, 2, 3, 4].map(() => leads.outside(lead.root, "rollover", "resume")));
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [0, ""]));
    await until("the end", () => rollOf(lead.root)?.phase === "bootstrapped");
    expect([clears(lead), prompts(lead)]).toEqual([1, 1]);
    expect((await leads.outside(lead.root, "rollover", "resume")).stdout).toContain("no roll is interrupted");
  });

  /** Where it dies, what of it reached the pane, and how the restart ends. */
  const POINTS: readonly (readonly [
    string,
    keyof TerminalMultiplexer,
    number,
    boolean,
    Partial<RollFile>,
    number,
    number,
  ])[] = [
    ["before the clearing is typed", "type", 1, false, { phase: "refused", ending: "CLEAR_NOT_SEEN" }, 0, 0],
    ["when it is typed, and not sent", "type", 1, true, { phase: "refused", ending: "CLEAR_NOT_SEEN" }, 0, 0],
    [
      "before the key that sends it",
      "pressEnter",
      1,
      false,
      { phase: "refused", ending: "CLEAR_NOT_SEEN" },
      0,
      0,
    ],
    ["when it is sent, and not seen", "pressEnter", 1, true, { phase: "bootstrapped" }, 1, 1],
    ["before the first prompt is typed", "type", 2, false, { phase: "bootstrapped", tries: 2 }, 1, 1],
    ["when it is typed, and not sent", "type", 2, true, { phase: "bootstrapped", tries: 2 }, 1, 1],
    [
      "before the key that sends the prompt",
      "pressEnter",
      2,
      false,
      { phase: "bootstrapped", tries: 2 },
      1,
      1,
    ],
    [
      "when the prompt is sent, and not seen",
      "pressEnter",
      2,
      true,
      { phase: "bootstrapped", tries: 1 },
      1,
      1,
    ],
  ];

  test.each(POINTS)("L11 %s (%s %i, after: %s)", async (_what, call, nth, after, end, cleared, prompted) => {
    const lead = await interrupted(end.ending === "CLEAR_NOT_SEEN" ? SETTINGS : PATIENT);
    await expect(run(lead.root, dying(tmux(), call, nth, after))).rejects.toThrow(Crash);
    const stood = rollOf(lead.root);
    expect(stood !== null && hasEnded(stood)).toBe(false);
    expect(await run(lead.root, tmux())).toMatchObject(end);
    expect([clears(lead), prompts(lead)]).toEqual([cleared, prompted]);
    // Once more: nothing happens to a roll that has ended.
    await run(lead.root, tmux());
    expect([clears(lead), prompts(lead)]).toEqual([cleared, prompted]);
  });

  test("L11 at every look, one after the other: never cleared twice, never prompted twice", async () => {
    const lead = await interrupted();
    // Each restart gets one look further, from wherever the one before it stood.
    for (let nth = 1; nth <= 12; nth += 1) {
      const died = await run(lead.root, dying(tmux(), "look", nth, true)).then(
        () => false,
        (error: unknown) => error instanceof Crash,
      );
      if (!died) break;
    }
    await run(lead.root, tmux());
    const roll = rollOf(lead.root);
    expect(roll !== null && hasEnded(roll)).toBe(true);
    expect(clears(lead)).toBeLessThanOrEqual(1);
    expect(prompts(lead)).toBeLessThanOrEqual(1);
  });
});

describe("what happens while nobody watches", () => {
  test("L11 the pane was cleared by hand before the restart: nothing is sent into that session", async () => {
    const lead = await interrupted();
    lead.submit("/clear");
    await lead.waitFor("the clearing", ({ began }) => began === "clear");
    expect(await run(lead.root, tmux())).toMatchObject({ phase: "cancelled", ending: "OVERTAKEN" });
    expect([clears(lead), prompts(lead)]).toEqual([1, 0]);
  });

  test("L11 cleared by the roll, and a person went on: the first prompt is not sent into their work", async () => {
    const lead = await interrupted();
    await expect(run(lead.root, dying(tmux(), "pressEnter", 1, true))).rejects.toThrow(Crash);
    await lead.waitFor("the clearing", ({ began }) => began === "clear");
    lead.submit("what is this about?");
    await lead.waitFor("the answer", ({ prompt }) => prompt === "what is this about?");
    expect(await run(lead.root, tmux())).toMatchObject({ phase: "cancelled", ending: "OVERTAKEN" });
    expect(prompts(lead)).toBe(0);
  });

  test("L11 another program in the same pane: its agent is gone, and nothing is typed into a shell", async () => {
    const lead = await interrupted();
    execFileSync("tmux", ["-S", lead.socket, "respawn-pane", "-k", "-t", lead.pane, "sh"]);
    expect(await run(lead.root, tmux())).toMatchObject({ phase: "refused", ending: "PANE_GONE" });
    expect(lead.screen()).not.toContain("clear");
  });

  test("L11 a handover that got too old meanwhile clears nothing", async () => {
    const lead = await interrupted({ ...SETTINGS, max_doc_age_seconds: 15 });
    await until("its time", () => Date.now() - Date.parse(rollOf(lead.root)?.accepted_at ?? "") > 16_000);
    expect(await run(lead.root, tmux())).toMatchObject({
      phase: "refused",
      ending: "TURN_NOT_SETTLED",
      why: expect.stringContaining("too old"),
    });
    expect(clears(lead)).toBe(0);
  });
});

test("L11 a key that is said to have failed was pressed perhaps: the clearing is not typed again", async () => {
  const lead = await interrupted({ ...SETTINGS, clear_settle_seconds: 20 });
  lead.quirks({ clear_ms: 2500 });
  const plain = tmux();
  const terminal: TerminalMultiplexer = {
    ...plain,
    pressEnter: async (pane) => (await plain.pressEnter(pane)) && false,
  };
  expect(await run(lead.root, terminal)).toMatchObject({ phase: "bootstrapped" });
  expect([clears(lead), prompts(lead)]).toEqual([1, 1]);
});

describe("L11 the session that was cleared is back when the roll is gone on with", () => {
  test.each(["claude", "codex"] as const)("%s: the first prompt is not for it", async (agent) => {
    const lead = await interrupted(PATIENT, agent);
    const old = rollOf(lead.root)?.session_id ?? "";
    await expect(run(lead.root, dying(tmux(), "type", 2, false))).rejects.toThrow(Crash);
    lead.submit(`/resume ${old}`);
    await lead.waitFor("it is back", ({ began, opened }) => (began ?? opened) === "resume");
    expect(await run(lead.root, tmux())).toMatchObject(
      agent === "claude"
        ? { phase: "cancelled", ending: "OVERTAKEN" }
        : { phase: "refused", ending: "BOOTSTRAP_NOT_SEEN" },
    );
    expect([clears(lead), prompts(lead)]).toEqual([1, 0]);
  });
});

test("L6 a person who types in that very moment keeps their words, and ours are taken back unsent", async () => {
  const lead = await interrupted({ ...SETTINGS, turn_settle_seconds: 10 });
  const plain = tmux();
  const terminal: TerminalMultiplexer = {
    ...plain,
    type: async (pane, text) => (await plain.type(pane, "wait")) && plain.type(pane, text),
  };
  expect(await run(lead.root, terminal)).toMatchObject({ phase: "refused", ending: "TURN_NOT_SETTLED" });
  expect([clears(lead), sentTo(lead).filter((line) => line.includes("wait"))]).toEqual([0, []]);
  expect(lead.screen()).toMatch(/^❯.wait$/mu);
});

describe("L7 keys that would go elsewhere", () => {
  test.each([
    ["copy mode", ["copy-mode"], ["send-keys", "-X", "cancel"]],
    [
      "synchronized panes",
      ["set-option", "-w", "synchronize-panes", "on"],
      ["set-option", "-w", "synchronize-panes", "off"],
    ],
  ])("%s is waited out", async (_what, on, off) => {
    const lead = await interrupted(PATIENT);
    const say = ([verb = "", ...words]: readonly string[]): void =>
      void execFileSync("tmux", ["-S", lead.socket, verb, "-t", lead.pane, ...words]);
    say(on);
    const running = run(lead.root, tmux());
    await sleep(2500);
    expect(sentTo(lead).filter((line) => line === "/clear")).toEqual([]);
    say(off);
    expect(await running).toMatchObject({ phase: "bootstrapped" });
    expect([clears(lead), prompts(lead)]).toEqual([1, 1]);
  });
});
