// P33, P39: one wrong hand edit of a handoff.json loses nothing: neither what the edit says nor what the line carried.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CliRun } from "../cli/testing/built-cli.js";
import { runHere } from "../cli/testing/run-here.js";
import { put, sampleWorkbench } from "../cli/testing/sample-workbench.js";

let root = "";
beforeEach(() => {
  root = sampleWorkbench();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

type Json = Record<string, unknown>;
const fileOf = (session: string): string => path.join(root, "outputs/handoff", session, "handoff.json");
const packetOf = (session: string): Json => JSON.parse(readFileSync(fileOf(session), "utf8")) as Json;
const whats = (session: string, field: string): unknown[] =>
  (packetOf(session)[field] as Json[]).map((row) => row["what"] ?? row["text"]);
const edit = (session: string, change: (packet: Json) => Json): void =>
  writeFileSync(fileOf(session), JSON.stringify(change(packetOf(session)), null, 2));
const kept = (): string[] => {
  const folder = path.join(root, "outputs/handoff/archive/edited");
  return readdirSync(folder).map((name) => readFileSync(path.join(folder, name), "utf8"));
};

/** The next generation of a session, which must be published. */
async function generate(session_id: string, state: Json = {}): Promise<CliRun> {
  put(root, "agent_state.json", { session_id, next_action: "go on with the work", ...state });
  const result = await runHere(["generate"], { cwd: root });
  expect([result.code, result.stderr.includes("bug:")]).toEqual([0, false]);
  return result;
}

/** h1 decides something, h2 follows. */
async function twoSessions(): Promise<void> {
  await generate("h1", { decisions: [{ what: "keep the queue", why: "it is tested" }] });
  await generate("h2");
  expect(whats("h2", "decisions")).toEqual(["keep the queue"]);
}

const ROWS: [field: string, rows: (old: unknown) => unknown, what: string][] = [
  ["decisions", () => [{ what: "HD", why: "HW" }], "HD"],
  ["decisions", (old) => [...(old as Json[]), { what: "HD" }], "HD"],
  ["decisions", (old) => [...(old as Json[]), "HD in a word"], "HD in a word"],
  ["decisions", () => [{ id: "mine", what: "HD", why: null }], "HD"],
  ["failed_attempts", (old) => [...(old as Json[]), { what: "HF", why: "HW" }], "HF"],
  ["questions_for_human", () => [{ text: "HQ?" }], "HQ?"],
];

describe("P39 a row written by hand without its id", () => {
  test.each(ROWS)("in %s (%#) is taken over by the session's own next packet", async (field, rows, what) => {
    await twoSessions();
    edit("h2", (packet) => ({ ...packet, [field]: rows(packet[field]) }));
    const edited = readFileSync(fileOf("h2"), "utf8");
    const { stderr } = await generate("h2");
    expect(stderr).toContain("edit.taken_over");
    expect(whats("h2", field)).toContain(what);
    expect(kept()).toContain(edited);
    expect((await runHere(["check"], { cwd: root })).code).toBe(0);
    // It stays: the edit is kept, not the file.
    await generate("h2", { next_action: "something else to do" });
    expect(whats("h2", field)).toContain(what);
  });

  test.each(ROWS)(
    "in %s (%#) is carried by another session's packet, and so is the rest",
    async (field, rows, what) => {
      await twoSessions();
      const { packet_id } = packetOf("h2");
      edit("h2", (packet) => ({ ...packet, [field]: rows(packet[field]) }));
      const { stderr } = await generate("h3");
      expect(stderr).toContain("packet.invalid");
      expect(whats("h3", field)).toContain(what);
      expect(packetOf("h3")["supersedes"]).toBe(packet_id);
      const others = field === "decisions" ? [what] : ["keep the queue"];
      expect(whats("h3", "decisions")).toEqual(expect.arrayContaining(others));
    },
  );
});

describe("P33 a packet that is none any more", () => {
  const spoils: [string, (text: string) => string | null][] = [
    ["a field of another kind", (text) => text.replace(/"summary": "[^"]*"/u, '"summary": 5')],
    ["a field too many", (text) => text.replace("{", '{"note": 1,')],
    ["cut JSON", (text) => text.slice(0, 400)],
    ["no JSON", () => "mine"],
    ["nothing", () => ""],
    ["another program's", () => '{"session_id": "h2"}'],
    ["gone", () => null],
  ];
  const spoil = (session: string, how: (text: string) => string | null): void => {
    const now = how(readFileSync(fileOf(session), "utf8"));
    if (now === null) rmSync(path.dirname(fileOf(session)), { recursive: true });
    else writeFileSync(fileOf(session), now);
  };

  test.each(spoils.slice(0, -1))(
    "%s: items come from the nearest one before it; linked to it all the same",
    async (_, how) => {
      await twoSessions();
      const [first, second] = [packetOf("h1")["packet_id"], packetOf("h2")["packet_id"]];
      spoil("h2", how);
      const { stderr } = await generate("h3");
      expect(stderr).toMatch(new RegExp(`packet\\.invalid: .*${String(first)}`, "u"));
      expect(whats("h3", "decisions")).toEqual(["keep the queue"]);
      expect(packetOf("h3")["supersedes"]).toBe(second);
    },
  );

  test.each(spoils)("%s, two of them in a row", async (_, how) => {
    await twoSessions();
    await generate("h3");
    spoil("h2", how);
    spoil("h3", how);
    await generate("h4");
    expect(whats("h4", "decisions")).toEqual(["keep the queue"]);
  });

  test.each(spoils.slice(0, -1))(
    "P39 %s at the session's own place: kept, said, made anew",
    async (_, how) => {
      await twoSessions();
      spoil("h2", how);
      const spoilt = readFileSync(fileOf("h2"), "utf8");
      const { stderr } = await generate("h2");
      expect(stderr).toContain("packet.edited");
      expect(stderr).toContain("edit.not_taken_over");
      expect(kept()).toContain(spoilt);
      expect(whats("h2", "decisions")).toEqual(["keep the queue"]);
      expect((await runHere(["check"], { cwd: root })).code).toBe(0);
    },
  );
});
