// A roll from open to the fresh session, with a scripted lead in a real pane of tmux: every refusal through the real command, two
// leads at once, and all that may come between.
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { put } from "../cli/testing/sample-workbench.js";
import { HANDOVER, type Lead, rollOf, until, useLeads } from "../cli/testing/use-leads.js";

const leads = useLeads();
const FAST = {
  handover_path: "handover.md",
  require_operator_confirm: false,
  turn_settle_seconds: 20,
  clear_settle_seconds: 20,
};

const tokenIn = (said: string): string => /^token\s+(?<token>\S+)/mu.exec(said)?.groups?.["token"] ?? "";

/** Opens, writes and confirms; what confirm said. */
async function roll(lead: Lead, file = "handover.md"): Promise<string> {
  const token = tokenIn(await lead.handoff("rollover open --reason full"));
  put(lead.root, file, HANDOVER);
  return lead.handoff(`rollover confirm --token ${token}`);
}

const sentTo = (lead: Lead): unknown[] =>
  lead.log().flatMap(({ sent }) => (sent === undefined ? [] : [sent]));
const clears = (lead: Lead): number => sentTo(lead).filter((line) => line === "/clear").length;
const prompts = (lead: Lead): readonly string[] =>
  sentTo(lead)
    .map(String)
    .filter((line) => line.startsWith("Read "));
const ended = (root: string) =>
  until("the roll's end", () => {
    const found = rollOf(root);
    return found !== null && ["bootstrapped", "refused", "cancelled"].includes(found.phase) ? found : null;
  });

describe("a roll", () => {
  test("L1 L5 L6 L10 the pane is cleared, and its fresh session gets the packet and is told where it lies", async () => {
    const root = leads.project();
    const lead = await leads.open(root);
    expect(await roll(lead)).toContain("nothing is cleared yet");
    expect(await ended(root)).toMatchObject({ phase: "bootstrapped", tries: 1, ending: null });
    expect(clears(lead)).toBe(1);
    expect(prompts(lead)).toHaveLength(1);
    const fresh = lead.log().find(({ began }) => began === "clear");
    expect(fresh?.["brief"]).toContain("raise the limit to ten");
    const file = /Read (?<file>\S+)/u.exec(prompts(lead)[0] ?? "")?.groups?.["file"] ?? "";
    expect(readFileSync(path.join(root, file), "utf8")).toContain("raise the limit to ten");
    // The lead notes it once its hook has ended; the roll's end is what that hook told.
    const picked = await lead.waitFor("the first prompt", ({ prompt }) => String(prompt).startsWith("Read"));
    expect(picked["session"]).toBe(fresh?.["session"]);
    // Who took it is on record, in the pane's own line of packets.
    const listed = JSON.parse((await leads.outside(root, "list", "--json")).stdout) as {
      packets: { topic: string; consumed_by: { by: string }[] }[];
    };
    expect(
      listed.packets.find(({ topic }) => topic.startsWith("pane-0-"))?.consumed_by.map(({ by }) => by),
    ).toEqual([fresh?.["session"]]);
    // Who begins elsewhere gets the branch's packet, and is told that its work goes on already.
    const elsewhere = await leads.open(root);
    const other = elsewhere.log().find(({ began }) => began === "startup");
    expect(other?.["brief"]).toContain("raise the limit to ten");
    expect(other?.["brief"]).toContain(`taken over before by ${String(fresh?.["session"])}`);
    const { stdout } = await leads.outside(root, "rollover", "status");
    expect(stdout).toContain("%0 bootstrapped");
    const log = readFileSync(path.join(root, ".handoff/recorder.log"), "utf8");
    for (const word of ["requested", "accepted", "cleared", "bootstrapped"])
      expect(log).toMatch(new RegExp(`rollover: ${word} `, "u"));
    // Nothing of it is git's, nothing is left for the next clearing.
    expect(
      readdirSync(path.join(root, ".handoff/panes")).filter((name) => name.includes("handover")),
    ).toEqual([]);
  });

  test("L5 auto: the packet is generated from what was noted, and nothing is written by the lead", async () => {
    const root = leads.project({ ...FAST, handover_path: "auto" });
    const lead = await leads.open(root);
    await lead.handoff("note next 'raise the limit to ten'");
    const token = tokenIn(await lead.handoff("rollover open"));
    expect(await lead.handoff(`rollover confirm --token ${token}`)).toContain("exit 0");
    expect(await ended(root)).toMatchObject({ phase: "bootstrapped" });
    expect(lead.log().find(({ began }) => began === "clear")?.["brief"]).toContain("raise the limit to ten");
  });

  test("L3 two leads on one server roll at once, each itself, each with its own packet and file", async () => {
    const root = leads.project();
    const first = await leads.open(root);
    const second = await leads.open(root, first);
    const [a, b] = [await first.handoff("rollover open"), await second.handoff("rollover open")];
    expect(b).toContain("handover.pane-1.md");
    put(root, "handover.md", HANDOVER.replace("ten", "eleven").replace("to ten", "to eleven"));
    put(root, "handover.pane-1.md", HANDOVER.replace("to ten", "to twelve"));
    // The other one's token is no use.
    expect(await first.handoff(`rollover confirm --token ${tokenIn(b)}`)).toContain("TOKEN_MISMATCH");
    await Promise.all([
      first.handoff(`rollover confirm --token ${tokenIn(a)}`),
      second.handoff(`rollover confirm --token ${tokenIn(b)}`),
    ]);
    const picked = (lead: Lead) =>
      lead.waitFor("its first prompt", ({ prompt }) => String(prompt).startsWith("Read"));
    await Promise.all([picked(first), picked(second)]);
    const briefOf = (lead: Lead): unknown => lead.log().find(({ began }) => began === "clear")?.["brief"];
    expect(briefOf(first)).toContain("raise the limit to eleven");
    expect(briefOf(first)).not.toContain("twelve");
    expect(briefOf(second)).toContain("raise the limit to twelve");
    for (const lead of [first, second]) expect([clears(lead), prompts(lead).length]).toEqual([1, 1]);
  });

  test("L5 two hooks of one start: the packet is given once, and no other one after it", async () => {
    const root = leads.project();
    const lead = await leads.open(root);
    lead.quirks({ twice: true });
    await roll(lead);
    expect(await ended(root)).toMatchObject({ phase: "bootstrapped" });
    const fresh = lead.log().find(({ began }) => began === "clear");
    expect([String(fresh?.["brief"]).includes("raise the limit to ten"), fresh?.["again"]]).toEqual([
      true,
      "",
    ]);
  });

  test("L8 the roll waits for the end of the lead's own turn, however long it takes within its time", async () => {
    const root = leads.project();
    const lead = await leads.open(root);
    const token = tokenIn(await lead.handoff("rollover open"));
    put(root, "handover.md", HANDOVER);
    lead.quirks({ hold: true });
    const confirmed = lead.handoff(`rollover confirm --token ${token}`);
    await until("the roll", () => rollOf(root)?.phase === "settling");
    // Long enough for one that does not wait.
    await sleep(3000);
    expect(clears(lead)).toBe(0);
    lead.quirks({});
    await confirmed;
    expect(await ended(root)).toMatchObject({ phase: "bootstrapped" });
    const log = lead.log();
    const asked = log.findIndex(({ prompt }) => String(prompt).includes("rollover confirm"));
    const stopped = log.findIndex((line, at) => at > asked && line["stopped"] === true);
    const cleared = log.findIndex(({ sent }) => sent === "/clear");
    expect([asked !== -1, stopped > asked, cleared > stopped]).toEqual([true, true, true]);
  });
});

describe("what stops a roll", () => {
  test("L6 a turn that goes on when the time is over is not cleared", async () => {
    const root = leads.project({ ...FAST, turn_settle_seconds: 3 });
    const lead = await leads.open(root);
    const token = tokenIn(await lead.handoff("rollover open"));
    put(root, "handover.md", HANDOVER);
    lead.quirks({ hold: true });
    lead.submit(`run node "$HANDOFF_MAIN" rollover confirm --token ${token}`);
    expect(await ended(root)).toMatchObject({
      phase: "refused",
      ending: "TURN_NOT_SETTLED",
      why: expect.stringContaining("its turn goes on"),
    });
    expect(clears(lead)).toBe(0);
    expect((await leads.outside(root, "rollover", "status")).stdout).toContain("nothing was cleared");
  });

  test("L6 L7 a turn that waits at a question is a live turn: nothing is sent, and it is said why", async () => {
    const root = leads.project({ ...FAST, turn_settle_seconds: 3 });
    const lead = await leads.open(root);
    const token = tokenIn(await lead.handoff("rollover open"));
    put(root, "handover.md", HANDOVER);
    lead.submit(`ask node "$HANDOFF_MAIN" rollover confirm --token ${token}`);
    await lead.waitFor("the question", ({ asks }) => asks === true);
    expect(await ended(root)).toMatchObject({
      phase: "refused",
      ending: "TURN_NOT_SETTLED",
      why: expect.stringContaining("waits for an answer"),
    });
    expect(clears(lead)).toBe(0);
  });

  test("L6 L7 once the question is answered and the turn has ended, the roll goes on", async () => {
    const root = leads.project();
    const lead = await leads.open(root);
    const token = tokenIn(await lead.handoff("rollover open"));
    put(root, "handover.md", HANDOVER);
    lead.submit(`ask node "$HANDOFF_MAIN" rollover confirm --token ${token}`);
    await lead.waitFor("the question", ({ asks }) => asks === true);
    await until("the roll", () => rollOf(root)?.phase === "settling");
    expect(clears(lead)).toBe(0);
    lead.keys("y");
    expect(await ended(root)).toMatchObject({ phase: "bootstrapped" });
  });

  test("L7 a person who is typing is not interrupted", async () => {
    const root = leads.project({ ...FAST, turn_settle_seconds: 12 });
    const lead = await leads.open(root);
    const token = tokenIn(await lead.handoff("rollover open"));
    put(root, "handover.md", HANDOVER);
    lead.quirks({ hold: true });
    const confirmed = lead.handoff(`rollover confirm --token ${token}`);
    await until("the roll", () => rollOf(root)?.phase === "settling");
    lead.keys("-l", "wait, one more");
    await until("their words", () => lead.screen().includes("wait, one more"));
    lead.quirks({});
    await confirmed;
    expect(await ended(root)).toMatchObject({
      phase: "refused",
      ending: "TURN_NOT_SETTLED",
      why: expect.stringContaining("somebody is typing"),
    });
    expect(clears(lead)).toBe(0);
    expect(lead.screen()).toContain("wait, one more");
  });

  test("L6 a person who goes on with the session is faster, and nothing is cleared", async () => {
    const root = leads.project();
    const lead = await leads.open(root);
    const token = tokenIn(await lead.handoff("rollover open"));
    put(root, "handover.md", HANDOVER);
    lead.quirks({ hold: true });
    const confirmed = lead.handoff(`rollover confirm --token ${token}`);
    await until("the roll", () => rollOf(root)?.phase === "settling");
    lead.submit("and the docs, too");
    await lead.waitFor("their prompt", ({ sent }) => sent === "and the docs, too");
    lead.quirks({});
    await confirmed;
    expect(await ended(root)).toMatchObject({ phase: "cancelled", ending: "OVERTAKEN" });
    expect(clears(lead)).toBe(0);
  });

  test("L9 a request that waits, refused confirms and turns that end clear nothing and start nothing", async () => {
    const root = leads.project(FAST);
    const lead = await leads.open(root);
    await lead.handoff("rollover open --reason full");
    put(root, "handover.md", HANDOVER);
    expect(await lead.handoff("rollover confirm --token x")).toContain("TOKEN_MISMATCH");
    await lead.handoff("list");
    expect(rollOf(root)).toBeNull();
    expect(sentTo(lead).filter((line) => String(line).startsWith("/"))).toEqual([]);
    const kept = readdirSync(path.join(root, ".handoff/rollover"), { recursive: true, encoding: "utf8" });
    expect(kept.filter((name) => name.endsWith("pending.json"))).toHaveLength(1);
    expect(kept.filter((name) => /(?:roll|executor)\.json$/u.test(name))).toEqual([]);
  });

  test("L1 a roll that was accepted is cancelled by its token before it clears", async () => {
    const root = leads.project();
    const lead = await leads.open(root);
    const token = tokenIn(await lead.handoff("rollover open"));
    put(root, "handover.md", HANDOVER);
    await lead.handoff(
      `rollover confirm --token ${token}; node "$HANDOFF_MAIN" rollover cancel --token ${token}`,
    );
    expect(await ended(root)).toMatchObject({ phase: "cancelled", ending: "CANCELLED" });
    expect(clears(lead)).toBe(0);
  });

  test("L6 CLEAR_NOT_SEEN: an agent that ignores it is not sent anything more", async () => {
    const root = leads.project({ ...FAST, clear_settle_seconds: 4 });
    const lead = await leads.open(root);
    lead.quirks({ ignore_clear: true });
    await roll(lead);
    expect(await ended(root)).toMatchObject({ phase: "refused", ending: "CLEAR_NOT_SEEN" });
    expect([clears(lead), prompts(lead).length]).toEqual([1, 0]);
  });

  test("L6 a first prompt that is not noticed is sent again, by its key alone where it stands unsent", async () => {
    const root = leads.project({ ...FAST, clear_settle_seconds: 8 });
    const lead = await leads.open(root);
    lead.quirks({ deaf: 2 });
    await roll(lead);
    expect(await ended(root)).toMatchObject({ phase: "bootstrapped", tries: 3 });
    expect([clears(lead), prompts(lead).length]).toEqual([1, 1]);
  });

  test("L6 BOOTSTRAP_NOT_SEEN: after three tries the packet is there for a start by hand", async () => {
    const root = leads.project({ ...FAST, clear_settle_seconds: 8 });
    const lead = await leads.open(root);
    lead.quirks({ deaf: 9 });
    await roll(lead);
    const end = await ended(root);
    expect(end).toMatchObject({ phase: "refused", ending: "BOOTSTRAP_NOT_SEEN", tries: 3 });
    expect(existsSync(path.join(root, end.packet_path))).toBe(true);
  });

  test("L4 L6 PANE_GONE: tmux is killed while the roll waits", async () => {
    const root = leads.project();
    const lead = await leads.open(root);
    const token = tokenIn(await lead.handoff("rollover open"));
    put(root, "handover.md", HANDOVER);
    lead.quirks({ hold: true });
    lead.submit(`run node "$HANDOFF_MAIN" rollover confirm --token ${token}`);
    await until("the roll", () => rollOf(root)?.phase === "settling");
    lead.killServer();
    expect(await ended(root)).toMatchObject({ phase: "refused", ending: "PANE_GONE" });
    // As status says: an agent that is started by hand begins with it.
    const byHand = await leads.open(root);
    expect(byHand.log().find(({ began }) => began === "startup")?.["brief"]).toContain(
      "raise the limit to ten",
    );
  });
});

describe("L4 what confirm refuses, through the command", () => {
  test("NOT_CONFIGURED, whatever is asked", async () => {
    const root = leads.project(null);
    const lead = await leads.open(root);
    for (const line of ["open", "confirm --token x", "cancel --token x"]) {
      const said = await lead.handoff(`rollover ${line}`);
      expect(said).toContain("NOT_CONFIGURED");
      expect(said).toContain("exit 1");
    }
    expect(existsSync(path.join(root, ".handoff/rollover"))).toBe(false);
  });

  test("NOT_PRIMARY: from outside of every pane, from a pane's variables alone, from an agent's agent, from a helper", async () => {
    const root = leads.project();
    const lead = await leads.open(root);
    const outside = await leads.outside(root, "rollover", "open");
    expect([outside.code, outside.stderr]).toEqual([1, expect.stringContaining("NOT_PRIMARY")]);
    // Started by the lead, but not below it any more.
    const file = path.join(root, "far.txt");
    await lead.handoff(
      `--version; above=$$ setsid sh -c 'while kill -0 $above; do sleep 0.1; done; node "$HANDOFF_MAIN" rollover open >${file} 2>&1; echo end >>${file}' & true`,
    );
    await until("the far call", () => existsSync(file) && readFileSync(file, "utf8").includes("end"));
    expect(readFileSync(file, "utf8")).toContain("NOT_PRIMARY");
    const nested = await lead.handoff(
      `--version; cp "$(readlink /proc/$$/exe)" ${root}/claude; ${root}/claude -c 'node "$HANDOFF_MAIN" rollover open; true'`,
    );
    expect(nested).toContain("an agent that another one started");
    lead.submit("helper");
    await lead.waitFor("the helper's turn", ({ prompt }) => prompt === "helper");
    expect(await lead.handoff("rollover open")).toContain("helper of this session at work");
  });

  test("NO_PENDING, TOKEN_MISMATCH, HANDOVER_STALE, HANDOVER_INVALID; a second open; a token works once", async () => {
    const root = leads.project({ ...FAST, max_doc_age_seconds: 60 });
    const lead = await leads.open(root);
    const confirm = (token: string): Promise<string> => lead.handoff(`rollover confirm --token ${token}`);
    expect(await confirm("x")).toContain("NO_PENDING");
    put(root, "handover.md", HANDOVER);
    const void_ = tokenIn(await lead.handoff("rollover open"));
    const again = await lead.handoff("rollover open");
    expect(again).toContain("request before it was dropped");
    expect(await confirm(void_)).toContain("TOKEN_MISMATCH");
    const token = tokenIn(again);
    expect(await confirm(token)).toContain("HANDOVER_STALE");
    put(root, "handover.md", "## Doing\nthis and that\n");
    expect(await confirm(token)).toContain("HANDOVER_INVALID");
    const later = new Date(Date.now() + 1000);
    put(root, "handover.md", HANDOVER);
    utimesSync(path.join(root, "handover.md"), later, later);
    expect(await confirm(token)).toContain("exit 0");
    expect(await ended(root)).toMatchObject({ phase: "bootstrapped" });
    const [pane] = readdirSync(path.join(root, ".handoff/rollover")).filter((name) => name.length === 16);
    expect(existsSync(path.join(root, ".handoff/rollover", pane ?? "", "pending.json"))).toBe(false);
    expect(await confirm(token)).toContain("NO_PENDING");
  });

  test("HANDOVER_MISSING, HANDOVER_TOO_OLD, PENDING_EXPIRED", async () => {
    const root = leads.project({ ...FAST, max_doc_age_seconds: 1 });
    const lead = await leads.open(root);
    const token = tokenIn(await lead.handoff("rollover open"));
    const confirm = (): Promise<string> => lead.handoff(`rollover confirm --token ${token}`);
    expect(await confirm()).toContain("HANDOVER_MISSING");
    const file = put(root, "handover.md", HANDOVER);
    const { mtimeMs } = statSync(file);
    await until("its age", () => Date.now() - mtimeMs > 2000);
    expect(await confirm()).toContain("HANDOVER_TOO_OLD");
    const [pane = ""] = readdirSync(path.join(root, ".handoff/rollover")).filter(
      (name) => name.length === 16,
    );
    const pending = path.join(root, ".handoff/rollover", pane, "pending.json");
    const text = readFileSync(pending, "utf8");
    expect(text).not.toContain(token);
    expect(statSync(pending).mode & 0o077).toBe(0);
    writeFileSync(
      pending,
      text.replace(/"expires_at":\s*"[^"]*"/u, '"expires_at": "2026-01-01T00:00:00.000Z"'),
    );
    expect(await confirm()).toContain("PENDING_EXPIRED");
    expect(clears(lead)).toBe(0);
  });

  test("OPERATOR_NOT_CONFIRMED, then agreed", async () => {
    const root = leads.project({ handover_path: "handover.md" });
    const lead = await leads.open(root);
    const token = tokenIn(await lead.handoff("rollover open"));
    put(root, "handover.md", HANDOVER);
    expect(await lead.handoff(`rollover confirm --token ${token}`)).toContain("OPERATOR_NOT_CONFIRMED");
    expect(await lead.handoff(`rollover confirm --token ${token} --operator-confirmed`)).toContain("exit 0");
    expect(await ended(root)).toMatchObject({ phase: "bootstrapped" });
  });

  test("ROLL_IN_PROGRESS: open and confirm while one is under way", async () => {
    const root = leads.project();
    const lead = await leads.open(root);
    const token = tokenIn(await lead.handoff("rollover open"));
    put(root, "handover.md", HANDOVER);
    const said = await lead.handoff(`rollover confirm --token ${token}; node "$HANDOFF_MAIN" rollover open`);
    expect(said).toContain("ROLL_IN_PROGRESS");
    expect(await ended(root)).toMatchObject({ phase: "bootstrapped" });
  });
});
